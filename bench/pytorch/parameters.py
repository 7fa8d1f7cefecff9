"""Configurations, initial parameters and the loss of the models in models.py."""
import math

import torch
import torch.nn.functional as F

import models

DEFAULTS = {
    "transformer": dict(position="learned", rope_base=10000.0, norm="layernorm", ffn="gelu", attn_bias=True,
                        ffn_bias=True, qk_norm=False, tie_embeddings=True),
    "crope": dict(position="rope", rope_base=5000.0, norm="rmsnorm", ffn="swiglu", attn_bias=False,
                  ffn_bias=False, qk_norm=True, tie_embeddings=True, mode="all"),
    "complexformer": dict(position="none", rope_base=10000.0, norm="layernorm", ffn="gelu", attn_bias=False,
                          ffn_bias=True, qk_norm=False, tie_embeddings=True, adaptation="per_head",
                          frequencies="paper", pcl_weight=0.0, pcl_temperature=0.1),
    "crat": dict(states="complex", attention="angular", angular_reduce="sum", phase_offsets=True, rotation=True,
                 irw_layers=[], irw_dim=32, irw_top_k=5, irw_temperature=1.0),
    "qic": dict(theta="learned", theta_init=math.pi / 6, magnitude="euclidean", norm="qic_layernorm",
                activation="qic_gelu", conjugate_keys=False),
}


def full_config(**kw):
    cfg = dict(task="lm", n_classes=4, dropout=0.0)
    cfg.update(DEFAULTS[kw["family"]])
    cfg.update(kw)
    return cfg


