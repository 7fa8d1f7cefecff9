"""Figures of the results in bench/results/tables: the differences of each table, and perplexity by position."""
import json
import math
import subprocess
from pathlib import Path

import plot
from plot import Figure, Panel

TABLES = Path(__file__).resolve().parents[2] / "bench" / "results" / "tables"


def marks(low, high):
    """About five round numbers between low and high, multiples of one step."""
    rough = (high - low) / 5
    power = 10 ** math.floor(math.log10(rough))
    step = next(power * k for k in (1, 2, 5, 10) if power * k >= rough)
    return [round(k * step, 6) for k in range(math.ceil(low / step), math.floor(high / step) + 1)]


def far_away(rows):
    """The rows whose means are more than three times as far out as any dot of the nearer rows, so that they would squeeze these into a corner.
    Always fewer than half of the rows."""
    by_distance = sorted(rows, key=lambda row: abs(row["difference"]))
    for k in range(len(by_distance) // 2 + 1, len(by_distance)):
        if abs(by_distance[k]["difference"]) > 3 * max(abs(d) for row in by_distance[:k] for d in row["differences"]):
            return by_distance[k:]
    return []


def differences(file):
    """Draws each seed as a dot, the mean as a stroke and the table's interval as a line, which ends in an arrow where it leaves the panel. A
    row that is far away becomes an arrow with its number."""
    table = json.loads(subprocess.run([plot.ARGAND, "ablate", file, "--json"], capture_output=True, text=True, check=True).stdout)
    rows = [row for row in table["rows"] if row["differences"]]
    outside = far_away(rows[1:])
    dots = [d for row in rows if row not in outside for d in row["differences"]] + [0.0]
    spread = max(max(dots) - min(dots), 1e-6)
    low, high = min(dots) - 0.45 * spread, max(dots) + 0.45 * spread
    reference = rows[0]["row"]
    top, each = 34, 30
    f = Figure(top + each * len(rows) + 74)
    left = max(142, 16 + 7.4 * max(len(row["row"]) for row in rows))
    p = Panel(f, left, top, plot.WIDTH - 16 - left, each * len(rows), (low, high), (-len(rows) + 0.5, 0.5))
    sign = "{:+g}".format
    p.grid(marks(low, high), (), x_text=lambda x: "0" if x == 0 else sign(x).replace("-", "−"))
    p.path([complex(0, 0.5), complex(0, -len(rows) + 0.5)], "axis", 1.2)
    for k, row in enumerate(rows):
        y = -float(k)
        _, at = p.at(complex(0, y))
        f.words(row["row"], left - 8, at + 4, "end", size=13, bold=k == 0)
        if k == 0:
            p.dot(complex(0, y), "soft", 4)
            continue
        significant = row["verdict"] != "not significant"
        of = "a" if significant else "soft"
        if row in outside:
            edge, inwards = (low, 1) if row["difference"] < 0 else (high, -1)
            p.arrow(complex(edge + 0.12 * inwards * spread, y), complex(edge, y), of, 2)
            p.words(f"{row['difference']:+.1f}".replace("-", "−"), complex(edge + 0.14 * inwards * spread, y), 0, 4, "start" if inwards > 0 else "end", of, 13)
            continue
        if row["interval"]:
            first, last = (min(max(end, low), high) for end in row["interval"])
            p.path([complex(first, y), complex(last, y)], of, 2)
            for end, inside in ((row["interval"][0], row["interval"][0] >= low), (row["interval"][1], row["interval"][1] <= high)):
                if inside:
                    p.path([complex(end, y - 0.18), complex(end, y + 0.18)], of, 2)
                else:
                    edge = low if end < low else high
                    p.arrow(complex(edge - math.copysign(0.06 * spread, edge - (low + high) / 2), y), complex(edge, y), of, 2)
        p.path([complex(row["difference"], y - 0.3), complex(row["difference"], y + 0.3)], of, 3)
        for d in row["differences"]:
            p.dot(complex(d, y), "b", 3.2)
    unit = "perplexity, in %" if table["task"] == "lm" else "points of accuracy"
    bottom = top + each * len(rows)
    f.words(f"{unit}, against {reference}", left + p.width / 2, bottom + 36, of="soft", size=13)
    f.words("dot: a seed; line: 95 % interval; blue: significant", left + p.width / 2, bottom + 56, of="soft", size=13)
    return f


def apart(heights, least):
    """The heights, moved so that no two are closer than `least`; their order does not change."""
    order = sorted(range(len(heights)), key=lambda k: heights[k])
    moved = list(heights)
    for _ in range(100):
        for low, high in zip(order, order[1:]):
            overlap = least - (moved[high] - moved[low])
            if overlap > 0.01:
                moved[low], moved[high] = moved[low] - overlap / 2, moved[high] + overlap / 2
    return moved


def stroke(k):
    """Colour and dashes of the k-th line of a figure."""
    colours = ["a", "b", "along", "against", "warm", "bad"]
    return colours[k % len(colours)], ["", "6 4", "2 4"][k // len(colours) % 3]


def mean_losses(runs):
    """{last position of a span: mean loss over the runs, in nats}."""
    losses = {}
    for run in runs:
        for _, last, loss in run.get("positions", {"losses": []})["losses"]:
            losses.setdefault(last, []).append(loss)
    return {last: sum(found) / len(found) for last, found in sorted(losses.items())}


def positions(file):
    """Draws perplexity against the number of preceding tokens, on logarithmic axes, with a line for each row."""
    kept = json.loads(file.read_text(encoding="utf8"))["rows"]
    rows = {row["row"]: mean_losses(row["runs"]) for row in kept}
    rows = {row: losses for row, losses in rows.items() if losses}
    trained = next(run["positions"]["trained_length"] for row in kept for run in row["runs"] if "positions" in run)
    every = [loss for losses in rows.values() for loss in losses.values()]
    low, high = min(every) - 0.05, max(every) + 0.05
    ends = sorted({last for losses in rows.values() for last in losses})
    names = {row: row if max(losses) == ends[-1] else f"{row}, to {max(losses)}" for row, losses in rows.items()}
    f = Figure(330)
    p = Panel(f, 46, 34, plot.WIDTH - 62 - 7.2 * max(map(len, names.values())), 232, (math.log2(ends[0]) - 0.3, math.log2(ends[-1]) + 0.1), (low, high))
    round_ones = [v for v in (30, 40, 60, 80, 100, 150, 200, 300, 400, 600, 800, 1200, 1600, 2400, 3200, 4800) if low <= math.log(v) <= high]
    p.grid([math.log2(end) for end in ends], [math.log(v) for v in round_ones], "up to this many tokens of the window come before", "perplexity",
           x_text=lambda x: f"{2**x:.0f}", y_text=lambda y: f"{math.exp(y):.0f}")
    p.path([complex(math.log2(trained), low), complex(math.log2(trained), high)], "soft", 1.4, "4 4")
    p.words("trained to here", complex(math.log2(trained), high), -5, 14, "end", "soft", 12)
    heights = apart([p.at(complex(0, losses[max(losses)]))[1] for losses in rows.values()], 15)
    for k, (row, losses) in enumerate(rows.items()):
        of, dash = stroke(k)
        p.path([complex(math.log2(end), loss) for end, loss in losses.items()], of, 2, dash)
        for end, loss in losses.items():
            p.dot(complex(math.log2(end), loss), of, 2.6)
        f.words(names[row], p.left + p.width + 8, heights[k] + 4, "start", of, 13)
    return f


FRONTIER = {  # the rows of each table, and their names in the figure
    "best-positions": {"rope": "RoPE", "full": "ComplexFormer", "rope-frequencies-scaled": "ComplexFormer, scaled"},
    "best-crope": {"none": "dense, Muon", "all": "CRoPE, Muon"},
    "best-crat": {"full": "CRAT", "rope-untied": "RoPE, untied", "retro": "RETRO", "fid": "FiD"},
}


def work_and_loss(runs, steps, smooth=9):
    """(10¹² FLOPs, mean training loss over the runs and over `smooth` logged steps)."""
    mean = [sum(losses) / len(runs) for losses in zip(*(run["curve"] for run in runs))]
    per_step = sum(run["flops_per_step"] for run in runs) / len(runs) / 1e12
    middle = smooth // 2
    return [(per_step * steps[k], sum(mean[k - middle:k + middle + 1]) / smooth) for k in range(middle, len(mean) - middle)]


def frontier():
    """Draws the training loss, as a perplexity, against the work done: at equal work the lower line is ahead."""
    lines = {}
    for file, names in FRONTIER.items():
        table = json.loads((TABLES / f"{file}.json").read_text(encoding="utf8"))
        for row in table["rows"]:
            if row["row"] in names:
                lines[names[row["row"]]] = work_and_loss(row["runs"], table["steps"])
    every = [point for line in lines.values() for point in line]
    low, high = min(loss for _, loss in every) - 0.06, math.log(140)
    first, last = math.log2(0.5), math.log2(1.15 * max(work for work, _ in every))
    f = Figure(380)
    p = Panel(f, 46, 34, plot.WIDTH - 62 - 156, 282, (first, last), (low, high), "x")
    p.grid(range(-1, math.floor(last) + 1), [math.log(v) for v in (20, 25, 30, 40, 50, 60, 80, 100, 140) if low <= math.log(v) <= high],
           "10¹² floating-point operations in products", "perplexity of the training text", x_text=lambda x: f"{2**x:g}", y_text=lambda y: f"{math.exp(y):.0f}")
    heights = apart([p.at(complex(0, line[-1][1]))[1] for line in lines.values()], 15)
    for k, (name, line) in enumerate(lines.items()):
        of, dash = stroke(k)
        p.path([complex(math.log2(work), loss) for work, loss in line], of, 2, dash)
        end, height = p.at(complex(math.log2(line[-1][0]), line[-1][1]))
        f.dot(end, height, of, 3)
        f.line([(end + 5, height), (p.left + p.width, heights[k]), (p.left + p.width + 5, heights[k])], of, 0.7, "2 3")
        f.words(name, p.left + p.width + 8, heights[k] + 4, "start", of, 13)
    return f


plot.FIGURES["results/frontier"] = frontier
for file in sorted(TABLES.glob("*-*.json")):
    if file.stem.startswith(("best-", "small-", "ag-news")):
        plot.FIGURES["results/" + file.stem] = lambda file=file: differences(file)
        if '"positions"' in file.read_text(encoding="utf8"):
            plot.FIGURES[f"results/{file.stem}-positions"] = lambda file=file: positions(file)
