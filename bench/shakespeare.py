"""Compares the time of a step of nanoGPT's first example in argand and in PyTorch.

  python3 bench/shakespeare.py TEXT [--turns 5] [--steps 60] [--threads 1]

TEXT is tiny Shakespeare, or any other text. In each of the --turns rounds argand runs first (`train lm --preset shakespeare
--family transformer`), then PyTorch (bench/pytorch/nanogpt.py): with PyTorch 2 compiled, then not compiled, both in the environment in
which compare.py finds it fastest, then as installed. Rounds repeat, so that other load on the machine affects all alike; a ratio is the
median over the rounds. argand's norms have biases, nanoGPT's have none. Needs the release build (./dev build) and a Python with PyTorch (Debian: python3-torch).
"""
import argparse
import json
import os
import tempfile
from statistics import median

import compare


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("text")
    for name, default in dict(turns=5, steps=60, threads=1).items():
        ap.add_argument("--" + name, type=int, default=default)
    a = ap.parse_args()
    python, (plain, best) = compare.python_with_torch(), compare.environments()
    version = compare.version_of_torch(python)
    with tempfile.TemporaryDirectory(prefix="argand-bench-") as scratch:
        run = os.path.join(scratch, "run")
        shared = ["--steps", str(a.steps), "--threads", str(a.threads)]
        own = [compare.ARGAND, "train", "lm", "--preset", "shakespeare", "--family", "transformer", "--data", a.text, *shared, "--out", run,
               *"--overwrite --log-every 1 --eval-every 0 --eval-batches 1 --checkpoint-every 0".split()]
        theirs = [python, os.path.join(compare.HERE, "pytorch", "nanogpt.py"), a.text, *shared]
        variants = {"PyTorch": (theirs, best), "PyTorch, as installed": (theirs, plain)}
        if not version.startswith("1."):
            variants = {"PyTorch, compiled": ([*theirs, "--compiled"], compare.environment_of_compiler(python, best, scratch)), **variants}
        times = {name: [] for name in ("argand", *variants)}
        for _ in range(a.turns):
            compare.run(own, plain)
            with open(os.path.join(run, "log.jsonl"), encoding="utf8") as log:
                steps = [line["seconds"] for line in map(json.loads, log) if "seconds" in line]
            times["argand"].append(median(steps[compare.FIRST_STEPS:]))
            for name, (command, env) in variants.items():
                out, _ = compare.run(command, env)
                times[name].append(median(json.loads(out)["seconds"][compare.FIRST_STEPS:]))
    print(f"PyTorch {version}; batch 12 x 64, {a.threads} thread{'s' if a.threads > 1 else ''}, {a.turns} turns of {a.steps} steps")
    for name, seconds in times.items():
        ratio = compare.median_ratio(times["argand"], seconds)
        spread = f"({min(seconds) * 1e3:.1f} to {max(seconds) * 1e3:.1f})"
        print(f"  {name:24}{median(seconds) * 1e3:8.1f} ms per step {spread}, argand/PyTorch {ratio:.2f}")


if __name__ == "__main__":
    main()
