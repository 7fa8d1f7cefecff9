"""The parts of a battery case: a function, the same function with a wrong gradient, and the point where both are judged."""
import dataclasses
from typing import Any, Callable, Dict, Optional, Tuple

import torch


def real(*shape):
    return torch.rand(shape, dtype=torch.double) * 3 - 1.5


def cplx(*shape):
    """Random complex numbers with moduli from 0.3 to 1.5, away from the negative real axis."""
    return torch.polar(0.3 + 1.2 * torch.rand(shape, dtype=torch.double), (torch.rand(shape, dtype=torch.double) * 2 - 1) * 2.8)


@dataclasses.dataclass
class Case:
    kind: str
    name: str
    right: Callable[..., Any]
    x: Tuple[torch.Tensor, ...]
    wrong: Optional[Callable[[], Callable[..., Any]]]  # creates the function with the mistake, anew for each judge; or None
    order: int = 1
    options: Dict[str, Any] = dataclasses.field(default_factory=dict)  # options of argand.check_torch
    for_torch: Callable[[Callable[..., Any]], Callable[..., Any]] = lambda f: f  # turns the function into one that gradcheck accepts


class Planted(torch.autograd.Function):
    """The value of f with the gradients of `taught` (f, or f without a term), modified by `corrupt`."""

    @staticmethod
    def forward(ctx, f, taught, corrupt, *x):
        ctx.taught, ctx.corrupt = taught, corrupt
        ctx.save_for_backward(*x)
        return f(*x).detach().clone()

    @staticmethod
    def backward(ctx, dw):
        x = [t.detach().requires_grad_() for t in ctx.saved_tensors]
        with torch.enable_grad():
            grads = torch.autograd.grad(ctx.taught(*x), x, dw)
        return (None, None, None, *(ctx.corrupt(g, t) for g, t in zip(grads, x)))


def planted(kind, name, f, x, taught=None, corrupt=lambda g, x: g):
    """A case whose gradient is that of `taught` (default: f itself), modified by `corrupt(gradient, x)`."""
    return Case(kind, name, f, x, lambda: lambda *t: Planted.apply(f, taught or f, corrupt, *t))


class _Corrupted(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, corrupt):
        ctx.corrupt = corrupt
        return x.clone()

    @staticmethod
    def backward(ctx, dw):
        return ctx.corrupt(dw), None


def corrupted(corrupt):
    """The identity with a wrong backward pass: a mistake that can be inserted anywhere in a function."""
    return lambda x: _Corrupted.apply(x, corrupt)


def same(x):
    """The identity without a mistake, in place of `corrupted`."""
    return x


def with_mistake(kind, name, f, x, corrupt, **fields):
    """A case of f(*x, mistake), a function that calls `mistake` somewhere."""
    return Case(kind, name, lambda *t: f(*t, same), x, lambda: lambda *t: f(*t, corrupted(corrupt)), **fields)
