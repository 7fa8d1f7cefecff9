"""The models of models.py as PyTorch 2 runs them fastest: the strongest opponent for a comparison of speed.

The same functions of the same parameters, with scaled_dot_product_attention, one fused AdamW for all parameters, flushed denormal
numbers, and torch.compile if asked. All arithmetic is real, since PyTorch's compiler and its fused optimiser support nothing else:
a complex parameter has a trailing axis of 2, and a complex product is one real product with twice the width, as in optimizers.py.
"""
import math

import torch
import torch.nn.functional as F

import models
from factored import score_factors
from models import heads, layer_norm, linear, retrieved, rms_norm, rope_angles, sinusoid, unheads
from optimizers import ADAMW, MUON_LR_SCALE, Muon, is_muon_parameter
from parameters import loss_and_logits

literal_embed, literal_pair_linear, literal_crat = models.embed, models.pair_linear, models.crat


def attention(cfg, q, k, v, pad, scale):
    """softmax(scale q kᵀ) v of real heads [B, H, T, n]."""
    mask = None if cfg["task"] == "lm" else ~pad[:, None, None, :]
    return F.scaled_dot_product_attention(q, k, v, mask, is_causal=mask is None, scale=scale)


# ---------------------------------------------------------------- complex parameters: pairs in the last axis

def split(z):
    return z.unbind(-1)


def embed(table, ids):
    return F.embedding(ids, table.flatten(1)).unflatten(-1, (-1, 2)) if table.dim() == 3 else literal_embed(table, ids)


def pair_linear(p, name, x):
    """A complex weight [m, n, 2] acts on the interleaved pairs of x as a real [2m, 2n]."""
    w = p[name + ".weight"]
    if w.dim() == 2:
        return literal_pair_linear(p, name, x)
    a, b = w.unbind(-1)
    return x @ torch.stack((torch.stack((a, -b), -1), torch.stack((b, a), -1)), 1).flatten(2).flatten(0, 1).T


def halves_linear(p, name, z):
    """The same for z = (real parts, imaginary parts), or for real z: the real parts alone."""
    a, b = p[name + ".weight"].unbind(-1)
    y = z @ torch.cat((torch.cat((a, -b), 1), torch.cat((b, a), 1)), 0)[:, :z.shape[-1]].T
    return y + torch.cat(p[name + ".bias"].unbind(-1)) if name + ".bias" in p else y


# ---------------------------------------------------------------- transformer, CRoPE, ComplexFormer

def rope(x, base):
    angles = rope_angles(x.shape[-2], x.shape[-1], base, x.dtype)
    cos, sin = angles.cos(), angles.sin()
    a, b = x.unflatten(-1, (-1, 2)).unbind(-1)
    return torch.stack((a * cos - b * sin, a * sin + b * cos), -1).flatten(-2)


def rope_attention(cfg, p, name, x, pad):
    q, k, v = (heads(pair_linear(p, f"{name}.{s}", x), cfg["n_heads"]) for s in "qkv")
    if cfg["qk_norm"]:
        q, k = rms_norm(p, f"{name}.q_norm", q), rms_norm(p, f"{name}.k_norm", k)
    if cfg["position"] == "rope":
        q, k = rope(q, cfg["rope_base"]), rope(k, cfg["rope_base"])
    y = attention(cfg, q, k, v, pad, 1 / math.sqrt(q.shape[-1]))
    return pair_linear(p, f"{name}.o", unheads(y))


def polar(x):
    """Modulus and phase of the pairs of x."""
    a, b = x.unflatten(-1, (-1, 2)).unbind(-1)
    return torch.hypot(a, b), torch.atan2(b, a)


def complexformer_attention(cfg, p, name, x, pad, phases):
    q, k, v = (heads(linear(p, f"{name}.{s}", x), cfg["n_heads"]) for s in "qkv")
    (lq, tq), (lk, tk) = polar(q), polar(k)
    phases.append(tq)
    q, k = score_factors(cfg, p, name, lq, tq, lk, tk)
    return linear(p, f"{name}.o", unheads(attention(cfg, q, k, v, pad, 1 / math.sqrt(q.shape[-1]))))


# ---------------------------------------------------------------- CRAT; its states are (real parts, imaginary parts)

def halves_rms_norm(p, name, z):
    n = z.shape[-1] // 2
    return z * p[name + ".weight"].repeat(2) * torch.rsqrt((z * z).sum(-1, keepdim=True) / n + models.EPS_RMSNORM)


