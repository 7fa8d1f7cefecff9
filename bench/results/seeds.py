#!/usr/bin/env python3
"""What the seeds of a table of accuracies are worth.

  seeds.py pairs TABLE.json ROW...   each row against the first one: Student's t with the runs as if they had nothing in common (Welch), and by
                                     pairs of the same seed, each with its degrees of freedom; and the correlation of the two rows
  seeds.py three TABLE.json          of all choices of three seeds (they overlap), in how many the interval of these three leaves out 0

TABLE.json is what `argand ablate` writes. The exercises of docs/11-results.md use it.
"""
import json
import sys
from itertools import combinations
from statistics import correlation, mean, stdev, variance


def pairs(rows, names):
    first, others = rows[0], {row["row"]: row for row in rows[1:]}
    for name in names:
        if name not in others:
            sys.exit(f"{name} is not one of {', '.join(others)}, which are compared with {first['row']}")
        of_seed = dict(zip(others[name]["seeds"], others[name]["values"]))
        x, y = zip(*((value, of_seed[seed]) for seed, value in zip(first["seeds"], first["values"]) if seed in of_seed))
        n, a, b = len(x), variance(x), variance(y)
        differences = [v - u for u, v in zip(x, y)]
        welch, freedom = mean(differences) / ((a + b) / n) ** 0.5, (n - 1) * (a + b) ** 2 / (a**2 + b**2)
        paired = mean(differences) / (stdev(differences) / n**0.5)
        print(f"{name:10} as strangers t = {welch:.1f} ({freedom:.0f} degrees of freedom), in pairs t = {paired:.1f} ({n - 1}), "
              f"correlation {correlation(x, y):+.2f}")


def three(rows):
    level = 1 - 0.025 / (len(rows) - 1)  # 95 %, to both sides, for all rows at once (Bonferroni)
    quantile = (2 * level - 1) / (2 * level * (1 - level)) ** 0.5  # of Student's t with two degrees of freedom
    for row in rows[1:]:
        choices = list(combinations(row["differences"], 3))
        told = sum(abs(mean(d)) > quantile * stdev(d) / 3**0.5 for d in choices)
        print(f"{row['row']:17} with all seeds: {row['verdict']:15} with three: told {told:3} times of {len(choices)}")


if len(sys.argv) < 3 or sys.argv[1] not in ("pairs", "three"):
    sys.exit(__doc__)
with open(sys.argv[2], encoding="utf8") as file:
    table = json.load(file)
if table["measure"] != "accuracy":
    sys.exit("only tables of accuracies: perplexities are compared by their losses")
if len(table["rows"]) < 2 or any(len(row["pairs"]) < 3 for row in table["rows"]):
    sys.exit("it takes two rows, and of each three runs with seeds of the first row")
if sys.argv[1] == "pairs":
    if len(sys.argv) == 3:
        sys.exit("which rows?")
    pairs(table["rows"], sys.argv[3:])
else:
    three(table["rows"])
