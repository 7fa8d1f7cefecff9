"""Functions with inexact values: computed in half precision, or with random numbers."""
import copy

import torch
from torch.nn import functional as F

from .case import Case, real, with_mistake


def brain(x):
    """Rounds to bfloat16 (eight bits) in both passes."""
    return x.bfloat16().double()


def half(x):
    """Rounds to float16 (eleven bits)."""
    return x.half().double()


def half_precision():
    w = brain(real(3, 3))

    def attention(x, m):
        x = brain(x)
        return brain(m(F.softmax(brain(x @ x.T), -1)) @ x)

    def mlp(x, m):
        return (m(torch.tanh((x.bfloat16() @ w.bfloat16()).double()).bfloat16()) @ w.bfloat16()).double()

    for name, f, x, factor in (
        ("tanh in bfloat16", lambda x, m: brain(m(torch.tanh(brain(x)))), real(6), 2.0),
        ("softmax in bfloat16", lambda x, m: brain(m(F.softmax(brain(x), -1))), real(2, 5), -1.0),
        ("mlp in bfloat16", mlp, real(2, 3), 2.0),
        ("attention in bfloat16", attention, real(3, 3), 0.0),
        ("sum of squares in bfloat16", lambda x, m: brain(m(brain(x).square()).sum()), real(20), 2.0),
        ("sin in float16", lambda x, m: half(m(torch.sin(half(x)))), real(6), 2.0),
        ("product in float16", lambda x, m: m(x.half() * x.half().flip(0)).double(), real(6), 0.5),
        ("gelu in float16", lambda x, m: half(m(F.gelu(half(x)))), real(6), -1.0),
    ):
        yield with_mistake("half precision", name, f, (x,), lambda dw, factor=factor: factor * dw)


class Redrawn(torch.autograd.Function):
    """Dropout that draws a second mask for the backward pass."""

    @staticmethod
    def forward(ctx, x):
        return x * (torch.rand_like(x) < 0.5) * 2

    @staticmethod
    def backward(ctx, dw):
        return dw * (torch.rand_like(dw) < 0.5) * 2


class Normalised(torch.nn.Module):
    """A linear layer divided by its spectral norm, estimated by power iteration with one step per call; with or without
    the gradient of the norm."""

    def __init__(self, lost):
        super().__init__()
        generator = torch.Generator().manual_seed(5)
        self.weight = torch.nn.Parameter(torch.randn(3, 3, dtype=torch.double, generator=generator))
        self.register_buffer("u", torch.randn(3, dtype=torch.double, generator=generator))
        self.register_buffer("v", torch.randn(3, dtype=torch.double, generator=generator))
        self.lost = lost

    def forward(self, x):
        norm = self.u.clone() @ self.weight @ self.v.clone()
        with torch.no_grad():
            self.v.copy_(F.normalize(self.weight.T @ self.u, dim=0))
            self.u.copy_(F.normalize(self.weight @ self.v, dim=0))
        return F.linear(x, self.weight / (norm.detach() if self.lost else norm))


def seeded(f):
    """For judges that do not restore random states: every call uses the same random numbers and buffers."""
    def drawn(*x):
        torch.manual_seed(3)
        return f(*x)

    def module(x, *parameters):
        names = [name for name, _ in f.named_parameters()]
        return torch.nn.utils.stateless.functional_call(copy.deepcopy(f), dict(zip(names, parameters)), (x,))

    return module if isinstance(f, torch.nn.Module) else drawn


def stochastic():
    """Draws random numbers in every call; with argand's seed_rng=True, always the same ones."""
    def dropout(x, m):
        return m(F.dropout(torch.tanh(x), 0.5))

    def gaussian(mu, s, m):  # the reparametrisation trick
        return mu + m(s.exp()) * torch.randn_like(mu)

    def depth(x, m):
        return x + m(torch.sin(x)) * (torch.rand(8, 1, dtype=x.dtype) < 0.6) / 0.6

    for name, f, x, corrupt in (
        ("dropout without its scale", dropout, (real(8),), lambda dw: dw / 2),
        ("rrelu", lambda x, m: m(F.rrelu(x, 0.1, 0.6, training=True)), (real(8),), lambda dw: 1.1 * dw),
        ("gaussian, scale lost", gaussian, (real(4), real(4)), torch.zeros_like),
        ("stochastic depth", depth, (real(8, 2),), lambda dw: 0.6 * dw),
        ("gumbel softmax", lambda x, m: m(F.gumbel_softmax(x, tau=0.7)), (real(2, 4),), lambda dw: dw / 0.7),
        ("noise in the weights", lambda x, w, m: x @ m(w + 0.1 * torch.randn_like(w)), (real(2, 3), real(3, 2)), lambda dw: 2 * dw),
    ):
        yield with_mistake("stochastic", name, f, x, corrupt, options={"seed_rng": True}, for_torch=seeded)
    yield Case("stochastic", "mask drawn twice", lambda x: F.dropout(x, 0.5), (real(12),), lambda: Redrawn.apply, options={"seed_rng": True},
               for_torch=seeded)
    yield Case("stochastic", "spectral norm", Normalised(False), (real(2, 3),), lambda: Normalised(True), options={"seed_rng": True}, for_torch=seeded)
