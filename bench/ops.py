"""Compares the time for value and gradient of Fourier transforms, convolutions and linear algebra in argand and in PyTorch at its
best.

  python3 bench/ops.py [--turns 3] [--threads 2] [--only fft]

In each of the --turns rounds argand computes every case, then PyTorch. Rounds repeat, so that other load on the machine affects
both; a ratio is the median over the rounds. PyTorch's settings are those in which it is fastest (bench/compare.py). Both compute in
float64 and complex128. Needs build/tests/op_parity and a Python with PyTorch (Debian: python3-torch).
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
from statistics import median

import compare

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.join(HERE, "..", "build", "tests", "op_parity")
PARITY = os.path.join(HERE, "..", "tests", "parity")

# Each op and the shapes of its inputs; c or r: complex or real.
CASES = [
    *[("fft", f"c{2**k}") for k in (10, 12, 14, 16, 18, 20)],
    *[("fft", f"c{n}") for n in (1009, 10007, 100003, 1000003)],  # prime lengths
    ("fft", "c1000x1024"),
    ("rfft", "r1000x1024"),
    ("fft2", "c512x512"),
    *[("solve", f"{kind}{batch}x{n}x{n}", f"{kind}{batch}x{n}x4") for kind in "rc" for batch, n in ((1000, 4), (1000, 16), (100, 64), (4, 256))],
    *[("conv2d", f"{kind}{x}", f"{kind}{w}") for kind in "rc" for x, w in (("8x16x64x64", "32x16x3x3"), ("8x64x28x28", "64x64x3x3"), ("8x3x64x64", "16x3x7x7"))],
    *[("eigh function", f"{kind}{batch}x{n}x{n}") for kind in "rc" for batch, n in ((1000, 4), (1000, 16), (100, 64), (4, 256))],
]

# Run by the Python that has PyTorch: reads the cases as op_parity does and prints the times.
IN_PYTORCH = """
import json, sys, time
import numpy, torch
sys.path.insert(0, sys.argv[1])
from op_cases import TORCH
torch.set_num_threads(int(sys.argv[4]))
cases, arrays = json.load(open(sys.argv[2])), numpy.load(sys.argv[3])
for k, case in enumerate(cases):
    inputs, W = [torch.tensor(arrays[f"{k}.x{i}"]) for i in range(case["inputs"])], torch.tensor(arrays[f"{k}.W"])
    seconds, total = [], 0
    while len(seconds) < 4 or total < 0.5:
        start = time.perf_counter()
        x = [a.detach().requires_grad_() for a in inputs]
        TORCH[case["op"]](*x).backward(W)
        seconds.append(time.perf_counter() - start)
        total += seconds[-1] if len(seconds) > 1 else 0
    print(sorted(seconds[1:])[len(seconds[1:]) // 2])
"""

# The script that creates the inputs, as NumPy arrays.
INPUTS = """
import json, sys
import numpy, torch
sys.path.insert(0, sys.argv[1])
from op_cases import TORCH
random = numpy.random.default_rng(0)
def draw(word):
    shape = [int(n) for n in word[1:].split("x")]
    x = random.standard_normal(shape) + (1j * random.standard_normal(shape) if word[0] == "c" else 0)
    return x + 4 * numpy.eye(shape[-1]) if len(shape) > 1 and shape[-1] == shape[-2] < 512 else x
arrays, cases = {}, json.loads(sys.argv[2])
for k, (op, *words) in enumerate(cases):
    x = [draw(word) for word in words]
    y = TORCH[op](*map(torch.tensor, x)).resolve_conj().numpy()
    W = random.standard_normal(y.shape)
    arrays.update({f"{k}.x{i}": a for i, a in enumerate(x)}, **{f"{k}.W": (W + 1j * random.standard_normal(y.shape)).astype(y.dtype) if numpy.iscomplexobj(y) else W})
numpy.savez(sys.argv[4], **arrays)
json.dump([dict(op=op, inputs=len(words), args={}) for op, *words in cases], open(sys.argv[3], "w"))
"""


def times(command, env):
    return [float(line) for line in subprocess.run(command, env=env, check=True, capture_output=True, text=True).stdout.split()]


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--turns", type=int, default=3)
    ap.add_argument("--threads", type=int, default=2)
    ap.add_argument("--only", default="", help="run only cases whose names contain this text")
    a = ap.parse_args()
    if not os.path.exists(PROGRAM):
        sys.exit("ops: build/tests/op_parity is missing; build it with `./dev build` and `ninja -C build tests/op_parity`")
    python, (plain, best) = compare.python_with_torch(), compare.environments()
    plain, best = ({**env, "OMP_NUM_THREADS": str(a.threads)} for env in (plain, best))
    cases = [case for case in CASES if a.only in " ".join(case)]
    argand, pytorch = [], []
    with tempfile.TemporaryDirectory() as folder:
        files = [os.path.join(folder, "cases.json"), os.path.join(folder, "inputs.npz")]
        subprocess.run([python, "-c", INPUTS, PARITY, json.dumps(cases), *files], env=plain, check=True)
        for _ in range(a.turns):
            argand.append(times([PROGRAM, "--time", *files], plain))
            pytorch.append(times([python, "-c", IN_PYTORCH, PARITY, *files, str(a.threads)], best))
    print(f"{a.threads} threads, {a.turns} turns; value and gradient\n{'':44}{'argand':>12}{'PyTorch':>12}{'ratio':>8}")
    for k, case in enumerate(cases):
        own, other = ([turn[k] for turn in turns] for turns in (argand, pytorch))
        ratio = median(x / y for x, y in zip(own, other))
        print(f"{' '.join(case):44}{median(own) * 1e3:9.3f} ms{median(other) * 1e3:9.3f} ms{ratio:8.2f}{'' if ratio <= 1.5 else '  above 1.5'}")


if __name__ == "__main__":
    main()
