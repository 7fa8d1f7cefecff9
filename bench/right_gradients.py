"""Checks random functions of NumPy arrays with correct gradients at many points: is any of them accused?

  PYTHONPATH=build/python /usr/bin/python3 bench/right_gradients.py [--functions 300] [--points 300] [--first 0] [--seed 0]
                                                                    [--verbose]

A function is a random chain of operations in doubles with a hand-written backward pass, both in doubles and in 60 digits (mpmath).
The two differ where rounding decides: sqrt(1 + x^2) is the same double for 5e-12 and for 0, and a sort that follows may put them in
either order. One is the gradient of the chain, the other that of its values in doubles; both are correct. So if the first is
accused, the second is checked as well, and only accusing both is an error, unless rounding to doubles changes f by more than a
millionth at that point: softmax of |z|^3 at 2e4 is a staircase, and no gradient fits its values. A gradient is correct if it is the
derivative, or at a kink a limit of derivatives nearby. The points are those of argand.check(..., points=N): zeros, ties, kinks,
scales from 1e-100 to 1e100. Prints wrong verdicts; the exit status is their number.
"""
import argparse
import time

import argand
import mpmath
import numpy as np

mpmath.mp.dps = 60


def either(of_doubles, of_digits):
    """A function that accepts arrays of doubles and arrays of mpmath's numbers."""
    return lambda x: np.array([of_digits(v) for v in x], dtype=object) if x.dtype == object else of_doubles(x)


sin, cos, tanh, arctan, exp = (either(getattr(np, name), getattr(mpmath, {"arctan": "atan"}.get(name, name))) for name in ("sin", "cos", "tanh", "arctan", "exp"))
re, im = either(lambda z: z.real.copy(), mpmath.re), either(lambda z: z.imag.copy(), mpmath.im)
conj, sign = either(np.conj, mpmath.conj), either(np.sign, mpmath.sign)
softplus = either(lambda x: np.logaddexp(0, x), lambda x: max(x, mpmath.mpf(0)) + mpmath.log1p(mpmath.exp(-abs(x))))
root = either(lambda x: np.hypot(1, x), lambda x: mpmath.sqrt(1 + x * x))
turned = either(lambda x: np.exp(1j * x), mpmath.expj)


def times(g, d):
    """g times d, but 0 where g is 0: the gradient of a saturated function is 0 regardless of d."""
    return np.where(g == 0, 0 * g, g * d)


def side(x, b):
    """x, with each element at the kink 0 replaced by that of the neighbouring point b."""
    return np.where(x == 0, b, x)


def unit(z):
    return np.where(z == 0, z, z / np.where(z == 0, 1, np.abs(z)))


def order(x, b):
    """For each position after sorting, the index of its element before sorting."""
    return np.array(sorted(range(x.size), key=lambda i: (x[i], b[i])))


def fft(z, sense=-1):
    if z.dtype != object:
        return np.fft.fft(z) if sense < 0 else z.size * np.fft.ifft(z)
    n = z.size
    return np.array([sum(z[k] * mpmath.expjpi(mpmath.mpf(sense * 2 * j * k) / n) for k in range(n)) for j in range(n)], dtype=object)


