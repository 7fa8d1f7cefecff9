"""How long a training step takes in argand and in PyTorch, side by side.

  python3 bench/compare.py [WIKITEXT_DIR] [--pairs 3] [--steps 12] [--threads 2] [--models rope,crat] [--pytorch compiled,fused]
                           [--letters] [--n-layers 2] [--d-model 128] [--n-heads 4] [--d-ff 512] [--batch 16] [--length 128]
                           [--precision bf16]

WIKITEXT_DIR holds train.txt, valid.txt and test.txt (WikiText-2). In each round every model runs once in argand, then once in
each of PyTorch's variants. Rounds repeat, so that other load on the machine affects all alike; a ratio is the median over the rounds.

PyTorch's variants: `compiled` and `fused` are bench/pytorch/fast.py with and without torch.compile (PyTorch 2); `plain` is the code of
bench/pytorch/models.py, one operation after the other; all three in the environment in which PyTorch is fastest. `installed` is
`plain` with the default settings. The models train with AdamW, CRoPE with Muon, in float32, or with --precision bf16 in argand's and
PyTorch's mixed precision. ComplexFormer's and CRAT's scores are factored everywhere, as argand computes them.

Below each table is argand's step time as a multiple of the time that its matrix products alone take, a lower bound for any program,
and the times of runs before and after which the cores exchanged a cache line quickly, or slowly. A virtual machine may run now on
cores that share a third-level cache (50 ns on Zen 4), now on others (340 ns), and small models then take a third more time.
Needs the release build (./dev build) and a Python with PyTorch (Debian: python3-torch; for torch.compile also libtorch-dev,
libsleef-dev, python3-setuptools). `ARGAND_DATA=FOLDER ./dev elsewhere trixie bench` compares with the PyTorch 2.6 of Debian 13; the
folder holds wikitext-2.
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
from collections import Counter
from statistics import median

HERE = os.path.dirname(os.path.abspath(__file__))
ARGAND = os.path.join(HERE, "..", "build", "apps", "argand")
FLOOR = os.path.join(HERE, "..", "build", "bench", "bench_floor")

# For each model its name, its configuration, and the options for both programs.
MODELS = {
    "rope": ("transformer, RoPE", dict(family="transformer", position="rope"), {}),
    "complexformer": ("ComplexFormer", dict(family="complexformer"), {}),
    "crope": ("CRoPE, Muon", dict(family="crope", mode="all"), dict(optimizer="muon")),
    "crat": ("CRAT", dict(family="crat"), {}),
    "crat-irw": ("CRAT with a reflection window", dict(family="crat", irw_layers=[1]), {}),
    "qic": ("QIC", dict(family="qic"), {}),
}
# PyTorch's variants: their names and the options of bench/pytorch/train.py.
PYTORCH = {
    "compiled": ("PyTorch, compiled", ["--compiled"]),
    "fused": ("PyTorch, fused", ["--fast"]),
    "plain": ("PyTorch, plain", ["--factored"]),
    "installed": ("PyTorch, as installed", ["--factored"]),
}
SHAPE = dict(n_layers=2, d_model=128, n_heads=4, d_ff=512)
NEAR = 150  # nanoseconds for a cache line from one core to another and back: less if they share a third-level cache
FIRST_STEPS = 2  # steps dropped at the start of every run because caches and memory are cold


def first_lines(path, words):
    """The first lines of a text that together contain that many words."""
    count = 0
    with open(path, encoding="utf8") as text:
        for line in text:
            yield line
            count += len(line.split()) + 1
            if count >= words:
                return


def corpus(folder, words):
    """The same training text for both programs, and a short validation text, because both end with a validation."""
    small = tempfile.mkdtemp(prefix="argand-bench-")
    os.symlink(os.path.abspath(os.path.join(folder, "train.txt")), os.path.join(small, "train.txt"))
    for part in ("valid.txt", "test.txt"):
        with open(os.path.join(small, part), "w", encoding="utf8") as start:
            start.writelines(first_lines(os.path.join(folder, part), words))
    return small


def letters_of(folder):
    """A corpus whose words are letters: the 64 most frequent ones; any other becomes a dot."""
    small = tempfile.mkdtemp(prefix="argand-bench-")
    texts = {}
    for part in ("train.txt", "valid.txt", "test.txt"):
        with open(os.path.join(folder, part), encoding="utf8") as text:
            texts[part] = "".join(text.read(1_000_000 if part == "train.txt" else 20_000).split())
    frequent = {letter for letter, _ in Counter(texts["train.txt"]).most_common(64)}
    for part, text in texts.items():
        lines = (text[i:i + 80] for i in range(0, len(text), 80))
        with open(os.path.join(small, part), "w", encoding="utf8") as file:
            file.writelines(" ".join(letter if letter in frequent else "·" for letter in line) + "\n" for line in lines)
    return small


def run(command, env):
    """The output and the peak memory in MiB of one program."""
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
    def text(value):
        return ",".join(map(str, value)) if isinstance(value, list) else str(value)
    return [word for key, value in config.items() for word in ("--" + key.replace("_", "-"), text(value))]


def argand_steps(a, data, config, extra, folder):
    shared = dict(steps=a.steps, batch=a.batch, length=a.length, threads=a.threads)
    once = dict(log_every=1, eval_every=0, checkpoint_every=0, precision=a.precision)
    command = [ARGAND, "train", "lm", "--data", data, "--out", folder, "--overwrite"]
    _, peak = run(command + options({**SHAPE, **config, **extra, **shared, **once}), a.plain)
    with open(os.path.join(folder, "log.jsonl"), encoding="utf8") as log:
        lines = [json.loads(line) for line in log]
    return median([line["seconds"] for line in lines if "seconds" in line][FIRST_STEPS:]), peak


def floor_ratio(a, data, config, extra):
    """The time of argand's step divided by that of its matrix products alone, in one process (bench/floor.cpp), and the GFLOP of
    these."""
    shared = dict(batch=a.batch, length=a.length, threads=a.threads, pairs=max(3, a.steps // 3))
    env = {**a.plain, "OPENBLAS_CORETYPE": a.best["OPENBLAS_CORETYPE"]}  # the kernels that argand uses
    if "OMP_WAIT_POLICY" not in env:
        env.setdefault("GOMP_SPINCOUNT", "5000")
    out, _ = run([FLOOR, "--data", data] + options({**SHAPE, **config, **extra, **shared}), env)
    found = json.loads(out)
    return found["ratio"], found["gflop"]


def pytorch_steps(a, data, config, extra, variant):
    shared = dict(steps=a.steps, batch=a.batch, length=a.length, threads=a.threads)
    command = [a.python, os.path.join(HERE, "pytorch", "train.py"), "lm", data, json.dumps({**SHAPE, **config}), *PYTORCH[variant][1]]
    precision = ["--bf16"] if a.precision == "bf16" else []
    out, peak = run(command + options({**extra, **shared}) + precision, a.environment[variant])
    return median(json.loads(out)["seconds"][FIRST_STEPS:]), peak


def python_with_torch():
    for python in dict.fromkeys((sys.executable, "/usr/bin/python3")):
        if os.path.exists(python) and subprocess.run([python, "-c", "import torch"], capture_output=True).returncode == 0:
            return python
    sys.exit("compare: no Python here has PyTorch; on Debian: apt-get install python3-torch")


def version_of_torch(python):
    return run([python, "-c", "import torch; print(torch.__version__)"], None)[0].strip()


def environments():
    """The default environment, and the one in which PyTorch is fastest: OpenBLAS in PyTorch's own OpenMP threads with the kernels
    that argand chooses for this processor, PyTorch's widest vectors, and large temporaries that malloc neither maps
    (MALLOC_MMAP_MAX_) nor returns (MALLOC_TRIM_THRESHOLD_); without the latter, page faults take half of a step's time again."""
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


