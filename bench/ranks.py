"""The cost and benefit of several ranks under mpirun: measured on this machine, and modelled for others.

  python3 bench/ranks.py [--program build/apps/argand] [--turns 3] [--rate 1gbit]

First the measurements. Messages: a model that is nearly all vocabulary takes steps of two tokens, with one rank and with two. The
difference is the cost of adding and sending the gradient; a straight line through several sizes gives seconds per byte.
Computing: seconds per token of a transformer with one thread. The --turns rounds are interleaved, and the best of each counts.
--rate (as root): the ranks communicate over TCP, through a separate loopback device limited to this rate (tc's token bucket).

Then the model, for machines whose speed is that of one thread here times --threads:
  bytes a rank sends in a step        (m + 1) (n - 1)/n s P
  seconds of a step                   m T t P + (m + 1) (n - 1)/n s P (1/bandwidth + b) + o P
n ranks, m = K/n batches each, T tokens per batch, P parameters of s bytes, t seconds per token and
parameter, b seconds per byte for copying and adding, o the optimiser's seconds per parameter.
"""
import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}
VOCABULARIES = [4000, 16000, 32000]
WIDTH = 256
NEARLY_ALL_VOCABULARY = ["--n-layers", "1", "--d-model", WIDTH, "--n-heads", "4", "--d-ff", WIDTH, "--length", "2", "--batch", "1"]
COMPUTING = ["--n-layers", "4", "--d-model", WIDTH, "--n-heads", "4", "--d-ff", 4 * WIDTH, "--length", "128", "--batch", "4"]


def step(program, ranks, options, steps, rate=None):
    """Seconds per step (median over a run), and the number of real parameters in the model."""
    with tempfile.TemporaryDirectory() as scratch:
        run = os.path.join(scratch, "run")
        command = [program, "train", "lm", "--family", "transformer", "--threads", "1", "--accumulate", str(ranks), "--steps", str(steps), "--warmup", "0",
                   "--eval-every", "0", "--eval-batches", "1", "--checkpoint-every", "0", "--out", run, *map(str, options)]
        if ranks > 1:
            command = ["mpirun", *(["--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include", "lo", "--mca", "oob_tcp_if_include", "lo"] if rate else []), "-n", str(ranks), *command]
        if rate and ranks > 1:
            shape = f"ip link set lo up && tc qdisc add dev lo root tbf rate {rate} burst 256kb latency 50ms && exec \"$@\""
            command = ["unshare", "-n", "sh", "-c", shape, "sh", *command]
        done = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)}: {done.stderr}")
        with open(os.path.join(run, "log.jsonl"), encoding="utf-8") as log:
            seconds = [line["seconds"] for line in map(json.loads, log) if "lr" in line]
        return statistics.median(seconds[2:]), numbers_in(os.path.join(run, "last.safetensors"))


