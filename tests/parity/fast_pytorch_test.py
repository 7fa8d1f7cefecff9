"""The PyTorch models that bench/compare.py times (bench/pytorch/fast.py) compute what models.py does: loss, and parameters after
training steps. Skipped without PyTorch 2.

  fast_pytorch_test.py SOURCE_DIR
"""
import os
import sys

try:
    import torch
except ImportError:
    print("skipped: PyTorch is not installed")
    sys.exit(77)
if not hasattr(torch.nn.functional, "scaled_dot_product_attention"):
    print(f"skipped: needs PyTorch 2, and this is {torch.__version__}")
    sys.exit(77)

sys.path.insert(0, os.path.join(os.path.abspath(sys.argv[1]), "bench", "pytorch"))
import factored
import fast
import models
import train
from parameters import full_config, init_params

SHAPE = dict(vocab_size=17, n_layers=2, d_model=16, n_heads=2, d_ff=24, max_seq_len=9)
# Each configuration and its optimiser: all of compare.py, classifiers with padding, and every option of the attention in fast.py.
CASES = {
    "rope": (dict(family="transformer", position="rope"), "adamw"),
    "learned positions": (dict(family="transformer"), "adamw"),
    "a classifier": (dict(family="transformer", position="rope", task="classify"), "adamw"),
    "complexformer": (dict(family="complexformer", pcl_weight=0.1), "adamw"),
    "complexformer, shared": (dict(family="complexformer", adaptation="shared", frequencies="rope"), "adamw"),
    "complexformer, fixed": (dict(family="complexformer", adaptation="fixed"), "adamw"),
    "complexformer, a classifier": (dict(family="complexformer", task="classify"), "adamw"),
    "crope": (dict(family="crope", mode="all"), "muon"),
    "crope, half": (dict(family="crope", mode="half_qk"), "muon"),
    "crat": (dict(family="crat"), "adamw"),
    "crat, mean": (dict(family="crat", angular_reduce="mean"), "adamw"),
    "crat, dot": (dict(family="crat", attention="dot"), "adamw"),
    "crat, real": (dict(family="crat", states="real", attention="dot"), "adamw"),
    "crat, window": (dict(family="crat", irw_layers=[1], irw_dim=8), "adamw"),
    "qic": (dict(family="qic"), "adamw"),
    "qic, a classifier": (dict(family="qic", task="classify"), "adamw"),
}
LITERAL = {name: value for name, value in vars(models).items() if callable(value)}


def trained(make, config, optimizer):
    """Losses of three steps, and the parameters after them, in float64."""
    cfg = full_config(**{**SHAPE, **config})
    p = init_params(cfg, 1, torch.float64, 2.0)
    random = torch.Generator().manual_seed(2)
    tokens = torch.randint(1, 17, (3, 9), generator=random)
    targets = torch.randint(0, 17, (3, 9), generator=random)
    if cfg["task"] == "classify":
        tokens[1, 4:] = 0
        targets = torch.tensor([0, 2, 3])
    kb = torch.randint(0, 17, (11, 5), generator=random) if cfg.get("irw_layers") else None
    training = make(cfg, p, optimizer, 0.1)
    losses = [training.step(tokens, targets, kb, 0.01) for _ in range(3)]
    return losses, {k: torch.view_as_real(t.detach()) if t.is_complex() else t.detach() for k, t in p.items()}


failures = 0
for name, (config, optimizer) in CASES.items():
    for replacement in (None, factored, fast):
        for function, literal in LITERAL.items():
            setattr(models, function, literal)
        if replacement is not None:
            replacement.use()
        found = trained(fast.Training if replacement is fast else train.Training, config, optimizer)
        if replacement is None:
            expected = found
            continue
        differences = [abs(a - b) for a, b in zip(found[0], expected[0])]
        differences += [(found[1][k] - t).abs().max().item() for k, t in expected[1].items()]
        if not max(differences) < 1e-6:  # PyTorch's clip_grad_norm_ adds 1e-6 to the norm
            failures += 1
            print(f"{name}: {replacement.__name__} differs from models.py by {max(differences):.1e}")
print(f"{2 * len(CASES) - failures} of {2 * len(CASES)} comparisons agree")
sys.exit(failures > 0)
