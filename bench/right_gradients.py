"""Random functions of NumPy arrays with their right gradients, at many points each: does the judge accuse one?

  PYTHONPATH=build/python /usr/bin/python3 bench/right_gradients.py [--functions 300] [--points 300] [--seed 0] [--verbose]

A function is a random chain of operations with a hand-written backward pass. A gradient is right if it is the derivative where there is
one, and a limit of derivatives nearby where there is a kink. The points are those of argand.check(..., points=N): zeros, ties, kinks, scales
from 1e-100 to 1e100. Wrong verdicts are printed, and the exit status is how many.
"""
import argparse
import time

import argand
import numpy as np


def times(g, d):
    """g d, and 0 where nothing comes in: a saturated function has gradient 0, whatever is before it."""
    return np.where(g == 0, 0, g * d)


def side(x, b):
    """x, and where it is at a kink at 0 the side on which the point beside lies."""
    return np.where(x == 0, b, x)


# name: (value, the gradient by x from the incoming one and from what x is at a point beside, which decides at ties); of real arrays
REAL = {
    "sin": (np.sin, lambda x, g, b: times(g, np.cos(x))),
    "tanh": (np.tanh, lambda x, g, b: times(g, 1 - np.tanh(x) ** 2)),
    "arctan": (np.arctan, lambda x, g, b: times(g, 1 / (1 + x * x))),
    "softplus": (lambda x: np.logaddexp(0, x), lambda x, g, b: times(g, 1 / (1 + np.exp(-x)))),
    "sigmoid": (lambda x: 1 / (1 + np.exp(-x)), lambda x, g, b: times(g, np.exp(-np.logaddexp(0, -x) - np.logaddexp(0, x)))),
    "gauss": (lambda x: np.exp(-x * x), lambda x, g, b: times(g, -2 * times(np.exp(-x * x), x))),
    "sqrt(1 + x^2)": (lambda x: np.hypot(1, x), lambda x, g, b: times(g, x / np.hypot(1, x))),
    "square": (lambda x: x * x, lambda x, g, b: times(g, 2 * x)),
    "cube": (lambda x: x * x * x, lambda x, g, b: times(g, 3 * x * x)),
    "softsign": (lambda x: x / (1 + np.abs(x)), lambda x, g, b: times(g, 1 / (1 + np.abs(x)) / (1 + np.abs(x)))),
    "relu": (lambda x: np.maximum(x, 0), lambda x, g, b: np.where(side(x, b) > 0, g, 0)),
    "abs": (np.abs, lambda x, g, b: g * np.sign(side(x, b))),
    "leaky": (lambda x: np.where(x > 0, x, 0.1 * x), lambda x, g, b: np.where(side(x, b) > 0, g, 0.1 * g)),
    "clip": (lambda x: np.clip(x, -1, 1), lambda x, g, b: np.where(np.abs(np.where(np.abs(x) == 1, b, x)) < 1, g, 0)),
    "flip": (lambda x: x[::-1], lambda x, g, b: g[::-1]),
    "cumsum": (np.cumsum, lambda x, g, b: np.cumsum(g[::-1])[::-1]),
    "sort": (np.sort, lambda x, g, b: g[np.argsort(np.lexsort((b, x)))]),
    "times its neighbour": (lambda x: x * np.roll(x, 1), lambda x, g, b: times(g, np.roll(x, 1)) + np.roll(times(g, x), -1)),
    "minus the mean": (lambda x: x - np.mean(x), lambda x, g, b: g - np.mean(g)),
    "softmax": (lambda x: np.exp(x - np.max(x)) / np.sum(np.exp(x - np.max(x))), lambda x, g, b: _softmax_vjp(x, g)),
}
# Of complex arrays; gradients are dL/dx + i dL/dy.
COMPLEX = {
    "square": (lambda z: z * z, lambda z, g, b: times(g, 2 * np.conj(z))),
    "conj": (np.conj, lambda z, g, b: np.conj(g)),
    "turn": (lambda z: (0.6 + 0.8j) * z, lambda z, g, b: (0.6 - 0.8j) * g),
    "times |z|^2": (lambda z: z * (z.real**2 + z.imag**2), lambda z, g, b: times(g, 2 * (z.real**2 + z.imag**2)) + times(np.conj(g), z * z)),
    "times its neighbour": (lambda z: z * np.roll(z, 1), lambda z, g, b: times(g, np.conj(np.roll(z, 1))) + np.roll(times(g, np.conj(z)), -1)),
    "fft": (np.fft.fft, lambda z, g, b: g.size * np.fft.ifft(g)),
    "phase": (lambda z: np.exp(1j * z.real), lambda z, g, b: (np.conj(g) * 1j * np.exp(1j * z.real)).real + 0j),
    "softsign": (lambda z: z / (1 + np.abs(z)), lambda z, g, b: _softsign_vjp(z, g)),
}
# From complex to real.
DOWN = {
    "|z|": (np.abs, lambda z, g, b: times(g, side(z, b) / np.maximum(np.abs(side(z, b)), 1e-300))),
    "|z|^2": (lambda z: z.real**2 + z.imag**2, lambda z, g, b: times(g, 2 * z)),
    "re": (lambda z: z.real.copy(), lambda z, g, b: g.astype(complex)),
    "im": (lambda z: z.imag.copy(), lambda z, g, b: 1j * g),
    "re im": (lambda z: z.real * z.imag, lambda z, g, b: times(g, z.imag) + 1j * times(g, z.real)),
}


