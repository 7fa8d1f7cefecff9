"""The tables of measured runs are those of the kept logs, and the book shows them as they are.

  results_test.py SOURCE_DIR ARGAND

A folder of bench/results/ablations holds kept runs: `argand ablate FAMILY --check` makes its tables again, and families.py one of all
language models. bench/results/shakespeare has the logs of its runs and table.py, which makes the table of them. bench/results/costs has
what a few steps of every row cost, likewise checked by `argand ablate --check`. bench/results/retrieval holds what `argand retrieval --out`
wrote, with a table.py likewise, whose table is in docs/09-crat.md; bench/results/speed what bench/compare.py printed, and its table.
bench/results/repeated has rows that were trained again: `argand ablate --repeat --table` says of them what repeated.md does, and its
table.py puts these tables together. The numbers in the sentences of the chapter are those of the logs, too: bench/results/quoted.txt says
which, and quoted.py compares.
"""
import collections
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

source, argand = sys.argv[1:]
folder = os.path.join(source, "bench", "results", "ablations")
chapter_name = "docs/11-results.md"
failures = []


def read(*path):
    with open(os.path.join(*path), encoding="utf8") as file:
        return file.read()


def ablate(*words):
    return subprocess.run([argand, "ablate", *words], capture_output=True, text=True, check=False)


def printed_by(*path):
    """What a script of bench/results prints: a table."""
    script = os.path.join(source, "bench", "results", *path)
    return subprocess.run([sys.executable, script], capture_output=True, text=True, check=True).stdout


def blocks(table):
    """What is between empty lines: a table, what it means, the claims, ..."""
    return [block for block in table.strip().split("\n\n") if block]


def kept(path):
    """Faults of a folder of kept runs, the book aside."""
    found = []
    for name in ("ablation.json", *(os.path.join(row, seed, "config.json") for row in sorted(os.listdir(path))
                                    if os.path.isdir(os.path.join(path, row)) for seed in sorted(os.listdir(os.path.join(path, row))))):
        if re.search(r'": ?"(?:[^"]*,)?/', read(path, name)):
            found.append(f"{path}/{name} has a path of a machine")
    family = json.loads(read(path, "ablation.json"))["family"]
    done = ablate(family, "--check", path)
    if done.returncode != 0:
        found += (done.stdout + done.stderr).splitlines()
    return found


def not_in_chapter(path, name):
    """What the chapter does not hold of a file of tables, block by block. Of a block with numbers each file has one of its own."""
    missing = []
    for block in blocks(read(path, name)):
        needed[block] = needed[block] + 1 if re.search(r"\d", block) else 1
        if chapter.count(block) < needed[block]:
            missing.append(f"{chapter_name} does not hold this of {os.path.relpath(path, source)}/{name} as it is, or not once for each file "
                           f"that has it:\n{block}")
    return missing


chapter, needed = read(source, chapter_name), collections.Counter()
tables, families = 0, set()
for path, _, files in sorted(os.walk(folder)):
    if "table.md" not in files:
        continue
    tables += 1
    families.add(os.path.basename(path))
    failures += kept(path)
    for name in [name for name in ("table.md", "probes.md") if name in files]:
        failures += not_in_chapter(path, name)
if families != {"complexformer", "crat", "crope", "qic"}:
    failures.append(f"bench/results/ablations holds tables of {sorted(families)}")

folder = os.path.join(source, "bench", "results", "costs")
for name in ("complexformer", "crope", "crat", "qic"):
    tables += 1
    if not os.path.exists(os.path.join(folder, name, "costs.md")):
        failures.append(f"bench/results/costs has no costs.md of {name}")
        continue
    failures += kept(os.path.join(folder, name))
    failures += not_in_chapter(os.path.join(folder, name), "costs.md")

table = printed_by("shakespeare", "table.py")
tables += 1
if table.count("(3)") != 6:
    failures.append(f"the table of the preset shakespeare has not three seeds of six models:\n{table}")
if table.strip() not in chapter:
    failures.append(f"{chapter_name} does not hold the table of the preset shakespeare:\n{table}")