def angular_attention(cfg, p, name, z, pad):
    h = cfg["n_heads"]
    q, k, v = (halves_linear(p, f"{name}.{s}", z).unflatten(-1, (2, h, -1)).movedim(-2, 1).transpose(2, 3) for s in "qkv")  # [B, H, 2, T, n]
    n = q.shape[-1]
    scale = 1 / math.sqrt(n)
    if cfg["attention"] == "angular":
        q, k = (t / torch.hypot(t[:, :, :1], t[:, :, 1:]) for t in (q, k))
        if cfg["angular_reduce"] == "mean":
            scale /= n
    q, k, v = (t.transpose(2, 3).flatten(-2) for t in (q, k, v))
    y = attention(cfg, q, k, v, pad, scale).unflatten(-1, (2, n))                    # [B, H, T, 2, n]
    return halves_linear(p, f"{name}.o", y.permute(0, 2, 3, 1, 4).flatten(-2).flatten(-2))


def reflection_window(cfg, p, name, z, kb):
    real, imag = z.chunk(2, -1)
    c = retrieved(cfg, p, name, imag, kb)
    g = torch.sigmoid(linear(p, f"{name}.gate", torch.cat([real, c], -1)))
    return z + g.repeat(1, 1, 2) * halves_linear(p, f"{name}.fuse", c)


def crat(cfg, p, tokens, kb=None):
    if cfg["states"] == "real":
        return literal_crat(cfg, p, tokens, kb)
    pad = tokens == 0 if cfg["task"] == "classify" else None
    e = embed(p["embedding.weight"], tokens) + p["embedding.bias"]
    t, d = e.shape[1], e.shape[2]
    h0 = e + sinusoid(t, d, p["position.phase"] if cfg["phase_offsets"] else torch.zeros(d // 2, dtype=e.dtype), e.dtype)
    a, b = linear(p, "state.re", h0), linear(p, "state.im", h0)
    if cfg["rotation"]:
        th = linear(p, "state.theta", h0)
        a, b = a * th.cos() - b * th.sin(), a * th.sin() + b * th.cos()
    z = torch.cat((a, b), -1)
    for i in range(cfg["n_layers"]):
        block = f"blocks.{i}"
        z = z + angular_attention(cfg, p, block + ".attn", halves_rms_norm(p, block + ".norm1", z), pad)
        if i in cfg["irw_layers"]:
            z = reflection_window(cfg, p, block + ".irw", z, kb)
        z = z + halves_linear(p, block + ".ffn.down", F.gelu(halves_linear(p, block + ".ffn.up", halves_rms_norm(p, block + ".norm2", z))))
    return models.finish(cfg, p, layer_norm(p, "out_norm", linear(p, "out", z)), pad), 0.0


# ---------------------------------------------------------------- training

def use():
    """Makes models.py compute in this way, and flushes denormal numbers, as argand does."""
    torch.set_flush_denormal(True)
    for function in (split, embed, pair_linear, rope, rope_attention, complexformer_attention, crat):
        setattr(models, function.__name__, function)


class Training:
    """One training step of the parameters `p`, whose entries it replaces by those that it trains."""

    def __init__(self, cfg, p, optimizer, weight_decay, *, compiled=False, bf16=False, clip=1.0):
        self.clip, self.bf16 = clip, bf16
        hidden = {k for k, t in p.items() if optimizer == "muon" and is_muon_parameter(k, t)}
        pairs = {k for k, t in p.items() if t.is_complex()}
        p.update({k: (torch.view_as_real(t) if k in pairs else t).detach().clone().requires_grad_() for k, t in p.items()})
        self.p, self.pairs = p, pairs
        self.adamw = torch.optim.AdamW([t for k, t in p.items() if k not in hidden], lr=0.0, weight_decay=weight_decay, fused=True, **ADAMW)
        self.hidden = {k: torch.view_as_complex(p[k].detach()) if k in pairs else p[k].detach() for k in p if k in hidden}
        self.muon = Muon(self.hidden, 0, 0.95, weight_decay)
        loss = lambda p, x, y, kb: loss_and_logits(cfg, p, x, y, kb)[0]
        self.loss = torch.compile(loss, dynamic=False) if compiled else loss

    def step(self, x, y, kb, lr):
        for t in self.p.values():
            t.grad = None
        with torch.autocast("cpu", torch.bfloat16, enabled=self.bf16):
            loss = self.loss(self.p, x, y, kb)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.p.values(), self.clip)
        self.adamw.param_groups[0]["lr"] = lr
        self.adamw.step()
        for k, t in self.hidden.items():
            t.grad = torch.view_as_complex(self.p[k].grad) if k in self.pairs else self.p[k].grad
        self.muon.lr = MUON_LR_SCALE * lr
        self.muon.step()
        return loss.item()
