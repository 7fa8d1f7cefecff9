"""Sixty functions of PyTorch, with mistakes planted in their gradients and without, before three judges.

  PYTHONPATH=build/python /usr/bin/python3 bench/gradcheck_battery.py [--short] [--verbose]

The judges are argand.check_torch and torch.autograd.gradcheck in its default and its fast mode, each with its own defaults. A mistake is
caught or missed; a right gradient passes or is falsely accused. (argand may also say "inconclusive": that is no accusation, and of a
mistake it is a miss.)
"""
import argparse
import dataclasses
import sys
import time
import warnings

import torch
from torch.nn import functional as F

import argand

torch.manual_seed(0)


def real(*shape):
    return torch.rand(shape, dtype=torch.double) * 3 - 1.5


def cplx(*shape):
    """Moduli from 0.3 to 1.5, away from the negative axis."""
    return torch.polar(0.3 + 1.2 * torch.rand(shape, dtype=torch.double), (torch.rand(shape, dtype=torch.double) * 2 - 1) * 2.8)


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


@dataclasses.dataclass
class Case:
    kind: str
    name: str
    f: object
    x: tuple
    taught: object = None  # whose gradient is given instead, where it is not f's own
    spoil: object = None  # what becomes of the gradient, of (gradient, x); None: there is no mistake

    def right(self, *x):
        return self.f(*x)

    def wrong(self, *x):
        return Planted.apply(self.f, self.taught or self.f, self.spoil or (lambda g, x: g), *x)


def conjugated():
    """As an op would come out of a derivation in JAX's convention."""
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
        yield Case("conjugate", name, f, (x,), spoil=lambda g, x: g.conj())


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
        yield Case("factor", name, f, x if isinstance(x, tuple) else (x,), spoil=lambda g, x, factor=factor: factor * g)


def lost_terms():
    """The product rule with one of its terms; `d` is the detached share."""
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
        yield Case("lost term", name, f, (x,), taught=taught)


def kinks():
    """Wrong at the kink and nowhere else: no slope between the two that are there. The right gradient is PyTorch's own."""
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
        yield Case("wrong at a kink", name, f, (x,), spoil=lambda g, x, kink=kink: torch.where(x == kink, 2.5 * torch.ones_like(g), g))


def one_element():
    """The last of many elements, as by a loop that forgets its tail; by a percent of it, or all."""

    def tail(share):
        def spoil(g, x):
            g = g.clone()
            g.view(-1)[-1] *= 1 - share
            return g

        return spoil

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
        yield Case("wrong for one element", name, f, (x,), spoil=tail(share))


class Rounded(torch.autograd.Function):
    """f computed in another way than exactly, with the gradient of the exact one."""

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
    """Nothing wrong but the last digits of the value."""

    def in_single(f):
        return lambda x: f(x.float()).double()

    def halving(x):  # the square root, to a billionth
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
        yield Case("noise only", name, lambda x, f=f, exact=exact: Rounded.apply(f, exact, x), (x,))


def all_cases():
    return [*conjugated(), *factors(), *lost_terms(), *kinks(), *one_element(), *noise()]


def by_argand(f, x):
    return argand.check_torch(f, *x).verdict


def by_torch(fast):
    def verdict(f, x):
        x = tuple(t.clone().requires_grad_() for t in x)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                return "pass" if torch.autograd.gradcheck(f, x, raise_exception=False, fast_mode=fast) else "fail"
            except Exception:  # it raises for some of what it does not like even so
                return "fail"

    return verdict


JUDGES = {"argand": by_argand, "torch": by_torch(False), "torch, fast": by_torch(True)}


@dataclasses.dataclass
class Tally:
    caught: int = 0
    missed: int = 0
    accused: int = 0
    inconclusive: int = 0  # of right gradients
    seconds: float = 0.0


def judged(cases, verbose=False):
    """For each judge and kind of mistake, what became of it."""
    tallies = {judge: {} for judge in JUDGES}
    for case in cases:
        for judge, verdict in JUDGES.items():
            tally = tallies[judge].setdefault(case.kind, Tally())
            begin = time.perf_counter()
            right = verdict(case.right, case.x)
            wrong = None if case.kind == "noise only" else verdict(case.wrong, case.x)
            tally.seconds += time.perf_counter() - begin
            tally.accused += right == "fail"
            tally.inconclusive += right == "inconclusive"
            tally.caught += wrong == "fail"
            tally.missed += wrong is not None and wrong != "fail"
            if verbose:
                print(f"{case.kind:<22} {case.name:<26} {judge:<12} right: {right:<13} planted: {wrong}")
    return tallies


def table(tallies, cases):
    kinds = list(dict.fromkeys(case.kind for case in cases))
    lines = [f"{'':<28}" + "".join(f"{judge:>24}" for judge in JUDGES),
             f"{'mistake':<22}{'cases':>6}" + "".join(f"{'caught missed accused':>24}" for _ in JUDGES)]

    def row(name, count, parts):
        cells = "".join(f"{t.caught:>9}{t.missed:>7}{t.accused:>8}" for t in parts)
        return f"{name:<22}{count:>6}" + cells

    for kind in kinds:
        lines.append(row(kind, sum(case.kind == kind for case in cases), [tallies[judge][kind] for judge in JUDGES]))
    sums = []
    for judge in JUDGES:
        parts = tallies[judge].values()
        sums.append(Tally(*(sum(getattr(t, field.name) for t in parts) for field in dataclasses.fields(Tally))))
    lines.append(row("all", len(cases), sums))
    lines.append(f"{'seconds':<28}" + "".join(f"{t.seconds:>24.1f}" for t in sums))
    lines.append(f"right gradients of which argand says that it cannot tell: {sums[0].inconclusive}")
    return "\n".join(lines), sums[0]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true", help="every third function")
    parser.add_argument("--verbose", action="store_true", help="a line for each verdict")
    options = parser.parse_args()
    cases = all_cases()[:: 3 if options.short else 1]
    text, ours = table(judged(cases, options.verbose), cases)
    print(text)
    sys.exit(1 if ours.missed or ours.accused else 0)