tables += 1
table = printed_by("families.py")
seeds = [int(count) for count in re.findall(r"\((\d+)\)", table)]
if len(seeds) < 2 * 25 or min(seeds) < 3 or table.strip() not in chapter:
    failures.append(f"{chapter_name} does not hold the table of all language models, 25 rows of three seeds at least:\n{table}")

table = printed_by("speed", "table.py")
tables += 1
if [block.count("\n") for block in blocks(table)] != [1 + 4 * 5, 1 + 3]:
    failures.append(f"there are not five models of four shapes and three seeds in the tables of speeds:\n{table}")
for block in blocks(table):
    if block not in read(source, "bench", "results", "speed", "README.md"):
        failures.append(f"bench/results/speed/README.md does not hold this table of its measurements:\n{block}")

# The numbers in the chapter's sentences. What compares them sees a number that is another one, an interval that is nobody's, and a piece that
# is not there; and it puts the first right.
sys.path.insert(0, os.path.join(source, "bench", "results"))
sys.dont_write_bytecode = True
import quoted  # noqa: E402

faults, corrected, changes, pieces = quoted.compare(chapter)
failures += faults
if corrected != chapter or changes or pieces < 100:
    failures.append("quoted.txt: it is shorter than it was, or the chapter has other numbers than the logs")
some = re.search(r"RoPE's perplexity is ([\d.]+) % higher \(([\d.]+) to", chapter)
for wrong, seen, again in ((chapter[:some.start(2)] + "9.9" + chapter[some.end(2):], f"'9.9' should be '{some[2]}'", chapter),
                           (chapter + "\nIt is 3.0 % higher (2.0 to 4.0).\n", "'(2.0 to 4.0' is in no piece", None),
                           (chapter + "\nIts interval is 1.5 to 2.5.\n", "'interval is 1.5 to 2.5' is in no piece", None),
                           (chapter + "\nIt is lower, −1.5 to 2.5.\n", "'−1.5 to 2.5' is in no piece", None),
                           (chapter[:some.start()] + chapter[some.end():], "0 times in", None)):
    faults, corrected, *_ = quoted.compare(wrong)
    if not any(seen in fault for fault in faults) or corrected != (again or wrong):
        failures.append(f"quoted.py does not say {seen}, but {faults}")
table = quoted.table_of("small-1500/complexformer")
for field in ("nobody.by", "rope@1-2.mean", "rope; fixed.by", "-rope.mean", "rope.worst", "full@delta=0.mean", "rope of nowhere.mean"):
    try:
        failures.append(f"quoted.py answers {table.value(field)} to {field}")
    except (KeyError, ValueError, OSError):
        pass
for share, freedom, t in ((0.95, 1, 12.7062), (0.95, 2, 4.30265), (0.995, 4, 5.59757), (0.95, 9, 2.26216), (0.99, 30, 2.75)):
    if abs(quoted.quantile(share, freedom) - t) > 1e-4:
        failures.append(f"quoted.py: Student's t with {freedom} degrees of freedom has {quoted.quantile(share, freedom)} at {share}")

# What looks at kept runs sees: a small ablation is kept and drawn, then spoilt.
sys.path.insert(0, os.path.join(source, "docs", "figures"))
import results as drawing  # noqa: E402

near = [{"difference": d, "differences": [d - 1, d + 1]} for d in (0.5, -1.0, 2.0, 2.5)]
far = {"difference": -26.0, "differences": [-26.5, -25.5]}
if drawing.far_away([far, *near]) != [far] or drawing.far_away(near) or drawing.far_away([near[0], far]):
    failures.append(f"rows far away: {drawing.far_away([far, *near])}, {drawing.far_away(near)}, {drawing.far_away([near[0], far])}")

