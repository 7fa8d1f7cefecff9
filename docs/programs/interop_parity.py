"""Writes a parity case for your own PyTorch model, as docs/interop.md explains. From the project's root:

  python3 docs/programs/interop_parity.py mine.safetensors
"""
import sys

import torch

sys.path.insert(0, "bench/pytorch")
from parity_case import save_module_case

WORDS, LONGEST, D, HEADS, LAYERS = 50, 16, 32, 4, 2


class LanguageModel(torch.nn.Module):             # your model
    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(WORDS, D)
        self.position = torch.nn.Embedding(LONGEST, D)
        layer = torch.nn.TransformerEncoderLayer(D, HEADS, 2 * D, dropout=0, activation="gelu", batch_first=True, norm_first=True)
        self.blocks = torch.nn.TransformerEncoder(layer, LAYERS, norm=torch.nn.LayerNorm(D))

    def forward(self, tokens):                    # [B, T] -> logits [B, T, WORDS]
        T = tokens.shape[1]
        future = torch.full((T, T), float("-inf"), dtype=self.embedding.weight.dtype).triu(1)
        h = self.embedding(tokens) + self.position.weight[:T]
        return torch.nn.functional.linear(self.blocks(h, future), self.embedding.weight)


def to_argand(name, x):                           # maps a parameter of yours to its place in argand
    name = name.replace("blocks.layers.", "blocks.").replace("blocks.norm.", "norm.")
    for theirs, ours in (("self_attn.out_proj", "attn.o"), ("linear1", "ffn.up"), ("linear2", "ffn.down")):
        name = name.replace(theirs, ours)
    if "self_attn.in_proj_" in name:              # one matrix for queries, keys and values
        return {name.replace("self_attn.in_proj_", f"attn.{s}."): part for s, part in zip("qkv", x.chunk(3))}
    return {name: x}


torch.manual_seed(0)
model = LanguageModel().double()
for p in model.parameters():                      # a stronger test if biases and gains are not all 0 and 1
    p.data += 0.1 * torch.randn_like(p)
text = torch.randint(WORDS, (2, 12))
save_module_case(sys.argv[1], model, to_argand=to_argand, tokens=text[:, :-1], targets=text[:, 1:],
                 config=dict(family="transformer", vocab_size=WORDS, max_seq_len=LONGEST, d_model=D, n_heads=HEADS,
                             n_layers=LAYERS, d_ff=2 * D))
