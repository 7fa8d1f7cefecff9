#!/usr/bin/env python3
"""Are networks of complex numbers, or of numbers with a learnt algebra, better than real ones? A test on Fashion-MNIST.

  fashion.py                           all rows, into fashion.json (about twenty minutes on one core)
  fashion.py --rows real,complex       two of them
  fashion.py --quick                   all rows in about a minute; its figures mean nothing
  fashion.py --table bench/results/runs/measured-fashion.json     only the tables of a file

A picture has 28 x 28 pixels. Complex networks read pixel j of the upper half and pixel j of the lower half as one number,
upper + i lower, and have 392-128-128-10 complex numbers; the real part of the last layer is the read-out. Real networks
have 784-N-N-10, where N gives as many real parameters; with N = 256 they have as many real numbers per layer. QIC's numbers are
a + bJ with J² = -1 + sin 2θ (docs/10-qic.md): complex at θ = 0 and π/2; a layer learns its θ, or keeps it.

Most rows apply ReLU to every real number, to real and imaginary part alike: then only the matrices differ. Rows with
-magnitude use QIC's activation instead, GELU(|z|) z/|z|, the real ones on pairs of neighbours.

Each row has its own learning rate, the one that classifies 10 000 held-out pictures of the training part best. Four rates are tried,
and more while the best is at an end. A row is then trained on the whole training part with the seeds 0 to 4 and tested on the
10 000 test pictures. A seed has the same order of pictures in every row, so rows are compared seed by seed.

Results are saved after each run, and a script that was stopped continues when it is started again. Needs the
Python package (docs/python.md), NumPy, and Fashion-MNIST, e.g. from Debian's package dataset-fashion-mnist.
"""
import argparse
import gzip
import json
import math
import os
import statistics
import struct
import sys
import time
import zlib
from pathlib import Path

from reporting import quantile, rate_name, replace, spread, table

CLASSES, PIXELS, HIDDEN = 10, 784, 128
BATCH, DECAY = 128, 0.01
RATES = (5e-4, 1e-3, 2e-3, 4e-3)
ROWS = {  # name: (description, numbers, activation, initial θ or None, is θ learnt?)
    "real": ("real, as many parameters", "real", "relu", None, False),
    "real-wide": ("real, as many real numbers per layer", "real", "relu", None, False),
    "complex": ("complex numbers", "complex", "relu", None, False),
    "qic": ("QIC, θ learnt from π/6, one per layer", "qic", "relu", math.pi / 6, True),
    "qic-pi6": ("QIC, θ = π/6", "qic", "relu", math.pi / 6, False),
    "qic-pi4": ("QIC, θ = π/4: real parts see the upper half only", "qic", "relu", math.pi / 4, False),  # added after the results of the others were known
    "real-magnitude": ("real, QIC's activation of pairs", "real", "magnitude", None, False),
    "complex-magnitude": ("complex numbers, QIC's activation", "complex", "magnitude", None, False),
    "qic-magnitude": ("QIC, θ learnt from π/6, QIC's activation", "qic", "magnitude", math.pi / 6, True),
}
# Written before the first run. A claim holds if the whole interval of better - worse lies above -within (points of accuracy), and is
# reversed if all of it lies below. QIC's slides report accuracies on texts: θ learnt 78.0 %, fixed at π/4 75.2, complex 74.8, real 73.1.
CLAIMS = [  # (claim, better, worse, within)
    ("complex is as good as real", "complex", "real", 0.5),
    ("θ learnt is as good as real", "qic", "real", 0.5),
    ("complex is better than real", "complex", "real", 0.0),
    ("θ learnt is better than real", "qic", "real", 0.0),
    ("θ learnt is better than complex", "qic", "complex", 0.0),
    ("θ learnt is better than θ fixed", "qic", "qic-pi6", 0.0),
    ("θ learnt is better than real, with QIC's activation", "qic-magnitude", "real-magnitude", 0.0),
    ("θ learnt is better than complex, with QIC's activation", "qic-magnitude", "complex-magnitude", 0.0),
]
CLUSTER = (0.75, 0.85)  # where QIC's slides say learnt angles end