with tempfile.TemporaryDirectory() as scratch:
    out, keep = os.path.join(scratch, "out"), os.path.join(scratch, "kept")
    sizes = "d_model=16,d_ff=16,n_layers=1,n_heads=2,length=16,batch=4"
    done = ablate("crope", "--rows", "none,qk,half_qk", "--seeds", "3", "--steps", "12", "--threads", "1", "--set", sizes, "--out", out)
    done = done if done.returncode else ablate("crope", "--out", out, "--keep", keep)
    if done.returncode != 0:
        failures.append(f"a small ablation: {done.stderr}")
    else:
        failures += kept(keep)
        svg = drawing.draw(os.path.join(keep, "table.json")).svg()
        if svg.count("<circle") != 1 + 2 * 3 or any(f">{row}</text>" not in svg for row in ("none", "qk", "half_qk")):
            failures.append(f"the figure of a small ablation has other rows or seeds:\n{svg}")
        for k, row in enumerate(("none", "qk", "half_qk")):
            with open(os.path.join(keep, row, "seed-0", "positions.json"), "w", encoding="utf8") as file:
                spans = [{"last": last, "loss": 5 + 0.1 * k + 0.2 * i} for i, last in enumerate((16, 32, 64))]
                json.dump({"trained_length": 32, "positions": spans[:2 if row == "qk" else 3]}, file)
        svg = drawing.positions(keep).svg()
        if svg.count("<circle") != 3 + 2 + 3 or any(f">{row}</text>" not in svg for row in ("none", "qk, to 32", "half_qk")):
            failures.append(f"the figure of positions has other rows or spans:\n{svg}")
        for row in ("none", "qk", "half_qk"):
            os.remove(os.path.join(keep, row, "seed-0", "positions.json"))
        config = os.path.join(keep, "qk", "seed-0", "config.json")
        text = read(config)
        with open(config, "w", encoding="utf8") as file:
            file.write(text.replace('"grammar"', '"/home/me/grammar"'))
        if len(kept(keep)) != 1:
            failures.append("a path of a machine is not seen")
        shutil.rmtree(os.path.join(keep, "qk", "seed-0"))
        if not any("the logs say" in line for line in kept(keep)):
            failures.append("a run that is gone is not missed")

folder = os.path.join(source, "bench", "results", "retrieval")
tables += 1
table = printed_by("retrieval", "table.py")
if table.strip() not in read(source, "docs", "09-crat.md"):
    failures.append(f"docs/09-crat.md does not hold the table of searches as it is in bench/results/retrieval:\n{table}")
for row in json.loads(read(folder, "results.json"))["methods"]:
    if row["of"] and (len(row["of"]) < 3 or len(row["recall"]) != len(row["of"])):
        failures.append(f"searches: {row['method']} was learnt with the seeds {row['of']}, with {len(row['recall'])} results")
    if any(recall != sorted(recall) or recall[-1] > 1 for recall in row["recall"]):
        failures.append(f"searches: {row['method']} finds fewer among more: {row['recall']}")

folder = os.path.join(source, "bench", "results", "repeated")
tables += 1
rows = 0
for path, _, files in sorted(os.walk(folder)):
    if "repeated.md" not in files:
        continue
    family, setting = os.path.basename(path), os.path.basename(os.path.dirname(path))
    with tempfile.TemporaryDirectory() as scratch:
        out = shutil.copytree(path, os.path.join(scratch, "out"), ignore=lambda *_: ["repeated.md"])
        first = os.path.join(source, "bench", "results", "ablations", setting, family)
        done = ablate(family, "--repeat", first, "--table", "--out", out)
        if done.returncode != 0:
            failures.append(f"{path}: {done.stdout}{done.stderr}")
        elif read(out, "repeated.md") != read(path, "repeated.md"):
            failures.append(f"{path}/repeated.md is not what its logs say:\n{read(out, 'repeated.md')}")
    rows += read(path, "repeated.md").count(" |\n") - 1
table = printed_by("repeated", "table.py")
if rows < 5 or table.count(" |\n") != rows + 1 or table.strip() not in chapter:
    failures.append(f"{chapter_name} does not hold the table of the rows that were repeated, {rows}:\n{table}")

for failure in failures:
    print(failure)
print(f"{tables} tables, {len(failures)} failures")
sys.exit(bool(failures))
