"""Compares values and gradients of every op of op_cases.py from two builds, for example for two processors.

  two_builds.py ONE.npz OTHER.npz      files that op_parity wrote from the same inputs

Fails if an array differs by more than 1e-12 of its largest element.
"""
import sys

import numpy

BAR = 1e-12


def distance(a, b):
    """The largest difference between two arrays, relative to the largest element of b if that exceeds 1."""
    if a.shape != b.shape:
        return numpy.inf
    return numpy.max(numpy.abs(a - b), initial=0) / max(1.0, numpy.max(numpy.abs(b), initial=0))


def distances(one, other):
    """Returns {name: distance} for the arrays of `one`, infinite for those that `other` lacks, and how many are bitwise equal."""
    bits = sum(name in other and numpy.array_equal(other[name], a, equal_nan=True) for name, a in one.items())
    return {name: distance(other[name], a) if name in other else numpy.inf for name, a in one.items()}, bits


def main():
    one, other = (dict(numpy.load(path)) for path in sys.argv[1:3])
    if not one or one.keys() != other.keys():
        sys.exit(f"{sys.argv[1]} has {len(one)} arrays, {sys.argv[2]} has {len(other)}; names or numbers do not match")
    off, bits = distances(one, other)
    wrong = [f"{name} differs by {d:.1e}" for name, d in off.items() if not d <= BAR]
    print(*wrong, f"{len(one)} arrays: {bits} are bitwise equal, {len(wrong)} differ by more than {BAR:.0e}; the largest difference is {max(off.values()):.1e}",
          sep="\n")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