class Wrong(Exception):
    """What is wrong with a file or an option, in one sentence."""


def idx(folder, name, magic, axes):
    """The numbers of FOLDER/NAME or FOLDER/NAME.gz, in IDX format: the magic number, the length of each axis, bytes."""
    import numpy as np
    path = next((path for path in (folder / name, folder / f"{name}.gz") if path.is_file()), None)
    if path is None:
        raise Wrong(f"{folder} has no {name}.gz: install Debian's package dataset-fashion-mnist, or name the folder with the four files of Fashion-MNIST with --data")
    try:
        content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    except (OSError, EOFError, zlib.error) as error:
        raise Wrong(f"{path} cannot be read: {error}") from error
    head = 4 * (1 + axes)
    if len(content) < head:
        raise Wrong(f"{path} ends inside its header: {len(content)} bytes of {head}")
    found, *shape = struct.unpack(f">{1 + axes}I", content[:head])
    if found != magic:
        raise Wrong(f"{path} begins with {found}, but an IDX file of this kind begins with {magic}")
    if len(content) - head != math.prod(shape):
        raise Wrong(f"{path} has {len(content) - head} bytes of data, but its header says {' x '.join(map(str, shape))}")
    return np.frombuffer(content, np.uint8, offset=head).reshape(shape)


def part_of(folder, prefix):
    """Pictures [n, 784] from 0 to 255, and their labels [n]."""
    pictures, labels = idx(folder, f"{prefix}-images-idx3-ubyte", 2051, 3), idx(folder, f"{prefix}-labels-idx1-ubyte", 2049, 1)
    if pictures.shape[1:] != (28, 28) or len(pictures) != len(labels) or len(labels) < 2 * BATCH:
        raise Wrong(f"{folder}: {prefix} has {len(pictures)} pictures of {pictures.shape[1]} x {pictures.shape[2]} and {len(labels)} labels; expected 28 x 28, "
                    f"as many labels, and at least {2 * BATCH}")
    if labels.max() >= CLASSES:
        raise Wrong(f"{folder}: {prefix} has the label {labels.max()}; labels are 0 to {CLASSES - 1}")
    return pictures.reshape(len(pictures), PIXELS), labels.astype(int)


def real_numbers(inputs, width):
    """Parameters of inputs-width-width-10 without the last bias."""
    return inputs * width + width * width + CLASSES * width + 2 * width


