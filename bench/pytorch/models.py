"""The four model families in plain PyTorch: an independent reference for argand's values, gradients and speed.

Every model is a pure function of (config, params, tokens): `params` is a dict from the names in argand's checkpoints to
tensors. Written for clarity and exactness; in float64, with PyTorch's autograd, it computes the parity cases of make_cases.py.
Complex parameters are complex tensors here; in files they are real with a trailing axis of 2.
"""
import math

import torch
import torch.nn.functional as F

EPS_LAYERNORM, EPS_RMSNORM, EPS_MAGNITUDE = 1e-5, 1e-6, 1e-12


# ---------------------------------------------------------------- small building blocks

def linear(p, name, x):
    w = p[name + ".weight"]
    if w.is_complex() and not x.is_complex():
        x = x.to(w.dtype)
    y = x @ w.transpose(-1, -2)
    return y + p[name + ".bias"] if name + ".bias" in p else y


def embed(table, ids):
    """Rows of a real or complex table (F.embedding: indexing has a much slower backward pass)."""
    if table.is_complex():
        return torch.view_as_complex(F.embedding(ids, torch.view_as_real(table).flatten(1)).unflatten(-1, (-1, 2)))
    return F.embedding(ids, table)


def layer_norm(p, name, x):
    return F.layer_norm(x, x.shape[-1:], p[name + ".weight"], p[name + ".bias"], EPS_LAYERNORM)


def rms_norm(p, name, x):
    """Real or complex: the mean of |x|^2 over the last axis; the gain is real."""
    ms = (x * x.conj()).real if x.is_complex() else x * x
    return x * p[name + ".weight"] * torch.rsqrt(ms.mean(-1, keepdim=True) + EPS_RMSNORM)


def norm(cfg, p, name, x):
    return layer_norm(p, name, x) if cfg["norm"] == "layernorm" else rms_norm(p, name, x)


def as_pairs(x):
    """Real [..., 2n] -> complex [..., n]: (x0, x1) -> x0 + i x1 (interleaved pairs)."""
    return torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2).contiguous())


def from_pairs(z):
    return torch.view_as_real(z).flatten(-2)


def pair_linear(p, name, x):
    """A linear projection of a real vector; a complex weight acts on interleaved pairs (CRoPE)."""
    if p[name + ".weight"].is_complex():
        return from_pairs(linear(p, name, as_pairs(x)))
    return linear(p, name, x)


def heads(x, h):
    return x.reshape(*x.shape[:-1], h, -1).transpose(-2, -3)  # [B, H, T, dh]


def unheads(x):
    return x.transpose(-2, -3).flatten(-2)


def attend(cfg, scores, pad, v):
    """Softmax over keys with the causal mask (lm) or the key padding mask (classify)."""
    t = scores.shape[-1]
    if cfg["task"] == "lm":
        mask = torch.ones(t, t, dtype=torch.bool).tril()
    else:
        mask = ~pad[:, None, None, :]
    a = scores.masked_fill(~mask, float("-inf")).softmax(-1)
    return a.to(v.dtype) @ v


def rope_angles(t, dh, base, dtype):
    w = base ** (-torch.arange(0, dh, 2, dtype=dtype) / dh)  # dh/2 frequencies
    return torch.arange(t, dtype=dtype)[:, None] * w


def rope(x, base):
    ang = rope_angles(x.shape[-2], x.shape[-1], base, x.dtype)
    return from_pairs(as_pairs(x) * torch.polar(torch.ones_like(ang), ang))


def sinusoid(t, d, phase, dtype):
    """PE(t, 2i) = sin(t / 10000^(2i/d) + phase_i), PE(t, 2i+1) = cos(the same argument)."""
    w = 10000.0 ** (-torch.arange(0, d, 2, dtype=dtype) / d)
    a = torch.arange(t, dtype=dtype)[:, None] * w + phase
    return torch.stack([a.sin(), a.cos()], -1).flatten(-2)


def ffn(cfg, p, name, x):
    if cfg["ffn"] == "swiglu":
        return linear(p, name + ".down", F.silu(linear(p, name + ".gate", x)) * linear(p, name + ".up", x))
    return linear(p, name + ".down", F.gelu(linear(p, name + ".up", x)))


