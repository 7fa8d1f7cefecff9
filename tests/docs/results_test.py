"""The repository keeps small data files of the runs and nothing else; a page of tables and the figures are made from these files.

  results_test.py SOURCE_DIR ARGAND

docs/guides/results-tables.md is the output of bench/results/appendix.py. `argand ablate --check` finds every table in it, but not
if a digit is changed. The tables of speed/ and retrieval/ are in their pages, and every interval and mean in chapter 11 is in the
page of tables. Figures drawn from a small table show its rows and seeds.
"""
import importlib
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

source, argand = Path(sys.argv[1]), sys.argv[2]
results = source / "bench" / "results"
sys.dont_write_bytecode = True
sys.path[:0] = [str(results), str(source / "docs" / "figures"), str(source / "experiments")]
appendix, measured, reporting, tasks, drawing, plot = (importlib.import_module(name) for name in ("appendix", "measured", "reporting", "tasks", "results", "plot"))
appendix.ARGAND = plot.ARGAND = argand
failures = []


def expect(holds, fault):
    if not holds:
        failures.append(fault)


def read(*path):
    return source.joinpath(*path).read_text(encoding="utf8")


def ablate(*words):
    return subprocess.run([argand, "ablate", *words], capture_output=True, text=True, check=False)


# There are no archives of runs in the repository.
files = [path for path in (source / "bench").rglob("*") if path.is_file() and "__pycache__" not in path.parts]
size = sum(path.stat().st_size for path in files)
expect(len(files) <= 80 and size <= 2e6, f"bench/ has {len(files)} files and {size / 1e6:.1f} MB; the limits are 80 files and 2 MB")
expect(re.search(r"\b[0-9a-f]{64}\b", read("bench", "results", "README.md")), "bench/results/README.md has no sha256 of the logs")

# The result files and the pages made from them.
for path in sorted((results / "tables").glob("*.json")) + sorted((results / "repeated").glob("*.json")):
    text = path.read_text(encoding="utf8")
    expect(not re.search(r'": ?"(?:[^"]*,)?/', text), f"{path.name} contains an absolute path")
    for row in json.loads(text).get("rows", []):
        seeds = [run["seed"] for run in row["runs"]]
        expect(path.parent.name == "repeated" or len(seeds) >= 3, f"{path.name}: {row['row']} has the seeds {seeds}")
page = appendix.page()
expect(page == read("docs", "guides", "results-tables.md"), "docs/guides/results-tables.md differs from the output of bench/results/appendix.py --write")
checked = ablate(results / "tables", "--check", source / "docs" / "guides" / "results-tables.md")
expect(checked.returncode == 0, f"argand ablate --check:\n{checked.stdout}{checked.stderr}")
listed = {name for name, *_ in appendix.BEST + appendix.TASKS + appendix.TABLES}
expect({path.stem for path in (results / "tables").glob("[asb][gme]*-*.json")} == listed, "the page of tables and bench/results/tables have different tables")
for name, where, count in (("speed", ("bench", "results", "speed", "README.md"), 3), ("retrieval", ("docs", "09-crat.md"), 1)):
    made = subprocess.run([sys.executable, results / name / "table.py"], capture_output=True, text=True, check=True).stdout
    blocks = made.strip().split("\n\n")
    expect(len(blocks) == count and all(block in read(*where) for block in blocks), f"{'/'.join(where)} does not contain the tables of {name}:\n{made}")

# The chapter is short, and its intervals agree with the tables.
chapter = read("docs", "11-results.md")
expect(len(chapter.split()) <= 3000, f"chapter 11 has {len(chapter.split())} words")
NUMBERS = r"[+-]?\d+\.\d+(?: %)? \[[^\]\n]*\d\]|\d+\.\d+ ± \d+\.\d+"


def cited_in(text):
    return re.findall(NUMBERS, text.replace(" points [", " ["))


cited = cited_in(chapter)
expect(len(cited) >= 40, f"chapter 11 cites {len(cited)} intervals and means")
for found in cited:
    expect(found in page, f"chapter 11 says {found}, which is not in the tables")
for family, name in (("ComplexFormer", "best-positions"), ("CRoPE", "best-crope"), ("CRAT", "best-crat"), ("QIC", "best-qic")):
    counts, _ = appendix.counted(appendix.told(f"tables/{name}.json")["claims"])
    expect(re.search(rf"\b{family} {counts}[;.]", chapter.replace("\n", " ")), f"chapter 11 must say that {counts} of {family}'s claims hold, fail and are open")
expect(cited_in("By 3.9 points [+2.3, +5.5], 1.0 ± 0.3.") == ["3.9 [+2.3, +5.5]", "1.0 ± 0.3"], "the numbers in a sentence are not found")

near = [{"difference": d, "differences": [d - 1, d + 1]} for d in (0.5, -1.0, 2.0, 2.5)]
far = {"difference": -26.0, "differences": [-26.5, -25.5]}
for rows, outside in (([far, *near], [far]), (near, []), ([near[0], far], [])):
    expect(drawing.far_away(rows) == outside, f"rows far away: {drawing.far_away(rows)}")

