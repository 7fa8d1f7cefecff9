"""The ops that PyTorch lacks, composed from its elementary ops by their equations: COMPOSED maps each name to (function, cases).

A case is (arguments, keywords), as for PyTorch's own ops; derivatives are taken with respect to real and complex arrays.
"""
import math

import numpy as np
import torch

NUMBERS = np.random.default_rng(45)
F = torch.nn.functional
IDS = np.array([[0, 2, 1], [2, 2, 0]])
SEEN = np.array([[True, True, False], [True, True, True]])
HALF = 0.5


def real(*shape):
    return NUMBERS.standard_normal(shape)


def cplx(*shape):
    return real(*shape) + 1j * real(*shape)


def unit(z):
    return z / z.abs()


def heads_of(x, n):
    """Splits the heads: [B, T, H d] -> [B, H, T, d]."""
    return x.reshape(*x.shape[:2], n, -1).transpose(1, 2)


def weighted(scores, value, n_heads, is_causal, visible_keys):
    """The softmax of the visible scores [B, H, Tq, Tk], times the values."""
    Tq, Tk = scores.shape[-2:]
    seen = torch.ones(Tq, Tk, dtype=torch.bool)
    if is_causal:
        seen = seen.tril(Tk - Tq)
    if visible_keys is not None:
        seen = seen & torch.as_tensor(visible_keys)[:, None, None, :]
    P = torch.softmax(scores.masked_fill(~seen, -math.inf), -1)
    O = P.to(value.dtype) @ heads_of(value, n_heads)
    return O.transpose(1, 2).reshape(value.shape[0], Tq, -1)


def attention(q, k, v, n_heads=1, scale=None, is_causal=False, visible_keys=None):
    Q, K = heads_of(q, n_heads), heads_of(k, n_heads)
    return weighted((scale or 1 / math.sqrt(Q.shape[-1])) * Q @ K.transpose(-1, -2), v, n_heads, is_causal, visible_keys)


def angular_attention(q, k, v, n_heads=1, scale=None, is_causal=False, visible_keys=None):
    Q, K = heads_of(unit(q), n_heads), heads_of(unit(k), n_heads)
    scores = (Q @ K.conj().transpose(-1, -2)).real
    return weighted((scale or 1 / math.sqrt(Q.shape[-1])) * scores, v, n_heads, is_causal, visible_keys)


def kappa(theta):
    return torch.sin(2 * theta) - 1


def parts_of(x, parts=2):
    return x.reshape(*x.shape[:-1], -1, parts)


def magnitude(z):
    """The magnitude of numbers whose components are along the last axis."""
    return torch.sqrt((z * z).sum(-1) + 1e-12)


def magnitude_attention(q, k, v, n_heads=1, theta=None):
    Q, K = parts_of(heads_of(q, n_heads)), parts_of(heads_of(k, n_heads))
    K = K.unsqueeze(-4)  # [B, H, 1, Tk, d, 2], to be multiplied by queries of [B, H, Tq, 1, d, 2]
    Q = Q.unsqueeze(-3)
    turned = -1.0 if theta is None else kappa(theta).reshape(1, -1, 1, 1)
    S = torch.stack([(Q[..., 0] * K[..., 0]).sum(-1) + turned * (Q[..., 1] * K[..., 1]).sum(-1), (Q[..., 0] * K[..., 1] + Q[..., 1] * K[..., 0]).sum(-1)], -1)
    return weighted(magnitude(S) / math.sqrt(Q.shape[-2]), v, n_heads, False, None)


def by_magnitude(f):
    """The function f(m) z/m with m = |z|."""
    def function(x, *others, parts=2):
        z = parts_of(x, parts)
        m = magnitude(z)
        return (z * (f(m, *others) / m).unsqueeze(-1)).reshape(x.shape)
    return function


