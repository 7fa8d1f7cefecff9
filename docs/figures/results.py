"""Figures of the chapter of results: a table of `argand ablate` each, of the numbers that it keeps beside the logs."""
import glob
import json
import math
import os

import plot
from plot import Figure, Panel

KEPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench", "results", "ablations")


def marks(low, high):
    """Some five round numbers within, 0 among them."""
    rough = (high - low) / 5
    power = 10 ** math.floor(math.log10(rough))
    step = next(power * k for k in (1, 2, 5, 10) if power * k >= rough)
    return [round(k * step, 6) for k in range(math.ceil(low / step), math.floor(high / step) + 1)]


def differences(table):
    """Each seed a dot, the mean a stroke, the interval of the table a line; where that leaves the panel it ends in an arrow."""
    rows = [row for row in table["rows"] if row["differences"]]
    dots = [d for row in rows for d in row["differences"]] + [0.0]
    spread = max(max(dots) - min(dots), 1e-6)
    low, high = min(dots) - 0.45 * spread, max(dots) + 0.45 * spread
    reference = rows[0]["row"]
    top, each = 34, 30
    f = Figure(top + each * len(rows) + 74)
    p = Panel(f, 142, top, 322, each * len(rows), (low, high), (-len(rows) + 0.5, 0.5))
    sign = "{:+g}".format
    p.grid(marks(low, high), (), x_text=lambda x: "0" if x == 0 else sign(x).replace("-", "−"))
    p.path([complex(0, 0.5), complex(0, -len(rows) + 0.5)], "axis", 1.2)
    for k, row in enumerate(rows):
        y = -float(k)
        _, at = p.at(complex(0, y))
        f.words(row["row"], 134, at + 4, "end", size=13, bold=k == 0)
        if k == 0:
            p.dot(complex(0, y), "soft", 4)
            continue
        told = row["verdict"] != "cannot be told"
        of = "a" if told else "soft"
        if row["interval"]:
            left, right = (min(max(end, low), high) for end in row["interval"])
            p.path([complex(left, y), complex(right, y)], of, 2)
            for end, inside in ((row["interval"][0], row["interval"][0] >= low), (row["interval"][1], row["interval"][1] <= high)):
                if inside:
                    p.path([complex(end, y - 0.18), complex(end, y + 0.18)], of, 2)
                else:
                    edge = low if end < low else high
                    p.arrow(complex(edge - math.copysign(0.06 * spread, edge - (low + high) / 2), y), complex(edge, y), of, 2)
        p.path([complex(row["difference"], y - 0.3), complex(row["difference"], y + 0.3)], of, 3)
        for d in row["differences"]:
            p.dot(complex(d, y), "b", 3.2)
    unit = "perplexity, in %" if table["task"] == "lm" else "accuracy, in points"
    bottom = top + each * len(rows)
    f.words(f"{unit}, against {reference}: runs with the same seed", 303, bottom + 36, of="soft", size=13)
    f.words("dot: a seed; line: 95 % interval; blue: told apart", 303, bottom + 56, of="soft", size=13)
    return f


def draw(path):
    with open(path, encoding="utf8") as file:
        return differences(json.load(file))


for kept in sorted(glob.glob(os.path.join(KEPT, "**", "table.json"), recursive=True)):
    subject = os.path.relpath(os.path.dirname(kept), KEPT).replace(os.sep, "-")
    plot.FIGURES["results/" + subject] = lambda kept=kept: draw(kept)