# The exponent of a fitted power law, and the texts of the tasks: the last digit points at the answer, and sums show their carries.
expect(abs(measured.slope([(1, 3), (2, 12), (4, 48)]) - 2) < 1e-12, "the fitted exponent of y = 3 x² is not 2")
expect(tasks.sum_of(347, 85) == ("347+85=", "12,13,04:432\n"), f"the sum 347 + 85 is written as {tasks.sum_of(347, 85)}")
for (question, answer), _ in zip(tasks.steps(random.Random(3), 5), range(200)):
    expect(question[-1].isdigit() and question[-1 - int(question[-1])] == answer and len(question) > 5, f"the answer to {question} is not {answer}")

# Intervals over texts. Three articles of equal weight, two seeds; then two of weights 1 and 3. The standard errors are worked out by hand.
runs, others = [{"tokens": [1, 1, 1], "loss": [1.0, 2.0, 3.0]}] * 2, [{"tokens": [1, 1, 1], "loss": [0.9, 1.8, 2.7]}, {"tokens": [1, 1, 1], "loss": [0.7, 1.6, 2.5]}]
expect([round(x, 6) for x in measured.by_texts(runs, others)] == [0.3, 0.1, 0.057735, 1.0], f"intervals over texts: {measured.by_texts(runs, others)}")
runs, others = [{"tokens": [1, 3], "loss": [1.0, 1.0]}] * 2, [{"tokens": [1, 3], "loss": [2.0, 0.8]}] * 2
expect([round(x, 6) for x in measured.by_texts(runs, others)] == [-0.1, 0.0, round(2**0.5 * 1.62**0.5 / 4, 6), 0.5], f"weighted texts: {measured.by_texts(runs, others)}")
runs, others = [{"correct": "1100"}] * 2, [{"correct": "1000"}, {"correct": "0000"}]
expect([round(x, 4) for x in measured.by_texts(runs, others)[:2]] == [37.5, 12.5], f"articles labelled correctly: {measured.by_texts(runs, others)}")
expect(abs(reporting.quantile(4) - 2.7764) < 1e-3 and abs(reporting.quantile(59) - 2.0010) < 1e-3 and reporting.quantile(5) < reporting.quantile(4.5) < reporting.quantile(4), "Student's t is wrong")

# A changed digit is detected in a file and in the page, and figures show the rows, seeds and spans of their table.
with tempfile.TemporaryDirectory() as scratch:
    name, spoilt = "small-1500-complexformer", Path(scratch, "spoilt.json")
    kept = json.loads((results / "tables" / f"{name}.json").read_text(encoding="utf8"))
    page_file = Path(scratch, "page.md")
    for spoil in (lambda rows: rows[1]["runs"].pop(), lambda rows: rows[1]["runs"][0].update(loss=rows[1]["runs"][0]["loss"] + 0.01)):
        changed = json.loads(json.dumps(kept))
        spoil(changed["rows"])
        spoilt.write_text(json.dumps(changed), encoding="utf8")
        page_file.write_text(page, encoding="utf8")
        found = ablate(spoilt, "--check", page_file)
        expect(found.returncode == 1 and "spoilt.json: rows: | shared |" in found.stdout, f"a missing run or a changed loss is not reported:\n{found.stdout}{found.stderr}")
    for table in ("**The value of learnt angles.**", "**By learning rate.**", "## Costs"):
        at = re.compile(r"\d\.(\d)").search(page, page.index("\n|---", page.index(table))).start(1)
        page_file.write_text(page[:at] + str((int(page[at]) + 1) % 10) + page[at + 1:], encoding="utf8")
        found = ablate(results / "tables", "--check", page_file)
        expect(found.returncode == 1 and found.stdout.count("\n") == 2, f"a changed digit under {table} is not reported:\n{found.stdout}{found.stderr}")
    kept["rows"] = kept["rows"][:3]
    for k, row in enumerate(kept["rows"]):
        row["runs"] = row["runs"][:3]
        spans = [[1 + last // 2, last, 5 + 0.1 * k + 0.2 * i] for i, last in enumerate((16, 32, 64))]
        for run in row["runs"]:
            run["positions"] = {"length": 64, "trained_length": 32, "losses": spans[:2 if k == 1 else 3]}
    spoilt.write_text(json.dumps(kept), encoding="utf8")
    svg = drawing.differences(spoilt).svg()
    expect(svg.count("<circle") == 1 + 2 * 3 and all(f">{row['row']}</text>" in svg for row in kept["rows"]), f"the figure has wrong rows or seeds:\n{svg}")
    svg = drawing.positions(spoilt).svg()
    expect(svg.count("<circle") == 3 + 2 + 3 and ">shared, to 32</text>" in svg, f"the figure of positions has wrong rows or spans:\n{svg}")

for failure in failures:
    print(failure)
count = page.count("\n|---")
print(f"{count} tables, {len(cited)} numbers in the chapter, {len(failures)} failures")
sys.exit(bool(failures))