def magnitude_layer_norm(x, gain, parts=2):
    z = parts_of(x, parts)
    m = magnitude(z)
    mean = m.mean(-1, keepdim=True)
    sigma = torch.sqrt(((m - mean) ** 2).mean(-1, keepdim=True) + 1e-5)
    moved = torch.cat([(z[..., 0] - mean).unsqueeze(-1), z[..., 1:]], -1)
    return (moved * (gain / sigma).unsqueeze(-1)).reshape(x.shape)


def magnitude_rms_norm(x, gain, parts=2):
    z = parts_of(x, parts)
    rho = torch.sqrt((magnitude(z) ** 2).mean(-1, keepdim=True) + 1e-6)
    return (z * (gain / rho).unsqueeze(-1)).reshape(x.shape)


def rms_norm(x, shape, gain=None, eps=1e-6):
    y = x / torch.sqrt((x.abs() ** 2).mean(-1, keepdim=True) + eps)
    return y if gain is None else y * gain


def info_nce(s, tokens):
    loss, anchors = 0, 0
    for b, row in enumerate(tokens.tolist()):
        for m, token in enumerate(row):
            earlier = [n for n in range(m) if row[n] == token]
            negatives = [n for n, other in enumerate(row) if other != token]
            if earlier:
                anchors += 1
                loss = loss + torch.logsumexp(s[b, m, [earlier[-1], *negatives]], 0) - s[b, m, earlier[-1]]
    return loss / anchors


def hamilton_matrix(W):
    a, b, c, d = W.unbind(-1)
    rows = [torch.stack(row, -1) for row in ([a, -b, -c, -d], [b, a, -d, c], [c, d, a, -b], [d, -c, b, a])]
    M = torch.stack(rows, -2)  # [out, in, 4, 4]
    return M.transpose(1, 2).reshape(4 * W.shape[0], 4 * W.shape[1])


