"""How long a training step takes in argand and in PyTorch, side by side.

  python3 bench/compare.py WIKITEXT_DIR [--pairs 3] [--steps 12] [--threads 2]

WIKITEXT_DIR holds train.txt, valid.txt and test.txt (WikiText-2). Per model the programs take turns, argand, PyTorch, argand, ...,
so that whatever else the machine does falls on all of them; a ratio is the median over the turns, each with its neighbour.
PyTorch runs three times: in the environment in which it is fastest, in one that only keeps malloc from mapping pages anew, and as a user
finds it. Both run these models in float32 with AdamW:
transformer with RoPE, and ComplexFormer with factored scores (bench/pytorch/factored.py), which is what argand computes.
Needs the release build (./dev build) and a Python with PyTorch (Debian: python3-torch).
"""
import argparse
import glob
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from statistics import median

HERE = os.path.dirname(os.path.abspath(__file__))
ARGAND = os.path.join(HERE, "..", "build", "apps", "argand")

MODELS = {
    "transformer, RoPE": dict(family="transformer", position="rope"),
    "ComplexFormer": dict(family="complexformer"),
}
SHAPE = dict(n_layers=2, d_model=128, n_heads=4, d_ff=512)
FIRST_STEPS = 2  # of every run are left out: memory is still cold


def first_lines(path, words):
    """As many lines of a text as it takes for that many words."""
    count = 0
    with open(path, encoding="utf8") as text:
        for line in text:
            yield line
            count += len(line.split()) + 1
            if count >= words:
                return


def corpus(folder, words):
    """The same training text and a short validation text, for both programs end with a validation."""
    small = tempfile.mkdtemp(prefix="argand-bench-")
    os.symlink(os.path.abspath(os.path.join(folder, "train.txt")), os.path.join(small, "train.txt"))
    for part in ("valid.txt", "test.txt"):
        with open(os.path.join(small, part), "w", encoding="utf8") as start:
            start.writelines(first_lines(os.path.join(folder, part), words))
    return small


def run(command, env):
    """Output and peak memory in MiB of one program."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            err.seek(0)
            sys.exit(f"compare: {' '.join(command)}\n{err.read().decode()}")
        out.seek(0)
        return out.read().decode(), usage.ru_maxrss / 1024


def options(config):
    return [word for key, value in config.items() for word in ("--" + key.replace("_", "-"), str(value))]


def argand_steps(a, data, config, folder):
    shared = dict(steps=a.steps, batch=a.batch, length=a.length, threads=a.threads)
    once = dict(log_every=1, eval_every=0, checkpoint_every=0)
    _, peak = run([ARGAND, "train", "lm", "--data", data, "--out", folder, "--overwrite"] + options({**SHAPE, **config, **shared, **once}), a.plain)
    with open(os.path.join(folder, "log.jsonl"), encoding="utf8") as log:
        lines = [json.loads(line) for line in log]
    return [line["seconds"] for line in lines if "seconds" in line], peak


def pytorch_steps(a, data, config, env):
    shared = dict(steps=a.steps, batch=a.batch, length=a.length, threads=a.threads)
    out, peak = run([a.python, os.path.join(HERE, "pytorch", "train.py"), "lm", data, json.dumps({**SHAPE, **config}), "--factored"] + options(shared), env)
    return json.loads(out)["seconds"], peak


def python_with_torch():
    for python in dict.fromkeys((sys.executable, "/usr/bin/python3")):
        if os.path.exists(python) and subprocess.run([python, "-c", "import torch"], capture_output=True).returncode == 0:
            return python
    sys.exit("compare: no Python here has PyTorch; on Debian: apt-get install python3-torch")


def environments():
    """(as a user finds it, as PyTorch is fastest): OpenBLAS in PyTorch's own OpenMP threads and with the kernels that argand
    chooses for this processor, PyTorch's widest vectors, and large temporaries that malloc neither maps (MALLOC_MMAP_MAX_) nor
    returns (MALLOC_TRIM_THRESHOLD_); without the second, half of a step's time goes into page faults again."""
    plain = {k: v for k, v in os.environ.items() if k not in ("OPENBLAS_CORETYPE", "ATEN_CPU_CAPABILITY", "MALLOC_MMAP_MAX_")}
    version = subprocess.run([ARGAND, "--version"], env=plain, capture_output=True, text=True).stdout
    kernels = re.search(r"OpenBLAS with (\S+) kernels", version).group(1)
    best = {**plain, "OPENBLAS_CORETYPE": kernels, "MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": "4294967296"}
    with open("/proc/cpuinfo", encoding="utf8") as cpu:
        text = cpu.read()
    if "avx512f" in text:
        best["ATEN_CPU_CAPABILITY"] = "avx512"
    for folder in glob.glob("/usr/lib/*/openblas-openmp"):
        best["LD_LIBRARY_PATH"] = folder
    name = re.search(r"model name\s*: (.*)", text)
    print(f"{name.group(1) if name else platform.machine()}, OpenBLAS's {kernels} kernels")
    return plain, best


def compare(a, name, config, data, folder):
    programs = {
        "argand": lambda: argand_steps(a, data, config, folder),
        "PyTorch, best settings": lambda: pytorch_steps(a, data, config, a.best),
        "PyTorch, no mmap": lambda: pytorch_steps(a, data, config, {k: v for k, v in a.best.items() if k != "MALLOC_TRIM_THRESHOLD_"}),
        "PyTorch, as installed": lambda: pytorch_steps(a, data, config, a.plain),
    }
    seconds, peaks = {p: [] for p in programs}, {p: [] for p in programs}
    for _ in range(a.pairs):
        for program, measure in programs.items():
            steps, peak = measure()
            seconds[program].append(median(steps[FIRST_STEPS:]))
            peaks[program].append(peak)
    print(f"\n{name}: batch {a.batch} x {a.length} tokens, {a.threads} threads, {a.pairs} turns of {a.steps} steps")
    print(f"  {'':24}{'median step':>14}{'ratio':>9}{'peak memory':>14}")
    for program in programs:
        ratio = median(other / own for own, other in zip(seconds["argand"], seconds[program]))
        print(f"  {program:24}{median(seconds[program]) * 1e3:11.1f} ms{ratio:9.2f}{max(peaks[program]):10.0f} MiB")
    return median(seconds["argand"])


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("data", help="folder with WikiText-2's train.txt, valid.txt, test.txt")
    for name, default in dict(pairs=3, steps=12, batch=16, length=128, threads=2).items():
        ap.add_argument("--" + name, type=int, default=default)
    a = ap.parse_args()
    if a.steps <= FIRST_STEPS:
        ap.error(f"--steps must be more than {FIRST_STEPS}")
    if not os.path.exists(ARGAND):
        sys.exit("compare: build/apps/argand is missing; ./dev build makes it")
    a.python, (a.plain, a.best) = python_with_torch(), environments()
    data = corpus(a.data, 4 * a.batch * a.length)
    try:
        step = {name: compare(a, name, config, data, os.path.join(data, "run")) for name, config in MODELS.items()}
    finally:
        shutil.rmtree(data)
    print(f"\nin argand, a step of ComplexFormer takes {step['ComplexFormer'] / step['transformer, RoPE']:.2f} times that of the transformer")


if __name__ == "__main__":
    main()