def width_of(row):
    """Numbers in a hidden layer. Real rows have as many parameters as the complex one, or as nearly as whole (pairs of) numbers allow."""
    _, numbers, activation, _, _ = ROWS[row]
    if numbers != "real":
        return HIDDEN
    if row == "real-wide":
        return 2 * HIDDEN
    wanted = 2 * real_numbers(PIXELS // 2, HIDDEN)
    return min(range(2, 2 * HIDDEN, 1 if activation == "relu" else 2), key=lambda width: abs(real_numbers(PIXELS, width) - wanted))


def network(row):
    """The row's network: pictures [B, 784] or [B, 392] complex -> logits [B, 10]."""
    import argand as ag
    import numpy as np
    _, numbers, activation, theta, learnt = ROWS[row]
    width = width_of(row)

    def magnitude(x):
        if numbers == "real":
            pairs = ag.magnitude_gelu(x.reshape(x.shape[0], width // 2, 2))
            return pairs.reshape(x.shape[0], width)
        return ag.view_as_complex(ag.magnitude_gelu(ag.view_as_real(x)))

    class Network(ag.nn.Module):
        def __init__(self):
            dtype, inputs = ("float32", PIXELS) if numbers == "real" else ("complex64", PIXELS // 2)
            self.layers = [ag.nn.Linear(inputs, width, dtype=dtype), ag.nn.Linear(width, width, dtype=dtype), ag.nn.Linear(width, CLASSES, bias=False, dtype=dtype)]
            self.bias = ag.nn.initial("full", (CLASSES,), "float32", "bias", a=0.0)
            self.theta = []
            if numbers == "qic":
                self.theta = [ag.nn.initial("full", (1,), "float32", "angle", a=theta) if learnt else ag.constant(np.full(1, theta, np.float32)) for _ in self.layers]

        def forward(self, x):
            for i, layer in enumerate(self.layers):
                x = ag.qic_linear(x, layer.weight, self.theta[i], layer.bias) if numbers == "qic" else layer(x)
                if i < 2:
                    x = magnitude(x) if activation == "magnitude" else ag.relu(x) if numbers == "real" else ag.crelu(x)
            return (x if numbers == "real" else x.real) + self.bias

    return Network()


def as_input(row, pictures, mean, deviation):
    """Pictures [n, 784] of bytes as real numbers, or [n, 392] as complex ones: upper half + i lower half."""
    import numpy as np
    x = ((pictures - mean) / deviation).astype(np.float32)
    return x if ROWS[row][1] == "real" else x[:, :PIXELS // 2] + 1j * x[:, PIXELS // 2:]


def accuracy(net, x, labels):
    import argand as ag
    right = 0
    with ag.no_grad():
        for begin in range(0, len(x), 1000):
            right += int((net(ag.constant(x[begin:begin + 1000])).numpy().argmax(axis=1) == labels[begin:begin + 1000]).sum())
    return 100 * right / len(x)


def train(row, rate, seed, epochs, learn, test, told):
    """Trains on `learn`, a pair (pictures, labels), and returns the run; told(epoch, accuracy) is called after each epoch."""
    import argand as ag
    import numpy as np
    mean, deviation = learn[0].mean(), learn[0].std()
    x, y = as_input(row, learn[0], mean, deviation), as_input(row, test[0], mean, deviation)
    ag.nn.manual_seed(seed)
    net, steps = network(row), len(x) // BATCH
    optimizer = ag.optim.AdamW(net.parameters(), lr=ag.optim.cosine_rate(rate, 0.0, epochs * steps), weight_decay=DECAY)
    run = {"row": row, "rate": rate, "seed": seed, "parameters": sum(p.numel() * (2 if p.is_complex() else 1) for p in net.parameters()), "accuracy": []}
    for epoch in range(epochs):
        order = np.random.default_rng([seed, epoch]).permutation(len(x))  # whole batches; the remainder is skipped in this epoch
        for step in range(steps):
            batch = order[step * BATCH:(step + 1) * BATCH]
            optimizer.zero_grad()
            ag.cross_entropy(net(ag.constant(x[batch])), learn[1][batch]).backward()
            optimizer.step()
        run["accuracy"].append(round(accuracy(net, y, test[1]), 3))
        told(epoch, run["accuracy"][-1])
    if ROWS[row][4]:
        run["theta"] = [round(theta.item(), 4) for theta in net.theta]
    return run


class Results:
    """The file of runs, one per line. `search` is true for those that test a rate on held-out pictures."""

    def __init__(self, path, settings):
        self.path, self.settings, self.runs = path, settings, []
        if path.exists():
            kept = read(path)
            if kept["settings"] != settings:
                differs = [f"{key} {kept['settings'].get(key)}, not {value}" for key, value in settings.items() if kept["settings"].get(key) != value]
                raise Wrong(f"{path} has runs with other settings ({'; '.join(differs)}): name another file with --out")
            self.runs = kept["runs"]

    def add(self, run):
        self.runs.append(run)
        lines = ",\n ".join(json.dumps(run, separators=(",", ":")) for run in self.runs)
        replace(self.path, f'{{"settings": {json.dumps(self.settings)},\n"runs": [\n {lines}]}}\n')

    def tried(self, row):
        """{rate: held-out accuracy after the last epoch}"""
        return {run["rate"]: run["accuracy"][-1] for run in self.runs if run["row"] == row and run["search"]}

    def seeds(self, row, rate):
        return {run["seed"] for run in self.runs if run["row"] == row and not run["search"] and run["rate"] == rate}

    def next_rate(self, row):
        """The next rate to try, or None when the best has worse ones on both sides."""
        tried, rates = self.tried(row), self.settings["rates"]
        for rate in rates:
            if rate not in tried:
                return rate
        best = max(sorted(tried), key=tried.get)
        for end, factor in ((min(tried), 0.5), (max(tried), 2.0)):
            if best == end and self.settings["widen"] and len(tried) < len(rates) + 6:
                return end * factor
        return None

    def best(self, row):
        tried = self.tried(row)
        return max(sorted(tried), key=tried.get)

    def left(self, rows, seeds):
        """How many runs are missing, at least."""
        count = 0
        for row in rows:
            missing = sum(rate not in self.tried(row) for rate in self.settings["rates"])
            count += missing + (seeds if missing else len(set(range(seeds)) - self.seeds(row, self.best(row))))
        return count


def read(path):
    try:
        kept = json.loads(path.read_text(encoding="utf8"))
        kept["settings"].items(), [(run["row"], run["rate"], run["seed"], run["search"], run["accuracy"][-1], run["parameters"]) for run in kept["runs"]]
        return kept
    except (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        raise Wrong(f"{path} is not a results file of fashion.py ({type(error).__name__}: {error})") from error


def interval(differences, comparisons):
    """Mean, and the ends of an interval that holds for this many comparisons at once with 95 % (Student's t, Bonferroni)."""
    n, mean = len(differences), statistics.fmean(differences)
    half = quantile(n - 1, 1 - 0.05 / comparisons) * statistics.stdev(differences) / math.sqrt(n)
    return mean, mean - half, mean + half


def tables(kept):
    """The tables in Markdown: rows, claims, angles."""
    final = {row: {} for row in ROWS}
    results = Results(Path(os.devnull) / "none", kept["settings"])
    results.runs = kept["runs"]
    for run in kept["runs"]:
        if run["row"] in final and not run["search"] and run["rate"] == results.best(run["row"]):
            final[run["row"]][run["seed"]] = run
    final = {row: runs for row, runs in final.items() if runs}

    def compared(a, b, comparisons):
        seeds = sorted(set(final.get(a, {})) & set(final.get(b, {})))
        differences = [final[a][seed]["accuracy"][-1] - final[b][seed]["accuracy"][-1] for seed in seeds]
        return interval(differences, comparisons) if len(seeds) > 1 else None

    def shown(found):
        return f"{found[0]:+.2f} [{found[1]:+.2f}, {found[2]:+.2f}]" if found else ""

    lines = []
    for row, runs in final.items():
        against = "" if row == "real" else shown(compared(row, "real", max(1, len(final) - 1)))
        any_run = next(iter(runs.values()))
        lines.append([row, ROWS[row][0], str(any_run["parameters"]), rate_name(any_run["rate"]), spread([run["accuracy"][-1] for run in runs.values()], 2), against])
    parts = [table(["row", "", "parameters", "rate", "accuracy, %", "against real, points"], lines, [False, False, True, True, True, True])]
    lines = []
    for claim, a, b, level in CLAIMS:
        if found := compared(a, b, len(CLAIMS)):
            verdict = "holds" if found[1] > -level else "reversed" if found[2] < -level else "not significant"
            lines.append([f"{claim}{f' (within {level:g} points)' if level else ''}", f"{a}, {b}", shown(found), verdict])
    if lines:
        parts.append(table(["claim", "rows", "difference, points", ""], lines, [False, False, True, False]))
    lines = []
    for row, runs in final.items():
        if ROWS[row][4]:
            ends = [run["theta"] for run in runs.values()]
            inside = sum(CLUSTER[0] <= angle <= CLUSTER[1] for angles in ends for angle in angles)
            lines.append([row, *(spread(layer, 3) for layer in zip(*ends)), f"{inside} of {sum(map(len, ends))}"])
    if lines:
        parts.append(table(["row", *(f"θ of layer {i}" for i in (1, 2, 3)), f"angles from {CLUSTER[0]:g} to {CLUSTER[1]:g}"], lines, [False] + [True] * 4))
    return parts


def clock(seconds):
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


def run_all(given, results, learn, test):
    """Finds a learning rate for each row, then trains its seeds."""
    import numpy as np
    order = np.random.default_rng(0).permutation(len(learn[0]))
    hold = min(10_000, len(order) // 6)
    held_out, rest = ([numbers[part] for numbers in learn] for part in (order[:hold], order[hold:]))
    begun, done = time.monotonic(), 0

    def one(row, rate, seed, search):
        nonlocal done
        name = f"{row}  rate {rate:g}  {'held-out pictures' if search else f'seed {seed}'}"

        def told(epoch, right):
            if sys.stderr.isatty():
                print(f"\r{name}  epoch {epoch + 1} of {given.epochs}  {right:.2f} %".ljust(79), end="\r", file=sys.stderr, flush=True)

        run = train(row, rate, seed, given.epochs, *((rest, held_out) if search else (learn, test)), told)
        results.add({**run, "search": search})
        done += 1
        left = results.left(given.rows, given.seeds)
        print(f"{name}  {run['accuracy'][-1]:.2f} %   {left} runs left, {clock((time.monotonic() - begun) / done * left)}".ljust(79), file=sys.stderr, flush=True)

    for row in given.rows:
        while (rate := results.next_rate(row)) is not None:
            one(row, rate, 0, True)
        for seed in sorted(set(range(given.seeds)) - results.seeds(row, results.best(row))):
            one(row, results.best(row), seed, False)


def options():
    def names(text):
        rows = text.split(",")
        if unknown := [row for row in rows if row not in ROWS]:
            raise argparse.ArgumentTypeError(f"unknown row {unknown[0]!r}; rows are {', '.join(ROWS)}")
        return [row for row in ROWS if row in rows]

    def count(text):
        if not text.isdigit() or int(text) < 1:
            raise argparse.ArgumentTypeError(f"expected a whole number above 0, got {text!r}")
        return int(text)

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False)
    parser.add_argument("--data", type=Path, default=Path("/usr/share/datasets/fashion-mnist"), help="folder with the four files, gzipped or not (%(default)s)")
    parser.add_argument("--out", type=Path, help="results file (fashion.json; with --quick, fashion-quick.json)")
    parser.add_argument("--rows", type=names, default=list(ROWS), help=f"rows to train, from {', '.join(ROWS)} (all)")
    parser.add_argument("--seeds", type=count, help="number of seeds for each row at its best rate (5; with --quick, 2)")
    parser.add_argument("--epochs", type=count, help="number of epochs of each run (8; with --quick, 1)")
    parser.add_argument("--quick", action="store_true", help="2000 pictures, two rates, one epoch")
    parser.add_argument("--table", type=Path, metavar="FILE", help="print the tables of this file, without training")
    given = parser.parse_args()
    given.seeds, given.epochs = given.seeds or (2 if given.quick else 5), given.epochs or (1 if given.quick else 8)
    given.out = given.out or Path("fashion-quick.json" if given.quick else "fashion.json")
    return given


def main():
    given = options()
    try:
        if given.table:
            print("\n".join(tables(read(given.table))), end="")
            return
        import argand
        argand.set_num_threads(1)
        learn, test = (part_of(given.data, prefix) for prefix in ("train", "t10k"))
        if given.quick:
            learn, test = ([numbers[:2000] for numbers in part] for part in (learn, test))
        settings = {"epochs": given.epochs, "batch": BATCH, "decay": DECAY, "rates": [1e-3, 4e-3] if given.quick else list(RATES), "widen": not given.quick,
                    "pictures": [len(learn[0]), len(test[0])]}
        results = Results(given.out, settings)
        run_all(given, results, learn, test)
        print("\n".join(tables(read(given.out))), end="")
    except Wrong as wrong:
        sys.exit(f"fashion.py: {wrong}")
    except KeyboardInterrupt:
        sys.exit(f"\nfashion.py: stopped; finished runs are in {given.out}; run the same command to continue")


if __name__ == "__main__":
    main()
