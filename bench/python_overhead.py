"""What a step of small tensors costs in Python, here and in PyTorch: scalars, and a network of two layers of 16, with backward passes.

  PYTHONPATH=build/python OPENBLAS_NUM_THREADS=1 /usr/bin/python3 bench/python_overhead.py

One thread each, in turns; the medians of seven rounds, and of their ratios.
"""
import statistics
import time

import argand as ag
import numpy as np
import torch

torch.set_num_threads(1)
ag.set_num_threads(1)
NUMBERS = np.random.default_rng(0)
X, Y = NUMBERS.standard_normal((16, 16)), NUMBERS.standard_normal((16, 1))
WEIGHTS = [NUMBERS.standard_normal((16, 16)), np.zeros(16), NUMBERS.standard_normal((1, 16)), np.zeros(1)]


def variables(library, values):
    return [ag.variable(v) if library is ag else torch.tensor(v, dtype=torch.float64, requires_grad=True) for v in values]


def scalars(library, steps):
    x, y = variables(library, [1.5, 0.5])
    for _ in range(steps):
        ((x * y + x * x - y / x) * 2.0).backward()
        x.grad = y.grad = None


def network(library, steps):
    parameters = variables(library, WEIGHTS)
    x, y = (ag.constant(X), ag.constant(Y)) if library is ag else (torch.tensor(X), torch.tensor(Y))
    linear = ag.linear if library is ag else torch.nn.functional.linear
    for _ in range(steps):
        h = library.tanh(linear(x, *parameters[:2]))
        ((linear(h, *parameters[2:]) - y) ** 2).mean().backward()
        for p in parameters:
            p.grad = None


def seconds(f, library, steps=300):
    begin = time.perf_counter()
    f(library, steps)
    return (time.perf_counter() - begin) / steps


for f in (scalars, network):
    seconds(f, ag), seconds(f, torch)
    rounds = [(seconds(f, ag), seconds(f, torch)) for _ in range(7)]
    ours, theirs = (statistics.median(r[k] for r in rounds) * 1e6 for k in (0, 1))
    print(f"{f.__name__:8} {ours:6.1f} us a step, PyTorch {theirs:6.1f} us, ratio {statistics.median(a / b for a, b in rounds):.2f}")