def environment_of_compiler(python, best, scratch):
    """What torch.compile needs besides. Debian's PyTorch does not load the library of its vector functions itself; without it
    torch.compile makes code for single numbers, which takes twice as long."""
    env = {**best, "TORCHINDUCTOR_CACHE_DIR": os.path.join(scratch, "compiled")}
    for library in glob.glob("/usr/lib/*/libsleef.so.3"):
        env["LD_PRELOAD"] = library
    probe = "from torch._inductor.cpu_vec_isa import pick_vec_isa; print(pick_vec_isa())"
    found = subprocess.run([python, "-c", probe], env=env, capture_output=True, text=True)
    if found.returncode != 0 or "INVALID" in found.stdout:
        sys.exit("compare: torch.compile cannot make vector code here; install g++, libtorch-dev, libsleef-dev and python3-setuptools, "
                 f"or leave `compiled` out of --pytorch\n{found.stderr[-300:]}")
    return env


def distance_during(a, f):
    """f(), and whether the cores were "near" or "far" from each other before and after; None if they moved."""
    def are_far():
        return a.threads > 1 and int(run([FLOOR, "--round-trip"], a.plain)[0]) >= NEAR
    before = are_far()
    result = f()
    after = are_far()
    return result, None if before != after else "far" if after else "near"


def measure(a, data):
    """seconds[model][program], peak[model][program] and distance[model][program], one entry per round, and floors[model]."""
    seconds, peak, distance = ({m: {p: [] for p in ["argand", *a.pytorch]} for m in a.models} for _ in range(3))
    floors = {m: [] for m in a.models}
    for turn in range(a.pairs):
        for program in ["argand", *a.pytorch]:
            for model in a.models:
                name, config, extra = MODELS[model]
                if sys.stderr.isatty():
                    print(f"\r\x1b[Kturn {turn + 1} of {a.pairs}: {name}, {program}", end="", file=sys.stderr, flush=True)
                if program == "argand":
                    (step, mib), apart = distance_during(a, lambda: argand_steps(a, data, config, extra, os.path.join(data, "run")))
                    floors[model].append(distance_during(a, lambda: floor_ratio(a, data, config, extra)))
                else:
                    (step, mib), apart = distance_during(a, lambda: pytorch_steps(a, data, config, extra, program))
                seconds[model][program].append(step)
                peak[model][program].append(mib)
                distance[model][program].append(apart)
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr)
    return seconds, peak, distance, floors


