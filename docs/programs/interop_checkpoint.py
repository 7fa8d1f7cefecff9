"""Opens an argand checkpoint in PyTorch and shows names, types and configuration. docs/interop.md shows how to make one. From the
project's root:

  python3 docs/programs/interop_checkpoint.py runs/first/best.safetensors
"""
import json
import sys

sys.path.insert(0, "bench/pytorch")
from safetensors_io import load

tensors, metadata = load(sys.argv[1])
config = json.loads(metadata["config"])["model"]
print(f"{config['family']}, {config['n_layers']} layer, {len(tensors)} tensors")
for name in ("embedding.weight", "blocks.0.attn.q.weight", "blocks.0.ffn.up.weight"):
    print(f"{name:<24} {tensors[name].dtype} {list(tensors[name].shape)}")
