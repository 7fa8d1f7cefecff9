"""Mistakes in formulas: conjugates, factors, lost terms, kinks, one element among many. Also noise, which is not a mistake."""
import torch
from torch.nn import functional as F

from .case import Case, cplx, planted, real


def conjugated():
    """A gradient derived in JAX's convention."""
    A = cplx(3, 3)
    for name, f, x in (
        ("exp", torch.exp, cplx(4)),
        ("sin", torch.sin, cplx(4)),
        ("tanh", torch.tanh, cplx(4) * 0.6),
        ("square", lambda z: z * z, cplx(5)),
        ("reciprocal", torch.reciprocal, cplx(4)),
        ("sqrt", torch.sqrt, cplx(4)),
        ("log", torch.log, cplx(4)),
        ("matmul", lambda z: z @ A, cplx(2, 3)),
        ("fft", torch.fft.fft, cplx(8)),
        ("inv", torch.linalg.inv, cplx(3, 3) + 3 * torch.eye(3)),
        ("abs2", lambda z: (z * z.conj()).real, cplx(5)),
        ("modrelu", lambda z: z / z.abs() * F.softplus(z.abs() - 0.5), cplx(5)),
    ):
        yield planted("conjugate", name, f, (x,), corrupt=lambda g, x: g.conj())


def factors():
    for name, f, x, factor in (
        ("tanh", torch.tanh, real(6), 2.0),
        ("softmax", lambda x: F.softmax(x, -1), real(2, 5), 0.5),
        ("gelu", F.gelu, real(6), 1.0005),
        ("logsumexp", lambda x: torch.logsumexp(x, -1), real(3, 4), -1.0),
        ("layer_norm", lambda x: F.layer_norm(x, (6,)), real(2, 6), 6 / 5),
        ("conv1d", lambda x, w: F.conv1d(x, w), (real(1, 2, 8), real(3, 2, 3)), 3.0),
        ("bmm", torch.bmm, (real(2, 2, 3), real(2, 3, 2)), 0.5),
        ("cholesky", lambda x: torch.linalg.cholesky(x @ x.T + torch.eye(3, dtype=x.dtype)), real(3, 3), 2.0),
        ("erf", torch.erf, real(6), 0.886226925452758),
        ("lgamma", torch.lgamma, real(5) + 3, 1.0001),
        ("std", lambda x: x.std(), real(50), 49 / 50),
        ("fft of a real signal", torch.fft.rfft, real(8), 2.0),
    ):
        yield planted("factor", name, f, x if isinstance(x, tuple) else (x,), corrupt=lambda g, x, factor=factor: factor * g)


def lost_terms():
    """The product rule without one of its terms; `d` detaches the factor whose term is lost."""
    d = torch.Tensor.detach
    mask = torch.ones(5, 5).tril().bool()

    def attention(x, keys=lambda t: t):
        return F.softmax((x @ keys(x).T).masked_fill(~mask, float("-inf")), -1) @ x

    def normalised(x, size=lambda t: t):
        return x / size(x.norm())

    def batch_norm(x, mean=lambda t: t, var=lambda t: t):
        return (x - mean(x.mean(0))) / torch.sqrt(var(x.var(0, unbiased=False)) + 1e-5)

    for name, f, taught, x in (
        ("silu", lambda x: x * torch.sigmoid(x), lambda x: x * d(torch.sigmoid(x)), real(6)),
        ("x sin x", lambda x: x * torch.sin(x), lambda x: d(x) * torch.sin(x), real(6)),
        ("x^x", lambda x: x**x, lambda x: x ** d(x), real(5).abs() + 0.5),
        ("normalise", normalised, lambda x: normalised(x, d), real(6)),
        ("attention", attention, lambda x: attention(x, d), real(5, 3)),
        ("batch norm, mean", batch_norm, lambda x: batch_norm(x, mean=d), real(6, 2)),
        ("batch norm, variance", batch_norm, lambda x: batch_norm(x, var=d), real(6, 2)),
        ("log_softmax", lambda x: F.log_softmax(x, -1), lambda x: x - d(torch.logsumexp(x, -1, keepdim=True)), real(2, 5)),
        ("quadratic form", lambda x: x @ x.T, lambda x: x @ d(x).T, real(3, 3)),
        ("|z| z", lambda z: z.abs() * z, lambda z: d(z.abs()) * z, cplx(5)),
        ("z^2 conj(z)", lambda z: z * z * z.conj(), lambda z: z * z * d(z.conj()), cplx(5)),
        ("a small term", lambda x: torch.sin(x) + 1e-4 * torch.cos(5 * x), lambda x: torch.sin(x) + 1e-4 * d(torch.cos(5 * x)), real(6)),
    ):
        yield planted("lost term", name, f, (x,), taught=taught)