# For real arrays, name: (value, gradient). The gradient takes x, the incoming gradient, and a neighbouring point, which breaks ties.
REAL = {
    "sin": (sin, lambda x, g, b: times(g, cos(x))),
    "tanh": (tanh, lambda x, g, b: times(g, 1 - tanh(x) ** 2)),
    "arctan": (arctan, lambda x, g, b: times(g, 1 / (1 + x * x))),
    "softplus": (softplus, lambda x, g, b: times(g, 1 / (1 + exp(-x)))),
    "sigmoid": (lambda x: 1 / (1 + exp(-x)), lambda x, g, b: times(g, exp(-softplus(-x) - softplus(x)))),
    "gauss": (lambda x: exp(-x * x), lambda x, g, b: times(g, -2 * times(exp(-x * x), x))),
    "sqrt(1 + x^2)": (root, lambda x, g, b: times(g, x / root(x))),
    "square": (lambda x: x * x, lambda x, g, b: times(g, 2 * x)),
    "cube": (lambda x: x * x * x, lambda x, g, b: times(g, 3 * x * x)),
    "softsign": (lambda x: x / (1 + np.abs(x)), lambda x, g, b: times(g, 1 / (1 + np.abs(x)) / (1 + np.abs(x)))),
    "relu": (lambda x: np.maximum(x, 0), lambda x, g, b: np.where(side(x, b) > 0, g, 0)),
    "abs": (np.abs, lambda x, g, b: g * sign(side(x, b))),
    "leaky": (lambda x: np.where(x > 0, x, 0.1 * x), lambda x, g, b: np.where(side(x, b) > 0, g, 0.1 * g)),
    "clip": (lambda x: np.clip(x, -1, 1), lambda x, g, b: np.where(np.abs(np.where(np.abs(x) == 1, b, x)) < 1, g, 0)),
    "flip": (lambda x: x[::-1], lambda x, g, b: g[::-1]),
    "cumsum": (np.cumsum, lambda x, g, b: np.cumsum(g[::-1])[::-1]),
    "sort": (np.sort, lambda x, g, b: g[np.argsort(order(x, b))]),
    "times its neighbour": (lambda x: x * np.roll(x, 1), lambda x, g, b: times(g, np.roll(x, 1)) + np.roll(times(g, x), -1)),
    "minus the mean": (lambda x: x - np.mean(x), lambda x, g, b: g - np.mean(g)),
    "softmax": (lambda x: exp(x - np.max(x)) / np.sum(exp(x - np.max(x))), lambda x, g, b: _softmax_vjp(x, g)),
}
# For complex arrays; gradients are dL/dx + i dL/dy.
COMPLEX = {
    "square": (lambda z: z * z, lambda z, g, b: times(g, 2 * conj(z))),
    "conj": (conj, lambda z, g, b: conj(g)),
    "turn": (lambda z: (0.6 + 0.8j) * z, lambda z, g, b: (0.6 - 0.8j) * g),
    "times |z|^2": (lambda z: z * (re(z) ** 2 + im(z) ** 2), lambda z, g, b: times(g, 2 * (re(z) ** 2 + im(z) ** 2)) + times(conj(g), z * z)),
    "times its neighbour": (lambda z: z * np.roll(z, 1), lambda z, g, b: times(g, conj(np.roll(z, 1))) + np.roll(times(g, conj(z)), -1)),
    "fft": (fft, lambda z, g, b: fft(g, 1)),
    "phase": (lambda z: turned(re(z)), lambda z, g, b: re(conj(g) * 1j * turned(re(z)))),
    "softsign": (lambda z: z / (1 + np.abs(z)), lambda z, g, b: _softsign_vjp(z, g)),
}
# From complex to real arrays.
DOWN = {
    "|z|": (np.abs, lambda z, g, b: times(g, unit(side(z, b)))),
    "|z|^2": (lambda z: re(z) ** 2 + im(z) ** 2, lambda z, g, b: times(g, 2 * z)),
    "re": (re, lambda z, g, b: g),
    "im": (im, lambda z, g, b: 1j * g),
    "re im": (lambda z: re(z) * im(z), lambda z, g, b: times(g, im(z)) + 1j * times(g, re(z))),
}


def _softsign_vjp(z, g):
    r = np.abs(z)
    return g / (1 + r) - unit(z) * re(conj(g) * unit(z)) * (r / (1 + r)) / (1 + r)


def _softmax_vjp(x, g):
    y = REAL["softmax"][0](x)
    return y * (g - np.sum(y * g))


def in_digits(x):
    return np.array([mpmath.mpmathify(v) for v in x.tolist()], dtype=object)


def accused_point(result):
    """The point at the end of "fails at point 99 of 300; simplified in 127 more checks: x = [0j, (20000+0j)]"."""
    return np.array(eval(next(note for note in result.notes if note.startswith("fails at")).split("x = ", 1)[1]))  # noqa: S307


class Random:
    """A chain of operations that ends in a weighted sum."""

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

    def is_off(self, x):
        """Whether rounding changes f by more than a millionth."""
        exact = self(in_digits(x))
        return abs(self(x) - exact) > 1e-6 * abs(exact)

    def gradient(self, x, digits=False):
        if digits:
            x = in_digits(x)
        points, beside = [x], [x + 1e-7 * (1 + np.abs(x)) * self.step]
        for value, _ in self.steps:
            points.append(value(points[-1]))
            beside.append(value(beside[-1]))
        g = self.weights.astype(object) if digits else self.weights
        for (_, vjp), x, b in zip(reversed(self.steps), reversed(points[:-1]), reversed(beside[:-1])):
            g = vjp(x, g, b)
        return g.astype(complex if self.is_complex else float)


def judged(functions, points, seed, first=0, verbose=False):
    """How often each verdict was given, and the results that accuse a correct gradient."""
    counts, accused = {}, []
    for k in range(first, first + functions):
        f = Random(np.random.default_rng([seed, k]))
        result = argand.check(f, f.gradient, f.x, points=points, seed=seed + k)
        if result.verdict == "fail":
            result = argand.check(f, lambda x, f=f: f.gradient(x, digits=True), f.x, points=points, seed=seed + k)
        if result.verdict == "fail" and f.is_off(accused_point(result)):
            counts["functions off in doubles"] = counts.get("functions off in doubles", 0) + 1
            print(f"function {k} is inaccurate in doubles, at {accused_point(result).tolist()}: {f.name}", flush=True)
            continue
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
    parser.add_argument("--first", type=int, default=0, help="the number of the first function: several processes can share the work")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    begin = time.perf_counter()
    counts, accused = judged(options.functions, options.points, options.seed, options.first, options.verbose)
    for k, result in accused:
        print(f"function {k}: {result}\n")
    said = ", ".join(f"{n} {what}" for what, n in sorted(counts.items()))
    print(f"{options.functions} correct gradients, {options.points} points each: {len(accused)} accused; {said}; {time.perf_counter() - begin:.0f} s")
    raise SystemExit(min(len(accused), 125))
