"""The tables of measured runs are those of the kept logs, and the book shows them as they are.

  results_test.py SOURCE_DIR

bench/results/ablations/FAMILY holds table.md, as `argand ablate` wrote it, and of every run ROW-seed-S.log, what it printed;
bench/results/shakespeare the logs of its runs and table.py, which makes the table of them; bench/results/retrieval what
`argand retrieval --out` wrote, with a table.py likewise, whose table is in docs/09-crat.md.
"""
import json
import os
import re
import statistics
import subprocess
import sys

source = sys.argv[1]
folder = os.path.join(source, "bench", "results", "ablations")
failures = []


def read(*path):
    with open(os.path.join(*path), encoding="utf8") as file:
        return file.read()


def last_figure(log):
    """The accuracy or the perplexity after the last step: that of the last validation that was printed."""
    figures = re.findall(r"^(?:step \d+: validation loss [\d.]+, perplexity|loss [\d.]+, accuracy) ([\d.]+)", log, re.M)
    return float(figures[-1])


chapter = read(source, "docs", "11-results.md")
families = sorted(os.listdir(folder))
if families != ["complexformer", "crat", "crope", "qic"]:
    failures.append(f"bench/results/ablations holds {families}")
for family in families:
    table = read(folder, family, "table.md")
    if table.strip() not in chapter:
        failures.append(f"docs/11-results.md does not hold the table of {family} as it is in bench/results/ablations")
    runs = {}
    for name in sorted(os.listdir(os.path.join(folder, family))):
        if match := re.fullmatch(r"(.+)-seed-\d+\.log", name):
            runs.setdefault(match[1], []).append(last_figure(read(folder, family, name)))
    rows = re.findall(r"^\| ([\w-]+) \|[^|]*\| \d+ \| ([\d.]+)(?: ± ([\d.]+))? \((\d+)\) \|", table, re.M)
    if {row[0] for row in rows} != set(runs):
        failures.append(f"{family}: the table has the rows {[row[0] for row in rows]}, there are logs of {sorted(runs)}")
    for row, mean, deviation, seeds in rows:
        figures = runs.get(row, [])
        # Logs hold one or two decimals, the table one of the mean of unrounded figures.
        if len(figures) != int(seeds) or abs(statistics.mean(figures) - float(mean)) > 0.11:
            failures.append(f"{family}, {row}: the table says {mean} of {seeds} seeds, the logs {figures}")
        elif len(figures) > 1 and abs(statistics.stdev(figures) - float(deviation)) > 0.11:
            failures.append(f"{family}, {row}: the table says ± {deviation}, the logs {statistics.stdev(figures):.2f}")

script = os.path.join(source, "bench", "results", "shakespeare", "table.py")
table = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True).stdout
if table.count("(3)") != 6:
    failures.append(f"the table of the preset shakespeare has not three seeds of six models:\n{table}")
if table.strip() not in chapter:
    failures.append(f"docs/11-results.md does not hold the table of the preset shakespeare:\n{table}")

folder = os.path.join(source, "bench", "results", "retrieval")
table = subprocess.run([sys.executable, os.path.join(folder, "table.py")], capture_output=True, text=True, check=True).stdout
if table.strip() not in read(source, "docs", "09-crat.md"):
    failures.append(f"docs/09-crat.md does not hold the table of searches as it is in bench/results/retrieval:\n{table}")
for row in json.loads(read(folder, "results.json"))["methods"]:
    if row["of"] and (len(row["of"]) < 3 or len(row["recall"]) != len(row["of"])):
        failures.append(f"searches: {row['method']} was learnt with the seeds {row['of']}, with {len(row['recall'])} results")
    if any(recall != sorted(recall) or recall[-1] > 1 for recall in row["recall"]):
        failures.append(f"searches: {row['method']} finds fewer among more: {row['recall']}")

for failure in failures:
    print(failure)
print(f"{len(families) + 2} tables, {len(failures)} failures")
sys.exit(bool(failures))