def finish(cfg, p, h, pad):
    """Real hidden states -> logits, for both tasks."""
    if cfg["task"] == "classify":
        keep = (~pad).to(h.dtype)[..., None]
        h = (h * keep).sum(1) / keep.sum(1)
        return linear(p, "head", h)
    w = p["embedding.weight"] if cfg.get("tie_embeddings") else p["head.weight"]
    y = h @ w.T
    return y + p["head.bias"] if "head.bias" in p else y


# ---------------------------------------------------------------- transformer, CRoPE, ComplexFormer

def rope_attention(cfg, p, name, x, pad):
    h = cfg["n_heads"]
    q, k, v = (heads(pair_linear(p, f"{name}.{s}", x), h) for s in "qkv")
    if cfg["qk_norm"]:
        q, k = rms_norm(p, f"{name}.q_norm", q), rms_norm(p, f"{name}.k_norm", k)
    if cfg["position"] == "rope":
        q, k = rope(q, cfg["rope_base"]), rope(k, cfg["rope_base"])
    s = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
    return pair_linear(p, f"{name}.o", unheads(attend(cfg, s, pad, v)))


def complexformer_attention(cfg, p, name, x, pad, phases):
    """Equations (1)-(9): modulus and phase of q/k pairs, adapted angle difference, real values."""
    h = cfg["n_heads"]
    q, k, v = (heads(linear(p, f"{name}.{s}", x), h) for s in "qkv")
    zq, zk = as_pairs(q), as_pairs(k)                                  # [B, H, T, dk/2]
    lq, tq, lk, tk = zq.abs(), zq.angle(), zk.abs(), zk.angle()
    phases.append(tq)
    n = tq.shape[-1]
    exponent = 2.0 / n if cfg["frequencies"] == "paper" else 1.0 / n   # frequencies base^(-2j/(dk/2)), or those of RoPE
    w = cfg["rope_base"] ** (-torch.arange(n, dtype=x.dtype) * exponent)
    if cfg["adaptation"] == "fixed":
        delta, bias = torch.ones(n, dtype=x.dtype), torch.zeros(n, dtype=x.dtype)
    else:
        delta, bias = p[f"{name}.delta"], p[f"{name}.phase_bias"]      # [H, dk/2] or [dk/2]
        if cfg["adaptation"] == "per_head":
            delta, bias = delta[:, None, None, :], bias[:, None, None, :]
    t = x.shape[1]
    rel = (torch.arange(t)[:, None] - torch.arange(t)[None, :]).to(x.dtype)[..., None] * w
    angle = delta * (tq[..., :, None, :] - tk[..., None, :, :]) + bias + rel
    s = (lq[..., :, None, :] * lk[..., None, :, :] * angle.cos()).sum(-1) / math.sqrt(2 * n)
    return linear(p, f"{name}.o", unheads(attend(cfg, s, pad, v)))


def phase_contrast(cfg, tokens, phases):
    """Phase contrastive loss: an earlier occurrence of the same token is the positive."""
    t = tokens.shape[1]
    same = tokens[:, :, None] == tokens[:, None, :]
    earlier = torch.ones(t, t, dtype=torch.bool).tril(-1)
    cand = same & earlier
    anchor = cand.any(-1)
    if not anchor.any():
        return torch.zeros((), dtype=phases[0].dtype)
    pos = (cand * torch.arange(1, t + 1)).argmax(-1)                   # the latest earlier occurrence
    losses = []
    for th in phases:                                                  # [B, H, T, dk/2]
        u = torch.stack([th.cos(), th.sin()], -1).permute(0, 2, 1, 3, 4).flatten(2)
        u = u / math.sqrt(u.shape[-1] / 2)
        s = u @ u.transpose(1, 2) / cfg["pcl_temperature"]
        sp = s.gather(-1, pos[..., None])[..., 0]
        neg = s.masked_fill(same, float("-inf")).logsumexp(-1)
        losses.append((torch.logaddexp(sp, neg) - sp)[anchor].mean())
    return torch.stack(losses).mean()


