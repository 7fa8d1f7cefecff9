"""The table of search methods on AG News, from the output of `argand retrieval --out` next to this script.

  table.py      as Markdown: mean and sample standard deviation over the seeds, in %
"""
import json
import os
import statistics

folder = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(folder, "results.json"), encoding="utf8") as file:
    results = json.load(file)


def share(figures):
    figures = [100 * figure for figure in figures]
    return f"{statistics.mean(figures):.2f}" + (f" ± {statistics.stdev(figures):.2f}" if len(figures) > 1 else "")


print("| search | seeds | " + " | ".join(f"Recall@{depth}" for depth in results["depths"]) + " |")
print("|---|---:|" + "---:|" * len(results["depths"]))
for row in results["methods"]:
    print(f"| {row['method']} | {len(row['of']) or '-'} | " + " | ".join(share(figures) for figures in zip(*row["recall"])) + " |")
