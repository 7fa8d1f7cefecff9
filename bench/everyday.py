"""Compares the time for value and gradient of everyday ops on float32 and complex64 in argand and in PyTorch.

  PYTHONPATH=build/python /usr/bin/python3 bench/everyday.py [--size 1000] [--threads 2] [--rounds 5] [--only NAME]

A case takes size x size reals, or half as many complex numbers. In each of the --rounds both libraries compute it in turn; times are
medians, and so is the ratio. Both backward passes start from the sum of the result, or of its squared moduli if it is complex.
Needs a Python with PyTorch (Debian: python3-torch).
"""
import argparse
import statistics
import time

import argand as ag
import numpy as np
import torch
import torch.nn.functional as F

NUMBERS = np.random.default_rng(0)


def cases(n):
    """Each op: its inputs, and it in argand and in PyTorch; one function if both spell it alike."""

    def real(*shape):
        return NUMBERS.standard_normal(shape).astype(np.float32)

    def pairs(*shape):
        return (real(*shape) + 1j * real(*shape)).astype(np.complex64)

    x, y, row, column = real(n, n), real(n, n), real(n), real(n, 1)
    positive, z, w = np.abs(x) + np.float32(0.1), pairs(n, n // 2), pairs(n, n // 2)
    three, index, mask = real(10, n // 10, n), NUMBERS.integers(0, n, n), y > 0
    of_both = [
        ("x + y", (x, y), lambda a, b: a + b), ("x y", (x, y), lambda a, b: a * b), ("x / y", (x, positive), lambda a, b: a / b),
        ("2.5 x", (x,), lambda a: 2.5 * a), ("x + row", (x, row), lambda a, b: a + b), ("x · row", (x, row), lambda a, b: a * b),
        ("x · column", (x, column), lambda a, b: a * b), ("x ** 2", (x,), lambda a: a**2), ("x ** 3", (x,), lambda a: a**3),
        ("x ** 2.5", (positive,), lambda a: a**2.5), ("1 / x", (positive,), lambda a: 1 / a), ("|x|", (x,), abs),
        ("z + w", (z, w), lambda a, b: a + b), ("z w", (z, w), lambda a, b: a * b), ("z / w", (z, w), lambda a, b: a / b),
        ("z ** 2", (z,), lambda a: a**2), ("|z|", (z,), abs),
        ("x @ y", (x, y), lambda a, b: a @ b), ("sum", (x,), lambda a: a.sum()), ("sum, axis 0", (x,), lambda a: a.sum(0)),
        ("sum, axis 1", (x,), lambda a: a.sum(1)), ("sum, middle axis", (three,), lambda a: a.sum(1)), ("mean, axis 1", (x,), lambda a: a.mean(1)),
        ("x[:, :n/2]", (x,), lambda a: a[:, : n // 2]), ("x[indices]", (x,), lambda a: a[index]),
    ]
    by_name = [
        *[(name, (x,)) for name in ("exp", "sin", "cos", "tanh", "tan", "sinh", "expm1", "erf", "sigmoid", "relu")],
        *[(name, (positive,)) for name in ("log", "log1p", "sqrt")],
        *[(f"{name} z", (z,)) for name in ("exp", "log", "sqrt", "sin", "tanh", "angle")],
        ("atan2", (x, y)), ("polar", (positive, x)), ("maximum", (x, y)),
    ]
    of_each = [
        ("complex", (x, y), ag.make_complex, torch.complex), ("real", (z,), ag.real, lambda a: a.real),
        ("conj(z) w", (z, w), lambda a, b: ag.conj(a) * b, lambda a, b: a.conj() * b),
        ("transpose(x) y", (x, y), lambda a, b: ag.transpose(a, 0, 1) * b, lambda a, b: a.T * b),
        ("permute", (three,), lambda a: ag.permute(a, (2, 0, 1)), lambda a: a.permute(2, 0, 1).contiguous()),
        ("concatenate", (x, y), lambda a, b: ag.concatenate([a, b], 1), lambda a, b: torch.cat([a, b], 1)),
        ("stack", (x, y), lambda a, b: ag.stack([a, b], 0), lambda a, b: torch.stack([a, b], 0)),
        ("roll", (x,), lambda a: ag.roll(a, 5, 1), lambda a: torch.roll(a, 5, 1)), ("flip", (x,), lambda a: ag.flip(a, 1), lambda a: torch.flip(a, (1,))),
        ("clamp", (x,), lambda a: ag.clamp(a, -1, 1), lambda a: torch.clamp(a, -1, 1)),
        ("where", (x, y), lambda a, b: ag.where(mask, a, b), lambda a, b: torch.where(torch.from_numpy(mask), a, b)),
        ("softmax", (x,), lambda a: ag.softmax(a), lambda a: torch.softmax(a, -1)), ("log_softmax", (x,), lambda a: ag.log_softmax(a), lambda a: torch.log_softmax(a, -1)),
        ("logsumexp", (x,), lambda a: ag.logsumexp(a, 1), lambda a: torch.logsumexp(a, 1)), ("gelu", (x,), ag.gelu, F.gelu), ("silu", (x,), ag.silu, F.silu),
        ("softplus", (x,), ag.softplus, F.softplus), ("variance", (x,), lambda a: ag.variance(a, 1), lambda a: torch.var(a, 1, unbiased=False)),
        ("amax", (x,), lambda a: ag.amax(a, 1), lambda a: torch.amax(a, 1)), ("cumsum", (x,), lambda a: ag.cumsum(a, 1), lambda a: torch.cumsum(a, 1)),
        ("prod", (positive,), lambda a: ag.prod(a, 1), lambda a: torch.prod(a, 1)),
        ("cross_entropy", (x,), lambda a: ag.cross_entropy(a, index), lambda a: F.cross_entropy(a, torch.from_numpy(index))),
    ]
    for name, inputs, f in of_both:
        yield name, inputs, f, f
    for name, inputs in by_name:
        yield name, inputs, getattr(ag, name.split()[0]), getattr(torch, name.split()[0])
    yield from of_each


def seconds(library, inputs, f):
    """One value and gradient; variables are created outside of the time."""
    variables = [ag.variable(a) if library is ag else torch.tensor(a, requires_grad=True) for a in inputs]
    begin = time.perf_counter()
    y = f(*variables)
    if "complex" in str(y.dtype):
        y = ag.abs2(y) if library is ag else y.real**2 + y.imag**2
    y.sum().backward()
    return time.perf_counter() - begin


def median_seconds(library, inputs, f):
    times, end = [], time.perf_counter() + 0.15
    while len(times) < 6 or time.perf_counter() < end:
        times.append(seconds(library, inputs, f))
    return statistics.median(times[1:])


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--size", type=int, default=1000)
    ap.add_argument("--threads", type=int, default=2)
    ap.add_argument("--rounds", type=int, default=5)
    ap.add_argument("--only", default="", help="run only cases whose names contain this text")
    a = ap.parse_args()
    torch.set_num_threads(a.threads)
    ag.set_num_threads(a.threads)
    print(f"{a.threads} threads, {a.size} x {a.size} float32, {a.rounds} rounds; value and gradient\n{'':18}{'argand':>12}{'PyTorch':>12}{'ratio':>8}")
    ratios = []
    for name, inputs, ours, theirs in cases(a.size):
        if a.only not in name:
            continue
        rounds = [(median_seconds(ag, inputs, ours), median_seconds(torch, inputs, theirs)) for _ in range(a.rounds)]
        own, other = (statistics.median(r[k] for r in rounds) * 1e3 for k in (0, 1))
        ratios.append(statistics.median(r[0] / r[1] for r in rounds))
        print(f"{name:18}{own:9.3f} ms{other:9.3f} ms{ratios[-1]:8.2f}", flush=True)
    print(f"{len(ratios)} cases; ratio: median {statistics.median(ratios):.2f}, above 1 in {sum(r > 1 for r in ratios)}")


if __name__ == "__main__":
    main()