def numbers_in(path):
    """The number of real parameters in a checkpoint, without the optimiser's state."""
    with open(path, "rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
    return sum(math.prod(entry["shape"]) for name, entry in header.items() if name != "__metadata__" and not name.startswith("optimizer."))


def line_through(points):
    """Slope and intercept of the least-squares line."""
    xs, ys = zip(*points)
    x, y = statistics.mean(xs), statistics.mean(ys)
    slope = sum((a - x) * (b - y) for a, b in points) / sum((a - x) ** 2 for a in xs)
    return slope, y - slope * x
BANDWIDTHS = {"1 Gbit/s": 0.125e9, "10 Gbit/s": 1.25e9, "100 Gbit/s": 12.5e9}
RANKS = [2, 4, 8, 16, 64]


def sent(n, m, size):
    """The bytes that a rank sends, and receives, in one step: a share of every batch's gradient, and its own part of the sum."""
    return (m + 1) * (n - 1) / n * size


def measure(program, turns, rate):
    """Measures the seconds per byte and the constant part of an exchange; seconds per token and parameter; and the optimiser's
    seconds per parameter."""
    best = {}
    for _ in range(turns):  # interleaved, so that other load affects all alike
        for vocabulary in VOCABULARIES:
            for ranks in (1, 2):
                seconds, numbers = step(program, ranks, [*NEARLY_ALL_VOCABULARY, "--vocab-size", vocabulary], 12, rate)
                before = best.get((vocabulary, ranks), (seconds, numbers))
                best[vocabulary, ranks] = (min(seconds, before[0]), numbers)
        seconds, numbers = step(program, 1, COMPUTING, 6)
        best["computing"] = (min(seconds, best.get("computing", (seconds,))[0]), numbers)
    print(f"{'numbers':>10}  {'bytes sent':>10}  {'1 rank':>8}  {'2 ranks':>8}  {'difference':>10}")
    differences, alone = [], []
    for vocabulary in VOCABULARIES:
        (one, numbers), (two, _) = best[vocabulary, 1], best[vocabulary, 2]
        bytes_sent = sent(2, 1, 4 * numbers)
        differences.append((bytes_sent, two - one))
        alone.append((numbers, one))
        print(f"{numbers / 1e6:>8.2f} M  {bytes_sent / 1e6:>7.1f} MB  {1e3 * one:>5.1f} ms  {1e3 * two:>5.1f} ms  {1e3 * (two - one):>7.1f} ms")
    byte, rest = line_through(differences)
    number, _ = line_through(alone)
    seconds, numbers = best["computing"]
    tokens = 4 * 128
    token = (seconds - number * numbers) / tokens / numbers
    print(f"\na second rank costs {1e9 * byte:.2f} ns per byte sent, plus {1e3 * rest:.2f} ms")
    print(f"work on all numbers in every step, mainly the optimiser: {1e9 * number:.2f} ns per number")
    print(f"computing, one thread: {1e12 * token:.1f} ps per token and parameter ({6e-9 / token:.1f} GFLOP/s, at 6 FLOP per token and parameter)\n")
    return byte, token, number


def model(byte, token, number, threads):
    """Assumes no overlap; sending while gradients are computed could only be faster."""
    print(f"parallel efficiency (speedup / n) of n machines with {threads} threads each, one batch per machine (m = 1), for any number of parameters")
    print(f"{'tokens / batch':>14}  {'network':>10}" + "".join(f"  {n:>3} ranks" for n in RANKS))
    for tokens in (512, 4096, 32768):
        for network, bandwidth in BANDWIDTHS.items():
            computing, rest = tokens * token / threads, number / threads  # per parameter, like all values here
            shares = [(n * computing + rest) / n / (computing + rest + sent(n, 1, 4) * (1 / bandwidth + byte)) for n in RANKS]
            print(f"{tokens:>14}  {network:>10}" + "".join(f"  {100 * share:>7.0f} %" for share in shares))
    print(f"\nbytes and network time of a step, m = 1, and memory besides activations")
    print(f"{'parameters':>10}  {'ranks':>5}  {'sent':>8}" + "".join(f"  {network:>10}" for network in BANDWIDTHS) + "    memory")
    for numbers, name in ((10e6, "10 M"), (100e6, "100 M"), (1e9, "1 B")):
        for n in (2, 8, 64):
            size = sent(n, 1, 4 * numbers)
            times = "".join(f"  {size * (1 / bandwidth + byte):>8.2f} s" for bandwidth in BANDWIDTHS.values())
            print(f"{name:>10}  {n:>5}  {size / 1e9:>5.2f} GB{times}  {gigabytes(numbers):>5.2f} GB")


def gigabytes(numbers):
    """The memory for parameters, AdamW's two moments, gradients, send and receive buffers, and this rank's sums."""
    return numbers * 4 * (1 + 2 + 1 + 1 + 1) / 1e9


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=os.path.join(HERE, "..", "build", "apps", "argand"))
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--threads", type=int, default=16, help="threads of the modelled machines; the measurements use one")
    parser.add_argument("--rate", help="bandwidth of the loopback device, in tc's notation, such as 1gbit")
    options = parser.parse_args()
    byte, token, number = measure(os.path.abspath(options.program), options.turns, options.rate)
    model(byte, token, number, options.threads)


if __name__ == "__main__":
    main()