def kinks():
    """Wrong only at the kink: a slope that is neither of the one-sided ones. The correct gradient is PyTorch's own."""
    at_zero = torch.tensor([0.7, 0.0, -1.1, 0.3], dtype=torch.double)
    at_one = torch.tensor([0.7, 1.0, -1.1, 0.3], dtype=torch.double)
    for name, f, x, kink in (
        ("relu", F.relu, at_zero, 0.0),
        ("abs", torch.abs, at_zero, 0.0),
        ("leaky_relu", F.leaky_relu, at_zero, 0.0),
        ("hardtanh", F.hardtanh, at_one, 1.0),
        ("clamp", lambda x: x.clamp(max=1.0), at_one, 1.0),
        ("softshrink", lambda x: F.softshrink(x, 1.0), at_one, 1.0),
        ("hinge", lambda x: F.relu(1 - x).sum(), at_one, 1.0),
        ("elu, alpha 2", lambda x: F.elu(x, 2.0), at_zero, 0.0),
    ):
        yield planted("wrong at a kink", name, f, (x,), corrupt=lambda g, x, kink=kink: torch.where(x == kink, 2.5 * torch.ones_like(g), g))


def one_element():
    """The last of many elements is wrong by one percent or completely, as when a loop skips its tail."""

    def tail(share):
        def corrupt(g, x):
            g = g.clone()
            g.view(-1)[-1] *= 1 - share
            return g

        return corrupt

    for name, f, x, share in (
        ("sin, 100", torch.sin, real(100), 0.01),
        ("exp, 500", torch.exp, real(500), 0.001),
        ("dot product, 500", lambda x: x @ x.flip(0), real(500), 0.01),
        ("logsumexp, 500", lambda x: torch.logsumexp(x, 0), real(500), 1.0),
        ("mean of squares, 1000", lambda x: (x * x).mean(), real(1000), 1.0),
        ("norm, 1000", lambda x: x.norm(), real(1000), 0.1),
        ("|z|, 200", torch.abs, cplx(200), 0.01),
        ("cumsum, 64", lambda x: torch.cumsum(x, 0), real(64), 0.001),
    ):
        yield planted("wrong for one element", name, f, (x,), corrupt=tail(share))


class Rounded(torch.autograd.Function):
    """f computed inexactly, with the gradient of the exact function."""

    @staticmethod
    def forward(ctx, f, exact, x):
        ctx.exact = exact
        ctx.save_for_backward(x)
        return f(x)

    @staticmethod
    def backward(ctx, dw):
        x = ctx.saved_tensors[0].detach().requires_grad_()
        with torch.enable_grad():
            return None, None, torch.autograd.grad(ctx.exact(x), x, dw)[0]


def noise():
    """Only the last digits of the value are wrong."""

    def in_single(f):
        return lambda x: f(x.float()).double()

    def halving(x):  # the square root, accurate to 1e-9
        low, high = torch.zeros_like(x), 1 + x
        for _ in range(31):
            middle = (low + high) / 2
            low, high = torch.where(middle**2 < x, middle, low), torch.where(middle**2 < x, high, middle)
        return (low + high) / 2

    A = real(4, 4)
    for name, exact, f, x in (
        ("tanh in float32", torch.tanh, in_single(torch.tanh), real(6)),
        ("softmax in float32", lambda x: F.softmax(x, -1), in_single(lambda x: F.softmax(x, -1)), real(2, 5)),
        ("matmul in float32", lambda x: x @ A, in_single(lambda x: x @ A.float()), real(3, 4)),
        ("exp in float32", torch.exp, in_single(torch.exp), real(6)),
        ("sum of squares in float32", lambda x: (x * x).sum(), in_single(lambda x: (x * x).sum()), real(100)),
        ("sin to seven digits", torch.sin, lambda x: torch.round(torch.sin(x) * 1e7) / 1e7, real(6)),
        ("a small wave", torch.exp, lambda x: torch.exp(x) + 1e-9 * torch.sin(1e15 * x), real(6)),
        ("square root by halving", torch.sqrt, halving, real(6).abs() + 0.5),
    ):
        yield Case("noise only", name, lambda x, f=f, exact=exact: Rounded.apply(f, exact, x), (x,), None)
