"""Writes parity cases: `python3 make_cases.py OUTDIR [SEED]`. README.md describes their contents and how to write your own."""
import math
import os
import sys

import torch

from optimizers import AdamW, Muon, clip_grad_norm, is_muon_parameter, lr_at
from parameters import full_config, init_params, loss_and_logits
from parity_case import case, save_case

SMALL = dict(vocab_size=23, max_seq_len=14, n_layers=2, d_model=16, n_heads=2, d_ff=24)

CASES = {
    "transformer-learned": dict(family="transformer"),
    "transformer-sinusoidal": dict(family="transformer", position="sinusoidal", tie_embeddings=False),
    "transformer-rope": dict(family="transformer", position="rope", norm="rmsnorm", ffn="swiglu"),
    "complexformer-per-head": dict(family="complexformer"),
    "complexformer-shared": dict(family="complexformer", adaptation="shared"),
    "complexformer-fixed": dict(family="complexformer", adaptation="fixed", frequencies="rope"),
    "complexformer-pcl": dict(family="complexformer", pcl_weight=0.01),
    **{f"crope-{m}": dict(family="crope", mode=m) for m in ("none", "qk", "qkv", "all", "half_qk", "half_all")},
    "crat": dict(family="crat"),
    "crat-irw": dict(family="crat", irw_layers=[1], irw_dim=6, irw_top_k=3),
    "crat-mean": dict(family="crat", angular_reduce="mean"),
    "crat-dot": dict(family="crat", attention="dot"),
    "crat-no-phase-offsets": dict(family="crat", phase_offsets=False),
    "crat-no-rotation": dict(family="crat", rotation=False),
    "crat-real": dict(family="crat", states="real", attention="dot", irw_layers=[1], irw_dim=6, irw_top_k=3),
    "qic-learned": dict(family="qic"),
    "qic-global": dict(family="qic", theta="global"),
    "qic-fixed-pi4": dict(family="qic", theta="fixed", theta_init=math.pi / 4),
    "qic-fixed-0": dict(family="qic", theta="fixed", theta_init=0.0),
    "qic-algebraic-modrelu": dict(family="qic", magnitude="algebraic", activation="mod_relu", norm="qic_rmsnorm", theta_init=0.3),
    "qic-author-relu": dict(family="qic", magnitude="author", activation="qic_relu", conjugate_keys=True),
}
CLASSIFY = ("transformer-learned", "complexformer-per-head", "crope-all", "crat-irw", "qic-learned")
OPTIMIZE = {"transformer-rope": "adamw", "crope-all": "muon", "crat-irw": "muon", "qic-learned": "adamw", "complexformer-per-head": "muon"}


def batch(cfg, seed):
    g = torch.Generator().manual_seed(1000 + seed)
    b, t = 2, cfg["max_seq_len"] - 2
    tok = torch.randint(1, cfg["vocab_size"], (b, t), generator=g)
    if cfg["task"] == "classify":
        tok[0, t - 4:] = 0
        return tok, torch.randint(0, cfg["n_classes"], (b,), generator=g), torch.randint(1, cfg["vocab_size"], (9, 5), generator=g)
    return tok, torch.randint(0, cfg["vocab_size"], (b, t), generator=g), torch.randint(1, cfg["vocab_size"], (9, 5), generator=g)


def write(out, name, kw, seed, optimizer=None, **shape):
    cfg = full_config(**{**SMALL, **shape, **kw})
    p = init_params(cfg, seed, spread=1.5)
    tok, tgt, kb = batch(cfg, seed)
    kb = kb if cfg.get("irw_layers") else None
    tensors = case(p, tok, tgt, lambda: loss_and_logits(cfg, p, tok, tgt, kb), kb)
    opt = None
    if optimizer:
        opt = dict(name=optimizer, steps=3, lr=0.02, warmup=2, total=8, final_lr=0.001, clip=1.0, momentum=0.95,
                   weight_decay=0.1, adamw=dict(betas=[0.9, 0.98], eps=1e-9))
        hidden = {k: t for k, t in p.items() if optimizer == "muon" and is_muon_parameter(k, t)}
        rest = {k: t for k, t in p.items() if k not in hidden}
        opts = [Muon(hidden, 0, opt["momentum"], opt["weight_decay"]), AdamW(rest, 0, (0.9, 0.98), 1e-9, opt["weight_decay"])]
        for step in range(opt["steps"]):
            for t in p.values():
                t.grad = None
            loss_and_logits(cfg, p, tok, tgt, kb)[0].backward()
            clip_grad_norm(p, opt["clip"])
            for o in opts:
                o.lr = lr_at(step, opt["total"], opt["lr"], opt["warmup"], opt["final_lr"])
                o.step()
        tensors.update({f"expect.after.{k}": t.clone() for k, t in p.items()})
    save_case(os.path.join(out, name + ".safetensors"), tensors, cfg, opt)


def main():
    out, seed = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 0
    os.makedirs(out, exist_ok=True)
    for i, (name, kw) in enumerate(CASES.items()):
        write(out, name, kw, seed + i)
        if name in CLASSIFY:
            write(out, name + "-classify", {**kw, "task": "classify"}, seed + 50 + i)
        if name in OPTIMIZE:
            write(out, f"{name}-{OPTIMIZE[name]}", kw, seed + 100 + i, OPTIMIZE[name])


if __name__ == "__main__":
    main()
