"""The results are data: compact files, from which a page of tables and figures are made, and nothing else of the runs is in the repository.

  results_test.py SOURCE_DIR ARGAND

docs/guides/results-tables.md is what bench/results/appendix.py prints; the tables of speed/ and retrieval/ are in their pages; what chapter 11 says of
an interval or of a mean is in the page of tables. A small ablation is trained, kept and made compact: bench/results/tables.py must then say
what `argand ablate` says, and what spoils a file must show.
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
appendix, comparison, compact, measured, tables, tasks = (
    importlib.import_module(name) for name in ("appendix", "comparison", "compact", "measured", "tables", "tasks"))
drawing = importlib.import_module("results")
failures = []


def expect(holds, fault):
    if not holds:
        failures.append(fault)


def read(*path):
    return source.joinpath(*path).read_text(encoding="utf8")


def ablate(*words):
    return subprocess.run([argand, "ablate", *words], capture_output=True, text=True, check=False)


# No archive.
files = [path for path in (source / "bench").rglob("*") if path.is_file() and "__pycache__" not in path.parts]
size = sum(path.stat().st_size for path in files)
expect(len(files) <= 80 and size <= 2e6, f"bench/ has {len(files)} files and {size / 1e6:.1f} MB; 80 and 2 MB are the most")
expect(re.search(r"\b[0-9a-f]{64}\b", read("bench", "results", "README.md")), "bench/results/README.md has no sha256 of the logs")

# The files, and the pages that are made of them.
for path in sorted((results / "tables").glob("*.json")):
    text = path.read_text(encoding="utf8")
    expect(not re.search(r'": ?"(?:[^"]*,)?/', text), f"{path.name} has a path of a machine")
    for row in json.loads(text).get("rows", []):
        seeds = [run["seed"] for run in row["runs"]]
        expect(len(set(seeds)) == len(seeds) >= 3, f"{path.name}: {row['row']} has the seeds {seeds}")
page = appendix.page()
expect(page == read("docs", "guides", "results-tables.md"), "docs/guides/results-tables.md is not what bench/results/appendix.py --write makes")
listed = {name for name, *_ in appendix.BEST + appendix.TABLES}
expect({path.stem for path in (results / "tables").glob("[asb][gme]*-*.json")} == listed, "the page of tables has other tables than bench/results/tables")
for name, where, count in (("speed", ("bench", "results", "speed", "README.md"), 2), ("retrieval", ("docs", "09-crat.md"), 1)):
    made = subprocess.run([sys.executable, results / name / "table.py"], capture_output=True, text=True, check=True).stdout
    blocks = made.strip().split("\n\n")
    expect(len(blocks) == count and all(block in read(*where) for block in blocks), f"{'/'.join(where)} does not hold the tables of {name}:\n{made}")

# The chapter is short, and its intervals are those of the tables.
chapter = read("docs", "11-results.md")
expect(len(chapter.split()) <= 3000, f"chapter 11 has {len(chapter.split())} words")
NUMBERS = r"[+-]?\d+\.\d+(?: %)? \[[^\]\n]*\d\]|\d+\.\d+ ± \d+\.\d+"


def cited_in(text):
    return re.findall(NUMBERS, text.replace(" points [", " ["))


cited = cited_in(chapter)
expect(len(cited) >= 40, f"chapter 11 cites {len(cited)} intervals and means")
for found in cited:
    expect(found in page, f"chapter 11 says {found}, the tables do not")
expect(cited_in("By 3.9 points [+2.3, +5.5], 1.0 ± 0.3.") == ["3.9 [+2.3, +5.5]", "1.0 ± 0.3"], "the numbers of a sentence are not seen")

for share, freedom, t in ((0.95, 1, 12.7062), (0.95, 2, 4.30265), (0.995, 4, 5.59757), (0.95, 9, 2.26216), (0.99, 30, 2.75)):
    found = comparison.quantile(share, freedom)
    expect(abs(found - t) < 1e-4, f"Student's t with {freedom} degrees of freedom has {found} at {share}")
near = [{"difference": d, "differences": [d - 1, d + 1]} for d in (0.5, -1.0, 2.0, 2.5)]
far = {"difference": -26.0, "differences": [-26.5, -25.5]}
for rows, outside in (([far, *near], [far]), (near, []), ([near[0], far], [])):
    expect(drawing.far_away(rows) == outside, f"rows far away: {drawing.far_away(rows)}")

# Powers of rates, and the texts of tasks: a digit points at its answer, columns have their carries.
expect(abs(measured.slope([(1, 3), (2, 12), (4, 48)]) - 2) < 1e-12, "y = 3 x² has another power than 2")
expect(tasks.sum_of(347, 85) == ("347+85=", "12,13,04:432\n"), f"347 + 85 is worked out as {tasks.sum_of(347, 85)}")
for (question, answer), _ in zip(tasks.steps(random.Random(3), 5), range(200)):
    expect(question[-1].isdigit() and question[-1 - int(question[-1])] == answer and len(question) > 5, f"{question} does not ask for {answer}")

# The program and tables.py say the same.
with tempfile.TemporaryDirectory() as scratch:
    out, kept, name = Path(scratch, "out"), Path(scratch, "kept"), Path(scratch, "small.json")
    sizes = "d_model=16,d_ff=16,n_layers=1,n_heads=2,length=16,batch=4"
    rows = ("none", "qk", "half_qk")
    experiment = Path(scratch, "small.toml")
    experiment.write_text("family = 'crope'\nsource = 'a figure'\nnote = 'A note.'\n" + "".join(
        f"[[row]]\nname = '{row}'\nwhat = 'projections {row}'\nsettings = {{ family = 'crope', mode = '{row}' }}\npaper = '{len(row)}.5'\n" for row in rows) + """
