"""Mistakes that a check of one tensor at one point misses: in nested outputs, in the second order, in parameters whose gradient is
small, in values saved by another call, and in the dependence on the incoming gradient."""
import collections
import dataclasses

import torch
from torch.nn import functional as F

from .case import Case, cplx, real, with_mistake

Pair = collections.namedtuple("Pair", "mean scale")


@dataclasses.dataclass
class Encoded:
    features: torch.Tensor
    length: int


def twice(dw):
    return 2 * dw


def tensors_in(y):
    """The floating-point tensors in nested outputs, for judges that accept only flat ones."""
    if isinstance(y, torch.Tensor):
        return [y] if y.is_floating_point() or y.is_complex() else []
    if dataclasses.is_dataclass(y):
        y = vars(y)
    if isinstance(y, dict):
        y = list(y.values())
    return [t for part in y for t in tensors_in(part)] if isinstance(y, (list, tuple)) else []


def flat(f):
    return lambda *x: tuple(tensors_in(f(*x)))


def nested():
    """The mistake is in a part of a nested output."""
    w = real(3, 8)

    def lstm(x, mistake):  # one step, starting from a zero state
        i, g, o, _ = (x @ w).chunk(4, -1)
        c = torch.sigmoid(i) * torch.tanh(g)
        h = torch.sigmoid(o) * torch.tanh(c)
        return h, (h, mistake(c))

    def two_losses(x, mistake):
        return x.square().mean(), {"best": x.argmax(-1), "probability": mistake(F.softmax(x, -1))}

    for name, f, x in (
        ("lstm: (out, (h, c))", lstm, real(2, 3)),
        ("dict of lists", lambda x, m: {"a": [2 * x, m(torch.sin(x))], "b": torch.tanh(x)}, real(4)),
        ("a tuple four deep", lambda x, m: (x * x, ((m(torch.exp(x)),),)), real(4)),
        ("named tuple in a list", lambda x, m: [x, Pair(x.mean(0), m(x.std(0)))], real(5, 2)),
        ("dataclass", lambda x, m: Encoded(m(torch.tanh(x)), x.shape[0]), real(4)),
        ("loss and dict", two_losses, real(2, 4)),
        ("None between", lambda x, m: (torch.cos(x), None, [None, m(x**3)]), real(4)),
        ("complex and real", lambda z, m: (z * z, [m(z.abs())]), cplx(4)),
        ("dict in a dict", lambda x, m: {"out": x.exp(), "aux": {"norm": m(x.norm())}}, real(4)),
    ):
        yield with_mistake("nested output", name, f, (x,), twice, for_torch=flat)


class TwiceDifferentiable(torch.autograd.Function):
    """f with a correct gradient, but `corrupt` modifies that gradient's derivatives with respect to x and to the incoming gradient."""

    @staticmethod
    def forward(ctx, f, corrupt, x):
        ctx.f, ctx.corrupt = f, corrupt
        ctx.save_for_backward(x)
        return f(x).detach().clone()

    @staticmethod
    def backward(ctx, dw):
        return None, None, Pullback.apply(ctx.f, ctx.corrupt, ctx.saved_tensors[0], dw)


class Pullback(torch.autograd.Function):
    @staticmethod
    def forward(ctx, f, corrupt, x, dw):
        ctx.f, ctx.corrupt = f, corrupt
        ctx.save_for_backward(x, dw)
        x = x.detach().requires_grad_()
        with torch.enable_grad():
            return torch.autograd.grad(f(x), x, dw)[0]

    @staticmethod
    def backward(ctx, g):
        x, dw = (t.detach().requires_grad_() for t in ctx.saved_tensors)
        with torch.enable_grad():
            first = torch.autograd.grad(ctx.f(x), x, dw, create_graph=True)[0]
            by_x, by_dw = torch.autograd.grad(first, (x, dw), g)
        return (None, None, *ctx.corrupt(by_x, by_dw))


def second_order():
    """The gradient is correct, but its own derivative with respect to x or to the incoming gradient is wrong."""
    for name, f, x, by_x, by_dw in (
        ("sin, twice by grad_out", torch.sin, real(4), 1, 2),
        ("exp, none by grad_out", torch.exp, real(4), 1, 0),
        ("x^3, negated by grad_out", lambda x: x**3, real(4), 1, -1),
        ("tanh, half by grad_out", torch.tanh, real(4), 1, 0.5),
        ("softmax, 1 % by grad_out", lambda x: F.softmax(x, -1), real(2, 3), 1, 1.01),
        ("z^2, twice by grad_out", lambda z: z * z, cplx(3), 1, 2),
        ("sigmoid, twice by x", torch.sigmoid, real(4), 2, 1),
        ("x^2, none by x", torch.square, real(4), 0, 1),
        ("layer_norm, 1 % by x", lambda x: F.layer_norm(x, (4,)), real(2, 4), 1.01, 1),
        ("logsumexp, negated by x", lambda x: torch.logsumexp(x, -1), real(2, 3), -1, 1),
    ):
        def corrupt(gx, gw, by_x=by_x, by_dw=by_dw):
            return by_x * gx, by_dw * gw

        yield Case("second order", name, f, (x,), lambda f=f, corrupt=corrupt: lambda x: TwiceDifferentiable.apply(f, corrupt, x), order=2)