def _softsign_vjp(z, g):
    r = np.abs(z)
    unit = np.where(r == 0, 0, z / np.where(r == 0, 1, r))
    return g / (1 + r) - unit * (np.conj(g) * unit).real * (r / (1 + r)) / (1 + r)


def _softmax_vjp(x, g):
    y = REAL["softmax"][0](x)
    return y * (g - np.sum(y * g))


class Random:
    """A chain of operations, and a weighted sum at the end."""

    def __init__(self, rng):
        self.is_complex = rng.random() < 0.4
        size = int(rng.integers(1, 6))
        parts = []
        if self.is_complex:
            parts += [("complex", COMPLEX, name) for name in rng.choice(list(COMPLEX), rng.integers(0, 3))]
            parts += [("down", DOWN, rng.choice(list(DOWN)))]
        parts += [("real", REAL, name) for name in rng.choice(list(REAL), rng.integers(1, 5))]
        self.steps = [(table[name][0], table[name][1]) for _, table, name in parts]
        self.name = " -> ".join(str(name) for _, _, name in parts)
        self.weights = rng.uniform(0.5, 1.5, size) * rng.choice([-1, 1], size)
        self.x = rng.standard_normal(size) + (1j * rng.standard_normal(size) if self.is_complex else 0)
        self.step = self.weights * (1 + 0.5j if self.is_complex else 1)
        self.__name__ = self.name

    def __call__(self, x):
        if not self.is_complex and np.iscomplexobj(x):
            raise TypeError("real numbers only")
        for value, _ in self.steps:
            x = value(x)
        return np.sum(self.weights * x)

    def gradient(self, x):
        points, beside = [x], [x + 1e-7 * (1 + np.abs(x)) * self.step]
        for value, _ in self.steps:
            points.append(value(points[-1]))
            beside.append(value(beside[-1]))
        g = self.weights
        for (_, vjp), x, b in zip(reversed(self.steps), reversed(points[:-1]), reversed(beside[:-1])):
            g = vjp(x, g, b)
        return g


def judged(functions, points, seed, verbose=False):
    """How often each verdict was given at a point, and the results that accuse."""
    counts, accused = {}, []
    for k in range(functions):
        f = Random(np.random.default_rng([seed, k]))
        result = argand.check(f, f.gradient, f.x, points=points, seed=seed + k)
        if result.verdict == "fail":
            accused.append((k, result))
            continue
        for part in next(note for note in result.notes if " points: " in note).split(": ", 1)[1].split(", "):
            n, what = part.split(" ", 1)
            counts[what] = counts.get(what, 0) + int(n)
        if verbose:
            print(k, f.name, result.notes, flush=True)
    return counts, accused


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--functions", type=int, default=300)
    parser.add_argument("--points", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    begin = time.perf_counter()
    counts, accused = judged(options.functions, options.points, options.seed, options.verbose)
    for k, result in accused:
        print(f"function {k}: {result}\n")
    said = ", ".join(f"{n} {what}" for what, n in sorted(counts.items()))
    print(f"{options.functions} right gradients, {options.points} points each: {len(accused)} accused; {said}; {time.perf_counter() - begin:.0f} s")
    raise SystemExit(min(len(accused), 125))
