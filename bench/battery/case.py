"""What the battery is made of: a function, the same function with a mistake in its gradient, and where both are judged."""
import dataclasses
from typing import Any, Callable, Dict, Optional, Tuple

import torch


def real(*shape):
    return torch.rand(shape, dtype=torch.double) * 3 - 1.5


def cplx(*shape):
    """Magnitudes from 0.3 to 1.5, away from the negative axis."""
    return torch.polar(0.3 + 1.2 * torch.rand(shape, dtype=torch.double), (torch.rand(shape, dtype=torch.double) * 2 - 1) * 2.8)


@dataclasses.dataclass
class Case:
    kind: str
    name: str
    right: Callable[..., Any]
    x: Tuple[torch.Tensor, ...]
    wrong: Optional[Callable[[], Callable[..., Any]]]  # makes the function with the mistake, anew for each judge; None: there is none
    order: int = 1
    options: Dict[str, Any] = dataclasses.field(default_factory=dict)  # of argand.check_torch
    for_torch: Callable[[Callable[..., Any]], Callable[..., Any]] = lambda f: f  # what gradcheck can take in its place


class Planted(torch.autograd.Function):
    """f, and the gradients of `taught` (f, or f without a term) after `spoil`."""

    @staticmethod
    def forward(ctx, f, taught, spoil, *x):
        ctx.taught, ctx.spoil = taught, spoil
        ctx.save_for_backward(*x)
        return f(*x).detach().clone()

    @staticmethod
    def backward(ctx, dw):
        x = [t.detach().requires_grad_() for t in ctx.saved_tensors]
        with torch.enable_grad():
            grads = torch.autograd.grad(ctx.taught(*x), x, dw)
        return (None, None, None, *(ctx.spoil(g, t) for g, t in zip(grads, x)))


def planted(kind, name, f, x, taught=None, spoil=lambda g, x: g):
    """A case whose gradient is that of `taught`, where it is not f's own, after `spoil(gradient, x)`."""
    return Case(kind, name, f, x, lambda: lambda *t: Planted.apply(f, taught or f, spoil, *t))


class _Spoilt(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, spoil):
        ctx.spoil = spoil
        return x.clone()

    @staticmethod
    def backward(ctx, dw):
        return ctx.spoil(dw), None


def spoilt(spoil):
    """The identity, with something else than the identity as its backward pass: a mistake to be put anywhere in a function."""
    return lambda x: _Spoilt.apply(x, spoil)


def same(x):
    """In its place, no mistake."""
    return x


def with_mistake(kind, name, f, x, spoil, **fields):
    """A case of f(*x, mistake), a function that calls `mistake` somewhere."""
    return Case(kind, name, lambda *t: f(*t, same), x, lambda: lambda *t: f(*t, spoilt(spoil)), **fields)