def median_ratio(numerators, denominators):
    return median(x / y for x, y in zip(numerators, denominators))


def report_by_distance(seconds, distance, floors):
    """The median times in runs with near and with far cores."""
    for where in ("near", "far"):
        times = {p: [s for s, at in zip(seconds[p], distance[p]) if at == where] for p in seconds}
        ratios = [ratio for (ratio, _), at in floors if at == where]
        if not times["argand"]:
            continue
        own = median(times["argand"])
        others = [f"{PYTORCH[p][0]} {median(t) * 1e3:.1f} ms ({own / median(t):.2f}, {len(t)} runs)" for p, t in times.items() if p != "argand" and t]
        floor = f", {median(ratios):.2f} of the products" if ratios else ""
        print(f"  cores {where}: argand {own * 1e3:.1f} ms ({len(times['argand'])} runs{floor}); " + "; ".join(others))


def report(a, seconds, peak, distance, floors):
    print(f"PyTorch {a.version}; {a.n_layers} layers of width {a.d_model}, {'letters' if a.letters else 'words'}, batch {a.batch} x {a.length}, "
          f"{a.precision}, {a.threads} threads, {a.pairs} turns of {a.steps} steps")
    for model in a.models:
        own = seconds[model]["argand"]
        ratios = [ratio for (ratio, _), _ in floors[model]]
        print(f"\n{MODELS[model][0]}\n  {'':24}{'median step':>14}{'ratio':>11}{'peak memory':>14}")
        for program in ["argand", *a.pytorch]:
            times = seconds[model][program]
            ratio = f"{median_ratio(own, times):11.2f}" if program != "argand" else f"{'':11}"
            print(f"  {PYTORCH[program][0] if program in PYTORCH else program:24}{median(times) * 1e3:11.1f} ms{ratio}{max(peak[model][program]):10.0f} MiB")
        print(f"  argand's step over its matrix products alone ({floors[model][0][0][1]:.1f} GFLOP): {median(ratios):.2f} "
              f"({min(ratios):.2f} to {max(ratios):.2f})")
        if a.threads > 1:
            report_by_distance(seconds[model], distance[model], floors[model])
    if "rope" in a.models and len(a.models) > 1:
        print("\nin argand, relative to the transformer:")
        for model in a.models:
            if model != "rope":
                print(f"  {MODELS[model][0]:32}{median_ratio(seconds[model]['argand'], seconds['rope']['argand']):5.2f}")


def choices(known):
    def parse(text):
        chosen = text.split(",") if text else []
        for word in chosen:
            if word not in known:
                raise argparse.ArgumentTypeError(f"{word} is not one of {', '.join(known)}")
        return chosen
    return parse


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("data", nargs="?", help="folder with WikiText-2's train.txt, valid.txt, test.txt; default: $ARGAND_DATA/wikitext-2")
    for name, default in dict(pairs=3, steps=12, batch=16, length=128, threads=2).items():
        ap.add_argument("--" + name, type=int, default=default)
    for name, default in SHAPE.items():
        ap.add_argument("--" + name.replace("_", "-"), type=int, default=default)
    ap.add_argument("--letters", action="store_true", help="65 letters instead of 33 278 words, so that the output layer is small")
    ap.add_argument("--models", type=choices(MODELS), default=list(MODELS), help=",".join(MODELS))
    ap.add_argument("--pytorch", type=choices(PYTORCH), help=",".join(PYTORCH) + "; default: all that this PyTorch has")
    ap.add_argument("--precision", choices=["float32", "bf16"], default="float32")
    a = ap.parse_args()
    if a.data is None:
        a.data = os.path.join(os.environ.get("ARGAND_DATA", ""), "wikitext-2")
    if not os.path.exists(os.path.join(a.data, "train.txt")):
        ap.error(f"{a.data} has no train.txt; name a folder with WikiText-2, or set ARGAND_DATA to the folder that holds wikitext-2")
    if a.steps <= FIRST_STEPS:
        ap.error(f"--steps must be more than {FIRST_STEPS}")
    if not os.path.exists(ARGAND) or not os.path.exists(FLOOR):
        sys.exit("compare: build/apps/argand or build/bench/bench_floor is missing; `./dev bench DATA` makes both")
    a.python, (a.plain, a.best) = python_with_torch(), environments()
    a.version = version_of_torch(a.python)
    if a.pytorch is None:
        a.pytorch = [variant for variant in PYTORCH if not (a.version.startswith("1.") and variant in ("compiled", "fused"))]
    SHAPE.update({key: getattr(a, key) for key in SHAPE})
    data = letters_of(a.data) if a.letters else corpus(a.data, 4 * a.batch * a.length)
    try:
        compiled = environment_of_compiler(a.python, a.best, data) if "compiled" in a.pytorch else None
        a.environment = {"compiled": compiled, "fused": a.best, "plain": a.best, "installed": a.plain}
        report(a, *measure(a, data))
    finally:
        shutil.rmtree(data)


if __name__ == "__main__":
    main()
