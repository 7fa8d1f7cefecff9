"""The overhead of Python: steps with small tensors in argand and in PyTorch, the memory of their graphs, and large ops compared
with C++.

  PYTHONPATH=build/python OPENBLAS_NUM_THREADS=1 /usr/bin/python3 bench/python_overhead.py [--large build/tests/op_parity]

Each runs with one thread, in alternation; prints medians over seven rounds of times and ratios. --large: times value and gradient
of large ops (float64 and complex128) in Python and in that program.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import argand as ag
import numpy as np
import torch

HERE = os.path.dirname(os.path.abspath(__file__))
NUMBERS = np.random.default_rng(0)
X, Y = NUMBERS.standard_normal((16, 16)), NUMBERS.standard_normal((16, 1))
WEIGHTS = [NUMBERS.standard_normal((16, 16)), np.zeros(16), NUMBERS.standard_normal((1, 16)), np.zeros(1)]
# Ops from tests/parity and the shapes of their inputs; r or c: real or complex.
LARGE = (("matmul", "r1000x1000", "r1000x1000"), ("matmul", "c500x500", "c500x500"), ("conv2d", "r8x16x64x64", "r32x16x3x3"), ("fft2", "c512x512"),
         ("log_softmax", "r1000x2000"), ("tan", "r1000000"), ("cumsum", "c1000x500"), ("sort", "r300x1000"))


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


def compare_steps():
    torch.set_num_threads(1)
    ag.set_num_threads(1)
    for f in (scalars, network):
        seconds(f, ag), seconds(f, torch)
        rounds = [(seconds(f, ag), seconds(f, torch)) for _ in range(7)]
        ours, theirs = (statistics.median(r[k] for r in rounds) * 1e6 for k in (0, 1))
        print(f"{f.__name__:8} {ours:6.1f} us per step, PyTorch {theirs:6.1f} us, ratio {statistics.median(a / b for a, b in rounds):.2f}")


def resident():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def graph_bytes(library, n=50000):
    """The memory per recorded op, in a graph of n ops that is kept alive."""
    (x,) = variables(library, [1.5])
    (x * x).backward()
    before, y = resident(), x
    for _ in range(n):
        y = y * x
    return (resident() - before) / n


def compare_memory():
    ours, theirs = (float(subprocess.run([sys.executable, __file__, "--graph", name], check=True, stdout=subprocess.PIPE, text=True).stdout)
                    for name in ("argand", "torch"))
    print(f"a recorded op of scalars keeps {ours:.0f} bytes, PyTorch {theirs:.0f}")


def draw(shape):
    sizes = [int(n) for n in shape[1:].split("x")]
    return NUMBERS.standard_normal(sizes) + (1j * NUMBERS.standard_normal(sizes) if shape[0] == "c" else 0)


def in_python(op, inputs, W):
    """Timed as in op_parity.cpp: for at least half a second, not counting the first pass."""
    sys.path.insert(0, os.path.join(HERE, "..", "tests", "parity"))
    from op_python import ARGAND
    args = {"sort": {"dim": -1, "descending": False}, "cumsum": {"dim": -1}}.get(op, {})
    x, w, times, total = [ag.variable(a) for a in inputs], ag.constant(W), [], 0.0
    while len(times) < 4 or total < 0.5:
        begin = time.perf_counter()
        ARGAND[op](*x, **args).backward(w)
        for v in x:
            v.zero_grad()
        times.append(time.perf_counter() - begin)
        total += times[-1] if len(times) > 1 else 0
    return statistics.median(times[1:])


def compare_large(program):
    arrays, cases = {}, []
    for k, (op, *shapes) in enumerate(LARGE):
        inputs = [draw(shape) for shape in shapes]
        value = {"matmul": lambda a, b: a @ b, "conv2d": lambda a, b: ag.conv2d(a, b).numpy()}.get(op, lambda a: a)(*inputs)
        arrays.update({f"{k}.x{i}": a for i, a in enumerate(inputs)})
        arrays[f"{k}.W"] = draw(("c" if np.iscomplexobj(value) else "r") + "x".join(map(str, value.shape)))
        cases.append({"op": op, "inputs": len(inputs), "args": {}})
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("cases.json", "inputs.npz")]
        with open(paths[0], "w", encoding="utf8") as file:
            json.dump(cases, file)
        np.savez(paths[1], **arrays)
        rounds = []
        for _ in range(3):
            done = subprocess.run([program, "--time", *paths], env={**os.environ, "OMP_NUM_THREADS": "1"}, check=True, stdout=subprocess.PIPE, text=True).stdout
            python = [in_python(c["op"], [arrays[f"{k}.x{i}"] for i in range(c["inputs"])], arrays[f"{k}.W"]) for k, c in enumerate(cases)]
            rounds.append((python, [float(line) for line in done.split()]))
    for k, (op, *shapes) in enumerate(LARGE):
        ours, theirs = (statistics.median(r[side][k] for r in rounds) for side in (0, 1))
        ratio = statistics.median(r[0][k] / r[1][k] for r in rounds)
        print(f"{op:12} {' '.join(shapes):24} {ours * 1e3:8.2f} ms, C++ {theirs * 1e3:8.2f} ms, ratio {ratio:.2f}")


if sys.argv[1:2] == ["--graph"]:
    print(graph_bytes(ag if sys.argv[2] == "argand" else torch))
elif sys.argv[1:2] == ["--large"]:
    compare_large(sys.argv[2])
else:
    compare_steps()
    compare_memory()