[[claim]]
paper = 'lowest'
better = 'none'
worse = 'half_qk'
[[claim]]
paper = 'alike'
better = 'qk'
worse = 'half_qk'
within = 2.5
[[claim]]
paper = 'on the moon'
out_of_reach = 'needs a moon'
""", encoding="utf8")
    done = ablate(experiment, "--seeds", "3", "--steps", "110", "--threads", "1", "--set", sizes, "--out", out)
    done = done if done.returncode else ablate(experiment, "--out", out, "--keep", kept)
    expect(done.returncode == 0, f"a small ablation: {done.stderr}")
    if done.returncode == 0:
        for k, row in enumerate(rows):
            spans = [{"first": 1 + last // 2, "last": last, "loss": 5 + 0.1 * k + 0.2 * i} for i, last in enumerate((16, 32, 64))]
            (kept / row / "seed-0" / "positions.json").write_text(json.dumps({"length": 64, "trained_length": 32, "positions": spans[:2 if row == "qk" else 3]}))
        small = compact.compact(kept)
        name.write_text(compact.text_of(small), encoding="utf8")
        ours, theirs = tables.Results(name).text(["rows", "pace", "claims"]), (kept / "table.md").read_text(encoding="utf8")
        for part in ("steps to a training loss", "2.5 % apart at most", "needs a moon", "A note."):
            expect(part in theirs, f"the small ablation does not say {part}:\n{theirs}")
        expect(ours == theirs, f"tables.py says\n{ours}\nand argand ablate\n{theirs}")
        svg = drawing.drawn(tables.Results(name)).svg()
        expect(svg.count("<circle") == 1 + 2 * 3 and all(f">{row}</text>" in svg for row in rows), f"the figure has other rows or seeds:\n{svg}")
        svg = drawing.positions(tables.Results(name)).svg()
        expect(svg.count("<circle") == 3 + 2 + 3 and ">qk, to 32</text>" in svg, f"the figure of positions has other rows or spans:\n{svg}")
        for spoil in (lambda runs: runs.pop(), lambda runs: runs[0].update(loss=runs[0]["loss"] + 0.01)):
            spoilt = json.loads(name.read_text(encoding="utf8"))
            spoil(spoilt["rows"][1]["runs"])
            Path(scratch, "spoilt.json").write_text(json.dumps(spoilt))
            expect(tables.Results(Path(scratch, "spoilt.json")).text(["rows"]) != tables.Results(name).text(["rows"]), "a run that is gone, or another loss, does not show")

for failure in failures:
    print(failure)
count = page.count("\n|---")
print(f"{count} tables, {len(cited)} numbers of the chapter, {len(failures)} failures")
sys.exit(bool(failures))