def small_parameters():
    """A gradient that is twice the correct one, but at most a ten-thousandth of the other gradients."""
    A, B = real(3, 3), real(3, 3)

    def on_scale(s):
        return lambda x, p, m: torch.tanh(x @ A + s * m(p))

    for name, f, x, p in (
        ("bias, 1e-4", on_scale(1e-4), real(2, 3), real(3)),
        ("bias, 1e-10", on_scale(1e-10), real(2, 3), real(3)),
        ("gate, 1e-4", lambda x, p, m: x.sin() + 1e-4 * torch.sigmoid(m(p)) * x, real(4), real(4)),
        ("temperature, 1e-5", lambda x, p, m: F.softmax(x * (1 + 1e-5 * m(p)), -1), real(2, 4), real(1)),
        ("low rank, 1e-5", lambda x, p, m: x @ (B + 1e-5 * torch.outer(m(p), m(p))), real(2, 3), real(3)),
        ("eps of a norm, 1e-6", lambda x, p, m: x / torch.sqrt(x.square().mean() + 1e-6 * m(p).square()), real(5), real(1)),
        ("phase, 1e-6", lambda z, p, m: z * torch.exp(1e-6j * m(p)), cplx(4), real(4)),
        ("one weight among layers, 1e-7", lambda x, p, m: torch.tanh(x @ A) @ B + 1e-7 * m(p), real(2, 3), real(2, 3)),
    ):
        yield with_mistake("small parameter", name, f, (x, p), twice)


def kept(f, keep, of=lambda x: x):
    """f with a backward pass that reads `of(x)` from another call: the first, the last, or the previous one."""
    calls = []

    class Keeps(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            calls.append(x.detach().clone())
            ctx.save_for_backward(x)
            ctx.one_before = calls[-2] if len(calls) > 1 else calls[-1]
            return f(x, of(x)).detach().clone()

        @staticmethod
        def backward(ctx, dw):
            other = {"first": calls[0], "last": calls[-1], "before": ctx.one_before}[keep]
            x, y = ctx.saved_tensors[0].detach().requires_grad_(), other.clone().requires_grad_()
            with torch.enable_grad():
                by_x, by_y = torch.autograd.grad(f(x, of(y)), (x, y), dw, allow_unused=True)
            return (0 if by_x is None else by_x) + (0 if by_y is None else by_y)

    return Keeps.apply


def stale():
    """The backward pass reads values saved by another call."""
    for name, f, of, keep, x in (
        ("square, the first x", lambda x, y: y * y, lambda x: x, "first", real(4)),
        ("tanh, the first x", lambda x, y: y, torch.tanh, "first", real(4)),
        ("statistics, the first", lambda x, y: x / y, lambda x: x.std(), "first", real(6)),
        ("mask, the first", lambda x, y: x * y, lambda x: torch.sigmoid(3 * x), "first", real(5)),
        ("exp, the last x", lambda x, y: y, torch.exp, "last", real(4)),
        ("product, the last x", lambda x, y: x * y, torch.sin, "last", real(4)),
        ("softmax, the call before", lambda x, y: y, lambda x: F.softmax(x, -1), "before", real(2, 3)),
        ("|z| z, the call before", lambda z, y: z * y, torch.abs, "before", cplx(4)),
    ):
        yield Case("stale buffer", name, lambda x, f=f, of=of: f(x, of(x)), (x,), lambda f=f, of=of, keep=keep: kept(f, keep, of))


def incoming():
    """A backward pass must be linear in the incoming gradient. These are correct only for some incoming gradients."""
    def in_place(dw):
        dw *= torch.linspace(0.5, 1.5, dw.numel(), dtype=dw.dtype).view(dw.shape)
        return dw

    for name, f, x, corrupt in (
        ("clipped at 2", torch.sin, real(4), lambda dw: dw.clamp(-2, 2)),
        ("clipped at 100", torch.tanh, real(4), lambda dw: dw.clamp(-100, 100)),
        ("norm clipped at 10", torch.exp, real(4), lambda dw: dw * (10 / dw.norm()).clamp(max=1)),
        ("small ones dropped", torch.sin, real(4), lambda dw: torch.where(dw.abs() < 1e-2, torch.zeros_like(dw), dw)),
        ("a constant added", torch.cos, real(4), lambda dw: dw + 1e-6),
        ("a square added", torch.square, real(4), lambda dw: dw + 1e-6 * dw * dw.abs()),
        ("saturates", F.softplus, real(4), lambda dw: 50 * torch.tanh(dw / 50)),
        ("modulus clipped at 2", lambda z: z * z, cplx(4), lambda dw: dw / (dw.abs() / 2).clamp(min=1)),
        ("changed in place", torch.tanh, real(4), in_place),
    ):
        yield with_mistake("incoming gradient", name, lambda x, m, f=f: m(f(x)), (x,), corrupt)