def decoder(cfg, p, tokens):
    pad = tokens == 0 if cfg["task"] == "classify" else None
    h = embed(p["embedding.weight"], tokens)
    t, d = h.shape[1], h.shape[2]
    if cfg["position"] == "learned":
        h = h + p["position.weight"][:t]
    elif cfg["position"] == "sinusoidal":
        h = h + sinusoid(t, d, torch.zeros(d // 2, dtype=h.dtype), h.dtype)
    phases = []
    for i in range(cfg["n_layers"]):
        b = f"blocks.{i}"
        x = norm(cfg, p, b + ".norm1", h)
        if cfg["family"] == "complexformer":
            h = h + complexformer_attention(cfg, p, b + ".attn", x, pad, phases)
        else:
            h = h + rope_attention(cfg, p, b + ".attn", x, pad)
        h = h + ffn(cfg, p, b + ".ffn", norm(cfg, p, b + ".norm2", h))
    h = norm(cfg, p, "norm", h)
    aux = 0.0
    if cfg["family"] == "complexformer" and cfg.get("pcl_weight", 0.0) > 0:
        aux = cfg["pcl_weight"] * phase_contrast(cfg, tokens, phases)
    return finish(cfg, p, h, pad), aux


# ---------------------------------------------------------------- CRAT

def angular_attention(cfg, p, name, z, pad):
    h = cfg["n_heads"]
    q, k, v = (heads(linear(p, f"{name}.{s}", z), h) for s in "qkv")
    dh = q.shape[-1]
    if cfg["attention"] == "angular":
        diff = q.angle()[..., :, None, :] - k.angle()[..., None, :, :]
        s = diff.cos().sum(-1) / math.sqrt(dh)
        if cfg["angular_reduce"] == "mean":
            s = s / dh
    else:                                                              # ablation: dot product
        s = (q @ k.conj().transpose(-1, -2)).real / math.sqrt(dh)
    return linear(p, f"{name}.o", unheads(attend(cfg, s, pad, v)))


def retrieved(cfg, p, name, x, kb):
    """The mean of the encodings of the k best passages for x, weighted by similarity: [B, T, r]."""
    q = linear(p, f"{name}.query", x)                                  # [B, T, r]
    passages = (embed(p["embedding.weight"], kb) + p["embedding.bias"]).mean(1)
    enc = linear(p, f"{name}.encoder", passages)                       # [P, r]
    sim = q @ enc.T
    top = sim.detach().topk(cfg["irw_top_k"], -1).indices              # selection has no gradient
    beta = (sim.gather(-1, top) / cfg["irw_temperature"]).softmax(-1)
    return (beta[..., None] * enc[top]).sum(-2)


def reflection_window(cfg, p, name, z, kb):
    """Imaginary Reflection Window: Im(z) queries the knowledge base, a gate fuses the answer."""
    c = retrieved(cfg, p, name, z.imag if z.is_complex() else z, kb)
    g = torch.sigmoid(linear(p, f"{name}.gate", torch.cat([z.real, c], -1)))
    return z + g * linear(p, f"{name}.fuse", c)


def crat(cfg, p, tokens, kb=None):
    pad = tokens == 0 if cfg["task"] == "classify" else None
    e = embed(p["embedding.weight"], tokens) + p["embedding.bias"]
    t, d = e.shape[1], e.shape[2]
    phase = p["position.phase"] if cfg["phase_offsets"] else torch.zeros(d // 2, dtype=e.dtype)
    h0 = e + sinusoid(t, d, phase, e.dtype)
    real = cfg["states"] == "real"                                     # ablation: no imaginary parts
    z = linear(p, "state.re", h0)
    if not real:
        z = torch.complex(z, linear(p, "state.im", h0))
    if cfg["rotation"] and not real:
        th = linear(p, "state.theta", h0)
        z = z * torch.complex(th.cos(), th.sin())
    for i in range(cfg["n_layers"]):
        b = f"blocks.{i}"
        z = z + angular_attention(cfg, p, b + ".attn", rms_norm(p, b + ".norm1", z), pad)
        if i in cfg["irw_layers"]:
            z = reflection_window(cfg, p, b + ".irw", z, kb)
        x = linear(p, b + ".ffn.up", rms_norm(p, b + ".norm2", z))
        x = F.gelu(x) if real else torch.complex(F.gelu(x.real), F.gelu(x.imag))
        z = z + linear(p, b + ".ffn.down", x)
    o = layer_norm(p, "out_norm", linear(p, "out", z if real else torch.cat([z.real, z.imag], -1)))
    return finish(cfg, p, o, pad), 0.0


# ---------------------------------------------------------------- QIC

def kappa(theta):
    """J(theta)^2 = -1 + sin(2 theta)."""
    return -1 + torch.sin(2 * theta)


def split(z):
    return z.real, z.imag


def qic_linear(p, name, x, k):
    """(xa, xb) -> (Wa xa + k Wb xb + ba, Wa xb + Wb xa + bb); k is a scalar or has one value per output row."""
    wa, wb = split(p[name + ".weight"])
    xa, xb = x
    ya, yb = xa @ wa.T + k * (xb @ wb.T), xb @ wa.T + xa @ wb.T
    if name + ".bias" in p:
        ba, bb = split(p[name + ".bias"])
        ya, yb = ya + ba, yb + bb
    return ya, yb


def magnitude(cfg, a, b, k):
    w = {"euclidean": 1.0, "algebraic": -k, "author": 1 - k}[cfg["magnitude"]]
    return torch.sqrt(a * a + w * b * b + EPS_MAGNITUDE)


def qic_norm(cfg, p, name, x, k):
    a, b = x
    g = p[name + ".weight"]
    m = magnitude(cfg, a, b, k)
    if cfg["norm"] == "qic_rmsnorm":
        r = torch.rsqrt((m * m).mean(-1, keepdim=True) + EPS_RMSNORM)
        return a * r * g, b * r * g
    mu = m.mean(-1, keepdim=True)
    r = torch.rsqrt(((m - mu) ** 2).mean(-1, keepdim=True) + EPS_LAYERNORM)
    return (a - mu) * r * g, b * r * g


def qic_activation(cfg, p, name, x, k):
    a, b = x
    m = magnitude(cfg, a, b, k)
    kind = cfg["activation"]
    f = F.relu(m) if kind == "qic_relu" else F.gelu(m) if kind == "qic_gelu" else F.relu(m + p[name + ".act.bias"])
    return a * f / m, b * f / m


def qic_attention(cfg, p, name, x, kh, kl, pad):
    h = cfg["n_heads"]
    n = x[0].shape[-1]
    rows = kh.repeat_interleave(n // h)                                # the rows of head h use theta_h
    (qa, qb), (ka, kb), (va, vb) = (
        tuple(heads(c, h) for c in qic_linear(p, f"{name}.{s}", x, rows)) for s in "qkv")
    if cfg["conjugate_keys"]:
        kb = -kb
    kk = kh[:, None, None]
    sa = qa @ ka.transpose(-1, -2) + kk * (qb @ kb.transpose(-1, -2))
    sb = qa @ kb.transpose(-1, -2) + qb @ ka.transpose(-1, -2)
    s = magnitude(cfg, sa, sb, kk) / math.sqrt(n // h)
    out = tuple(unheads(attend(cfg, s, pad, c)) for c in (va, vb))
    return qic_linear(p, f"{name}.o", out, kl)


def qic(cfg, p, tokens):
    pad = tokens == 0 if cfg["task"] == "classify" else None
    h = embed(p["embedding.weight"], tokens) + p["position.weight"][: tokens.shape[1]]
    x = split(h)
    n_heads = cfg["n_heads"]

    def theta(name):
        if cfg["theta"] == "learned" or cfg["theta"] == "global":
            return p[name]
        return torch.full((1,), float(cfg["theta_init"]), dtype=h.real.dtype)

    for i in range(cfg["n_layers"]):
        b = f"blocks.{i}"
        kl = kappa(theta(b + ".theta"))
        kh = kappa(theta(b + ".attn.theta"))
        if kh.numel() == 1:
            kh = kh.expand(n_heads)
        y = qic_attention(cfg, p, b + ".attn", qic_norm(cfg, p, b + ".norm1", x, kl), kh, kl, pad)
        x = (x[0] + y[0], x[1] + y[1])
        y = qic_linear(p, b + ".ffn.up", qic_norm(cfg, p, b + ".norm2", x, kl), kl)
        y = qic_linear(p, b + ".ffn.down", qic_activation(cfg, p, b + ".ffn", y, kl), kl)
        x = (x[0] + y[0], x[1] + y[1])
    km = kappa(theta("theta"))
    x = qic_norm(cfg, p, "norm", x, km)
    if cfg["task"] == "classify":
        keep = (~pad).to(x[0].dtype)[..., None]
        x = tuple((c * keep).sum(1) / keep.sum(1) for c in x)
    wa, wb = split(p["head.weight"])
    return x[0] @ wa.T + km * (x[1] @ wb.T) + p["head.bias"], 0.0      # the part of a QIC linear layer without J
