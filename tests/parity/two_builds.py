"""Compares values and gradients of every op of op_cases.py as two builds compute them, for two processors say.

  two_builds.py ONE.npz OTHER.npz      files that op_parity wrote from the same inputs

Fails if an array differs by more than 1e-12 of its largest element.
"""
import sys

import numpy

BAR = 1e-12

with numpy.load(sys.argv[1]) as file:
    one = dict(file)
with numpy.load(sys.argv[2]) as file:
    other = dict(file)
if not one or one.keys() != other.keys():
    sys.exit(f"{sys.argv[1]} has {len(one)} arrays, {sys.argv[2]} has {len(other)}, or they have other names")
worst, equal, wrong = 0.0, 0, []
for name, expected in one.items():
    if numpy.array_equal(expected, other[name], equal_nan=True):
        equal += 1
        continue
    size = max(1.0, numpy.max(numpy.abs(expected), initial=0))
    off = numpy.max(numpy.abs(other[name] - expected)) / size if expected.shape == other[name].shape else numpy.inf
    worst = max(worst, off)
    if not off <= BAR:
        wrong.append(f"{name} is off by {off:.1e}")
print(*wrong, f"{len(one)} arrays: {equal} have the same bits, {len(wrong)} differ by more than {BAR:.0e}; at most {worst:.1e}", sep="\n")
sys.exit(1 if wrong else 0)