def qic_linear(x, W, theta, bias=None):
    k = kappa(theta).repeat_interleave(W.shape[0] // theta.shape[0])
    y = torch.complex(x.real @ W.real.T + k * (x.imag @ W.imag.T), x.imag @ W.real.T + x.real @ W.imag.T)
    return y if bias is None else y + bias


def linear_recurrence(a, b, dim):
    states = []
    for a_k, b_k in zip(a.unbind(dim), b.unbind(dim)):
        states.append(a_k * states[-1] + b_k if states else b_k)
    return torch.stack(states, dim)


def positions(z, frequencies, first):
    if frequencies is None:
        return 0.0
    t = torch.arange(first, first + z.shape[-3], dtype=torch.float64)[:, None, None]
    return t * torch.as_tensor(frequencies)


def turned_by(angle):
    return torch.polar(torch.ones_like(angle), angle)


def phase_rotation(z, delta, beta, frequencies=None, first_position=0):
    return z.abs() * turned_by(delta * z.angle() + beta + positions(z, frequencies, first_position))


def sinusoid(phase, first, length):
    i = torch.arange(len(phase), dtype=torch.float64)
    a = torch.arange(first, first + length, dtype=torch.float64)[:, None] / 10000 ** (i / len(phase)) + phase
    return torch.stack([a.sin(), a.cos()], -1).reshape(length, -1)


def selected_attention(q, memory, selected, scale=None):
    M = memory[torch.as_tensor(selected)]  # [..., k, r]
    beta = torch.softmax((scale or 1 / math.sqrt(q.shape[-1])) * (M @ q.unsqueeze(-1)).squeeze(-1), -1)
    return (beta.unsqueeze(-1) * M).sum(-2)


def whiten(x, eps=1e-5):
    """V^(-1/2) (x - mean) of each row."""
    u = x - x.mean(-1, keepdim=True)
    parts = torch.stack([u.real, u.imag], -1)  # [rows, n, 2]
    V = parts.transpose(-1, -2) @ parts / x.shape[-1] + eps * torch.eye(2, dtype=torch.float64)
    values, vectors = torch.linalg.eigh(V)
    y = parts @ ((vectors / values.sqrt().unsqueeze(-2)) @ vectors.transpose(-1, -2))
    return torch.complex(y[..., 0], y[..., 1])


def istft(X, n_fft, window=None):
    return torch.istft(X, n_fft, window=None if window is None else torch.as_tensor(window), onesided=False, return_complex=True)


def matrix_function(f):
    def of_matrix(A):
        values, V = torch.linalg.eig(A)
        return (V * f(values).unsqueeze(-2)) @ torch.linalg.inv(V)
    return of_matrix


def no_kink(z):
    return (np.sign(z.real) * (0.2 + np.abs(z.real))) + 1j * (np.sign(z.imag) * (0.2 + np.abs(z.imag)))


Z = no_kink(cplx(2, 3))
NEAR_ONE = np.eye(3) + 0.3 * cplx(3, 3)
COMPOSED = {
    "abs2": (lambda z: z.real**2 + z.imag**2 if z.is_complex() else z**2, [((cplx(2, 3),), {}), ((real(3),), {})]),
    "attention": (attention, [((real(2, 3, 4), real(2, 3, 4), real(2, 3, 6)), {"n_heads": 2, "is_causal": True}),
                              ((real(2, 2, 4), real(2, 3, 4), real(2, 3, 2)), {"scale": 0.3, "visible_keys": SEEN})]),
    "angular_attention": (angular_attention, [((cplx(2, 3, 4), cplx(2, 3, 4), cplx(2, 3, 6)), {"n_heads": 2, "is_causal": True}),
                                              ((cplx(2, 2, 4), cplx(2, 3, 4), cplx(2, 3, 2)), {"scale": 0.3, "visible_keys": SEEN})]),
    "cardioid": (lambda z: z * (1 + z.real / z.abs()) / 2, [((Z,), {})]),
    "cgelu": (lambda z: torch.complex(F.gelu(z.real), F.gelu(z.imag)), [((Z,), {})]),
    "complex_istft": (istft, [((cplx(8, 7), 8), {}), ((cplx(8, 7), 8), {"window": np.hanning(8) + 0.1})]),
    "crelu": (lambda z: torch.complex(F.relu(z.real), F.relu(z.imag)), [((Z,), {})]),
    "embedding_mean": (lambda ids, E: E[torch.as_tensor(ids)].mean(-2), [((IDS, real(4, 2)), {}), ((IDS, cplx(4, 2)), {})]),
    "expand": (lambda x, shape: x.expand(shape), [((cplx(3, 1), (2, 3, 4)), {}), ((real(3), (2, 3)), {})]),
    "hamilton_matrix": (hamilton_matrix, [((real(2, 3, 4),), {})]),
    "huber": (lambda x, y, delta=1.0: F.huber_loss(x, y, delta=delta), [((2 * real(4), real(4)), {"delta": 0.7})]),
    "info_nce": (info_nce, [((real(2, 5, 5), np.array([[1, 2, 1, 3, 1], [4, 4, 4, 5, 4]])), {})]),
    "linear_cross_entropy": (lambda h, W, t, bias=None: F.cross_entropy(F.linear(h, W, bias), torch.as_tensor(t)),
                             [((real(4, 3), real(5, 3), np.array([0, 4, 2, 2])), {"bias": real(5)}), ((real(2, 3), real(5, 3), np.array([1, 3])), {})]),
    "linear_recurrence": (linear_recurrence, [((cplx(2, 4), cplx(2, 4), 1), {}), ((real(3, 2), real(3, 2), 0), {})]),
    "log_sigmoid": (F.logsigmoid, [((real(3),), {})]),
    "logm": (matrix_function(torch.log), [((NEAR_ONE,), {})]),
    "magnitude_attention": (magnitude_attention, [((real(2, 2, 8), real(2, 3, 8), real(2, 3, 4)), {"n_heads": 2}),
                                                  ((real(2, 2, 8), real(2, 3, 8), real(2, 3, 4)), {"n_heads": 2, "theta": real(2)})]),
    "magnitude_gelu": (by_magnitude(F.gelu), [((real(2, 8),), {}), ((real(2, 8),), {"parts": 4})]),
    "magnitude_layer_norm": (magnitude_layer_norm, [((real(3, 8), real(4)), {}), ((real(3, 8), real(2)), {"parts": 4})]),
    "magnitude_modrelu": (by_magnitude(lambda m, c: F.relu(m + c)), [((real(2, 6), np.array([-0.1, 0.3, -9.0])), {})]),
    "magnitude_relu": (by_magnitude(lambda m: F.relu(m)), [((real(2, 6),), {})]),
    "magnitude_rms_norm": (magnitude_rms_norm, [((real(3, 8), real(4)), {}), ((real(3, 8), real(2)), {"parts": 4})]),
    "make_complex": (torch.complex, [((real(3), real(3)), {})]),
    "modrelu": (lambda z, c: F.relu(z.abs() + c) * unit(z), [((Z, np.array([-0.2, 0.3, -9.0])), {})]),
    "mse": (lambda x, y: ((x - y).abs() ** 2).mean(), [((real(3), real(3)), {}), ((cplx(3), cplx(3)), {})]),
    "phase_rotation": (phase_rotation, [((cplx(3, 2, 2), real(2, 2), real(2, 2)), {}),
                                        ((cplx(3, 2, 2), real(2), real(2)), {"frequencies": np.array([1.0, 0.1]), "first_position": 2})]),
    "power": (torch.pow, [((cplx(3), cplx(3)), {}), ((np.abs(real(3)), real(3)), {})]),
    "projection": (lambda z, weight: (weight.conj() * z).real.sum(), [((cplx(2, 3),), {"weight": cplx(2, 3)}), ((real(3),), {"weight": real(3)})]),
    "qic_dual": (lambda x, theta: torch.complex(x.real, kappa(theta) * x.imag), [((cplx(2, 3), real(1)), {})]),
    "qic_linear": (qic_linear, [((cplx(3, 2), cplx(4, 2), real(2)), {"bias": cplx(4)}), ((cplx(2, 3, 2), cplx(3, 2), real(1)), {})]),
    "rms_norm": (rms_norm, [((cplx(2, 4), (4,), real(4)), {}), ((real(2, 4), (4,)), {"eps": 0.1})]),
    "rotary": (lambda z, frequencies, first_position=0: z * turned_by(positions(z, frequencies, first_position)),
               [((cplx(3, 2, 2),), {"frequencies": np.array([1.0, 0.1])}), ((cplx(2, 3, 1, 2),), {"frequencies": np.array([1.0, 0.1]), "first_position": 5})]),
    "rotate": (lambda z, theta: z * turned_by(theta), [((cplx(2, 3), real(2, 3)), {})]),
    "scale": (lambda z, c: c * z, [((cplx(3), HALF), {}), ((real(3), HALF), {})]),
    "selected_attention": (selected_attention, [((real(2, 3), real(4, 3), IDS), {}), ((real(2, 3), real(4, 3), IDS), {"scale": 0.4})]),
    "sinusoid": (sinusoid, [((real(3), 2, 4), {})]),
    "slice": (lambda x, dim, start, end: x.narrow(dim, start, end - start), [((cplx(3, 4), 1, 1, 3), {})]),
    "sqrtm": (matrix_function(torch.sqrt), [((NEAR_ONE,), {})]),
    "stddev": (lambda x, dim=None: torch.std(x, dim, unbiased=False), [((real(2, 4),), {"dim": 1}), ((cplx(2, 4),), {"dim": 0})]),
    "swiglu": (lambda g, u: F.silu(g) * u, [((real(2, 3), real(2, 3)), {})]),
    "to_complex": (lambda x: torch.complex(x, torch.zeros_like(x)), [((real(3),), {})]),
    "unit_phasor": (unit, [((cplx(2, 3),), {})]),
    "variance": (lambda x, dim=None: torch.var(x, dim, unbiased=False), [((real(2, 4),), {"dim": 1}), ((cplx(2, 4),), {"dim": 0})]),
    "whiten": (whiten, [((cplx(5, 2),), {}), ((cplx(5, 3),), {"eps": 0.1})]),
    "zrelu": (lambda z: z * ((z.real > 0) & (z.imag > 0)), [((Z,), {})]),
}
