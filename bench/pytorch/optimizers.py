"""Reference AdamW and Muon, one tensor at a time, for the optimizer parity cases.

A complex parameter is a pair of reals to AdamW (second moment per component) and, to Muon,
the real 2x2-block matrix [[Re, -Im], [Im, Re]] that represents it.
"""
import math

import torch

ADAMW = dict(betas=(0.9, 0.98), eps=1e-9)
MUON_LR_SCALE = 20.0  # Muon's rate, in units of AdamW's
NS = (3.4445, -4.7750, 2.0315)


def is_muon_parameter(name, t):
    """Whether Muon trains it: hidden matrices only, never embeddings, positions, heads, gains, biases, phases or thetas."""
    return name.endswith(".weight") and t.ndim == 2 and name.split(".")[0] not in ("embedding", "position", "head")


def newton_schulz(g, steps=5):
    a, b, c = NS
    tall = g.shape[0] > g.shape[1]
    x = g.conj().T if tall else g
    expansion = 2 ** 0.5 if g.is_complex() else 1.0     # ||[[Re,-Im],[Im,Re]]||_F = sqrt(2) ||g||_F
    x = x / (expansion * torch.linalg.norm(x) + 1e-7)
    for _ in range(steps):
        s = x @ x.conj().T
        x = a * x + (b * s + c * (s @ s)) @ x
    return x.conj().T if tall else x


class Muon:
    def __init__(self, params, lr, momentum=0.95, weight_decay=0.0):
        self.params, self.lr, self.beta, self.wd = params, lr, momentum, weight_decay
        self.buf = {k: torch.zeros_like(t) for k, t in params.items()}

    @torch.no_grad()
    def step(self):
        for k, p in self.params.items():
            m = self.buf[k]
            m.lerp_(p.grad, 1 - self.beta)
            update = newton_schulz(torch.lerp(p.grad, m, self.beta))          # Nesterov
            p.mul_(1 - self.lr * self.wd)
            p.sub_(self.lr * max(1.0, p.shape[0] / p.shape[1]) ** 0.5 * update)


class AdamW:
    def __init__(self, params, lr, betas=(0.9, 0.98), eps=1e-9, weight_decay=0.01):
        self.params, self.lr, self.betas, self.eps, self.wd, self.t = params, lr, betas, eps, weight_decay, 0
        real = lambda t: torch.view_as_real(t) if t.is_complex() else t
        self.real = real
        self.m = {k: torch.zeros_like(real(t)) for k, t in params.items()}
        self.v = {k: torch.zeros_like(real(t)) for k, t in params.items()}

    @torch.no_grad()
    def step(self):
        self.t += 1
        b1, b2 = self.betas
        for k, p in self.params.items():
            x, g = self.real(p), self.real(p.grad)
            self.m[k].lerp_(g, 1 - b1)
            self.v[k].lerp_(g * g, 1 - b2)
            x.mul_(1 - self.lr * self.wd)
            x.sub_(self.lr * (self.m[k] / (1 - b1 ** self.t)) / ((self.v[k] / (1 - b2 ** self.t)).sqrt() + self.eps))


def clip_grad_norm(params, max_norm):
    total = torch.sqrt(sum((t.grad.abs() ** 2).sum() for t in params.values()))
    if total > max_norm:
        for t in params.values():
            t.grad.mul_(max_norm / total)
    return total


def lr_at(step, total, peak, warmup, final):
    """Linear warm-up over `warmup` steps (step counts from 0), then cosine from peak to final."""
    if step < warmup:
        return peak * (step + 1) / warmup
    x = (step - warmup) / max(1, total - warmup)
    return final + 0.5 * (peak - final) * (1 + math.cos(math.pi * min(1.0, x)))