def init_params(cfg, seed=0, dtype=torch.float64, spread=1.0):
    """Random parameters with the expected names and shapes. `spread` > 1 makes parity cases less uniform."""
    g = torch.Generator().manual_seed(seed)
    ctype = torch.complex128 if dtype == torch.float64 else torch.complex64
    p = {}

    def rand(*s, std):
        return torch.randn(*s, generator=g, dtype=torch.float64) * std * spread

    def weight(name, out, inp, bias=True, cplx=False):
        std = 1 / math.sqrt(inp)
        if cplx:
            p[name + ".weight"] = torch.complex(rand(out, inp, std=std / 2 ** .5), rand(out, inp, std=std / 2 ** .5)).to(ctype)
            if bias:
                p[name + ".bias"] = torch.complex(rand(out, std=.02), rand(out, std=.02)).to(ctype)
        else:
            p[name + ".weight"] = rand(out, inp, std=std).to(dtype)
            if bias:
                p[name + ".bias"] = rand(out, std=.02).to(dtype)

    def gain(name, n, bias=False):
        p[name + ".weight"] = (1 + rand(n, std=.05)).to(dtype)
        if bias:
            p[name + ".bias"] = rand(n, std=.05).to(dtype)

    fam, v, d, L, H = cfg["family"], cfg["vocab_size"], cfg["d_model"], cfg["n_layers"], cfg["n_heads"]
    f, c, T, lm = cfg["d_ff"], cfg["n_classes"], cfg["max_seq_len"], cfg["task"] == "lm"
    if fam in ("transformer", "crope", "complexformer"):
        ln = cfg["norm"] == "layernorm"
        p["embedding.weight"] = rand(v, d, std=.5).to(dtype)
        if cfg["position"] == "learned":
            p["position.weight"] = rand(T, d, std=.1).to(dtype)
        mode = cfg.get("mode", "none")
        tied = {"none": "", "qk": "qk", "qkv": "qkv", "all": "qkvo", "half_qk": "", "half_all": ""}[mode]
        half = {"half_qk": "qk", "half_all": "qkvo"}.get(mode, "")
        for i in range(L):
            b = f"blocks.{i}"
            gain(b + ".norm1", d, ln)
            for s in "qkvo":
                width = d // 2 if s in half else d
                if s in tied:
                    weight(f"{b}.attn.{s}", d // 2, d // 2, False, True)
                elif s == "o":
                    weight(f"{b}.attn.o", d, width, cfg["attn_bias"])
                else:
                    weight(f"{b}.attn.{s}", width, d, cfg["attn_bias"])
            dk = (d // 2 if "q" in half else d) // H
            if cfg["qk_norm"]:
                gain(b + ".attn.q_norm", dk), gain(b + ".attn.k_norm", dk)
            if fam == "complexformer" and cfg["adaptation"] == "moduli":
                raise ValueError("adaptation 'moduli' exists only in argand; this benchmark has no PyTorch model for it")
            if fam == "complexformer" and cfg["adaptation"] != "fixed":
                shape = (H, dk // 2) if cfg["adaptation"] == "per_head" else (dk // 2,)
                p[b + ".attn.delta"] = rand(*shape, std=.02 if spread == 1 else .5).to(dtype)
                p[b + ".attn.phase_bias"] = rand(*shape, std=0. if spread == 1 else .3).to(dtype)
            gain(b + ".norm2", d, ln)
            weight(b + ".ffn.up", f, d, cfg["ffn_bias"])
            if cfg["ffn"] == "swiglu":
                weight(b + ".ffn.gate", f, d, cfg["ffn_bias"])
            weight(b + ".ffn.down", d, f, cfg["ffn_bias"])
        gain("norm", d, ln)
        if not lm:
            weight("head", c, d)
        elif not cfg["tie_embeddings"]:
            weight("head", v, d, False)
    elif fam == "crat":
        real = cfg["states"] == "real"                                 # if so, n is the full real width
        n, r, ff = (d, cfg["irw_dim"], f) if real else (d // 2, cfg["irw_dim"], f // 2)
        p["embedding.weight"] = rand(v, d, std=.5).to(dtype)
        p["embedding.bias"] = rand(d, std=.02).to(dtype)
        if cfg["phase_offsets"]:
            p["position.phase"] = rand(d // 2, std=0. if spread == 1 else .3).to(dtype)
        for s in ("re",) if real else ("re", "im", "theta") if cfg["rotation"] else ("re", "im"):
            weight("state." + s, n, d)
        for i in range(L):
            b = f"blocks.{i}"
            gain(b + ".norm1", n)
            for s in "qkv":
                weight(f"{b}.attn.{s}", n, n, False, not real)
            weight(f"{b}.attn.o", n, n, True, not real)
            if i in cfg["irw_layers"]:
                weight(b + ".irw.query", r, n), weight(b + ".irw.encoder", r, d)
                weight(b + ".irw.gate", n, n + r), weight(b + ".irw.fuse", n, r, False, not real)
            gain(b + ".norm2", n)
            weight(b + ".ffn.up", ff, n, True, not real), weight(b + ".ffn.down", n, ff, True, not real)
        weight("out", d, d)
        gain("out_norm", d, True)
        weight("head", v if lm else c, d)
    elif fam == "qic":
        n, ff = d // 2, f // 2
        cz = lambda *s, std: torch.complex(rand(*s, std=std), rand(*s, std=std)).to(ctype)
        p["embedding.weight"], p["position.weight"] = cz(v, n, std=.35), cz(T, n, std=.07)
        th = lambda k: (torch.full((k,), float(cfg["theta_init"]), dtype=torch.float64) + rand(k, std=0. if spread == 1 else .3)).to(dtype)
        if cfg["theta"] in ("learned", "global"):
            p["theta"] = th(1)
        for i in range(L):
            b = f"blocks.{i}"
            if cfg["theta"] in ("learned", "global"):
                p[b + ".theta"] = th(1)
                p[b + ".attn.theta"] = th(H if cfg["theta"] == "learned" else 1)
            gain(b + ".norm1", n), gain(b + ".norm2", n)
            for s in "qkvo":
                weight(f"{b}.attn.{s}", n, n, True, True)
            weight(b + ".ffn.up", ff, n, True, True), weight(b + ".ffn.down", n, ff, True, True)
            if cfg["activation"] == "mod_relu":
                p[b + ".ffn.act.bias"] = (rand(ff, std=.1) - .1).to(dtype)
        gain("norm", n)
        out = v if lm else c
        p["head.weight"] = cz(out, n, std=1 / math.sqrt(2 * n))
        p["head.bias"] = rand(out, std=.02).to(dtype)
    return {k: t.requires_grad_(True) for k, t in p.items()}


def forward(cfg, p, tokens, kb=None):
    if cfg["family"] == "crat":
        return models.crat(cfg, p, tokens, kb)
    if cfg["family"] == "qic":
        return models.qic(cfg, p, tokens)
    return models.decoder(cfg, p, tokens)


def loss_and_logits(cfg, p, tokens, targets, kb=None):
    logits, aux = forward(cfg, p, tokens, kb)
    return F.cross_entropy(logits.flatten(0, -2), targets.flatten()) + aux, logits


def count_params(p):
    """Counts real degrees of freedom, so a complex number counts twice."""
    return sum(t.numel() * (2 if t.is_complex() else 1) for t in p.values())
