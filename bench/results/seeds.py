#!/usr/bin/env python3
"""What the seeds of a table are worth.

  seeds.py pairs TABLE.json ROW...   each row against the first one: Student's t with the runs as if they had nothing in common (Welch), and by
                                     pairs of the same seed; and the correlation of the two
  seeds.py three TABLE.json          in how many choices of three seeds the table of these three would have told each row from the first

TABLE.json is what `argand ablate` writes. The exercises of docs/11-results.md use it.
"""
import json
import sys
from itertools import combinations
from statistics import correlation, mean, stdev, variance


def pairs(rows, names):
    first = rows[0]["values"]
    for row in rows:
        if row["row"] in names:
            values, n = row["values"], len(first)
            differences = [y - x for x, y in zip(first, values)]
            welch = mean(differences) / ((variance(first) + variance(values)) / n) ** 0.5
            paired = mean(differences) / (stdev(differences) / n**0.5)
            print(f"{row['row']:10} as strangers {welch:4.1f}   in pairs {paired:4.1f}   correlation {correlation(first, values):+.2f}")


def three(rows):
    p = 1 - 0.025 / (len(rows) - 1)                  # Bonferroni: all rows at once
    t = (2 * p - 1) / (2 * p * (1 - p)) ** 0.5       # the quantile of Student's t with two degrees of freedom
    for row in rows[1:]:
        choices = list(combinations(row["differences"], 3))
        told = sum(abs(mean(d)) > t * stdev(d) / 3**0.5 for d in choices)
        print(f"{row['row']:17} with all seeds: {row['verdict']:15} with three: told {told:3} times of {len(choices)}")


if len(sys.argv) < 3 or sys.argv[1] not in ("pairs", "three"):
    sys.exit(__doc__)
with open(sys.argv[2], encoding="utf8") as file:
    table = json.load(file)["rows"]
if sys.argv[1] == "pairs":
    pairs(table, sys.argv[3:])
else:
    three(table)
