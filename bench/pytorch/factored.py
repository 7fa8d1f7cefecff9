"""The attention of ComplexFormer and CRAT with factored scores: matrix products in place of T x T x d cosines.

argand computes the scores this way, so these functions make the speed comparison fair; models.py follows the papers literally.
"""
import math

import torch

import models
from models import angular_attention as literal_angular, as_pairs, attend, heads, linear, unheads


def score_factors(cfg, p, name, lq, tq, lk, tk):
    """Real vectors of queries and keys [B, H, T, 2n] whose products are ComplexFormer's scores, from moduli l and phases t [B, H, T, n]."""
    t, n = tq.shape[-2:]
    exponent = 2.0 / n if cfg["frequencies"] == "paper" else 1.0 / n
    w = cfg["rope_base"] ** (-torch.arange(n, dtype=tq.dtype) * exponent)
    pos = torch.arange(t, dtype=tq.dtype)[:, None] * w
    if cfg["adaptation"] == "fixed":
        delta, bias = 1.0, 0.0
    else:
        delta, bias = p[f"{name}.delta"], p[f"{name}.phase_bias"]
        if cfg["adaptation"] == "per_head":
            delta, bias = delta[:, None], bias[:, None]
    a, c = delta * tq + bias + pos, delta * tk + pos
    return torch.cat([lq * a.cos(), lq * a.sin()], -1), torch.cat([lk * c.cos(), lk * c.sin()], -1)


def factored_scores(cfg, p, name, x, pad, phases):
    """complexformer_attention with the factored score, for a fair speed comparison."""
    h = cfg["n_heads"]
    q, k, v = (heads(linear(p, f"{name}.{s}", x), h) for s in "qkv")
    zq, zk = as_pairs(q), as_pairs(k)
    phases.append(zq.angle())
    q, k = score_factors(cfg, p, name, zq.abs(), phases[-1], zk.abs(), zk.angle())
    s = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
    return linear(p, f"{name}.o", unheads(attend(cfg, s, pad, v)))


def factored_angular(cfg, p, name, z, pad):
    if cfg["attention"] != "angular":
        return literal_angular(cfg, p, name, z, pad)
    h = cfg["n_heads"]
    q, k, v = (heads(linear(p, f"{name}.{s}", z), h) for s in "qkv")
    q, k = q / q.abs(), k / k.abs()
    s = torch.view_as_real(q).flatten(-2) @ torch.view_as_real(k).flatten(-2).transpose(-1, -2)
    s = s / math.sqrt(q.shape[-1])
    if cfg["angular_reduce"] == "mean":
        s = s / q.shape[-1]
    return linear(p, f"{name}.o", unheads(attend(cfg, s, pad, v)))


def use():
    """Makes models.py compute its scores this way."""
    models.complexformer_attention, models.angular_attention = factored_scores, factored_angular
