"""docs/guides/coverage.md maps the papers' statements to their implementation: no cell is empty, and everything it names exists.

  coverage_test.py SOURCE_DIR ARGAND

Checks files, rows of experiments, commands and their options, configuration keys and values, and ops. readme_test.py checks links.
"""
import functools
import os
import re
import subprocess
import sys

source, argand = sys.argv[1:]
STATES = ("yes", "in part", "differs", "not here")
WORDS = r"`(\w+)=([\w.-]+)`"


@functools.cache
def helped(*words):
    """The help text of a command, or "" if the command does not exist."""
    done = subprocess.run([argand, *words, "--help"], capture_output=True, text=True, check=False)
    return done.stdout if f"argand {' '.join(words)} [" in done.stdout else ""


known = helped("train", "lm") + helped("train", "classify")
experiments = {}
for name in os.listdir(os.path.join(source, "experiments")):
    if name.endswith(".toml"):
        with open(os.path.join(source, "experiments", name), encoding="utf8") as file:
            experiments["experiments/" + name] = set(re.findall(r'^\[\[row\]\]\nname = "([^"]+)"', file.read(), re.M))
with open(os.path.join(source, "docs", "ops.md"), encoding="utf8") as file:
    ops = file.read()


def faults_of(text):
    faults, tables = [], 0
    for part in re.split(r"^## ", text, flags=re.M)[1:]:
        lines = [line for line in part.splitlines() if line.startswith("|")]
        tables += 1
        if len(lines) < 2 + 18:
            faults.append(f"{part.splitlines()[0]}: {len(lines) - 2} statements")
        for line in lines[2:]:
            cells = [cell.strip() for cell in line.strip()[1:-1].split("|")]
            at = cells[0][:60]
            if len(cells) != 3 or not all(cells):
                faults.append(f"{at}: expected three cells that are not empty")
                continue
            if not cells[2].startswith(STATES):
                faults.append(f"{at}: the status begins with none of {', '.join(STATES)}")
            elif not cells[2].startswith("yes") and not re.match(rf"({'|'.join(STATES)})[^:]*: \S|.*, for ", cells[2]):
                faults.append(f"{at}: {cells[2]} gives no reason")
            if not re.search(r"`|\]\(", cells[1]):
                faults.append(f"{at}: names neither a file nor a command")
            for path in re.findall(r"`([a-z_]+/[\w./-]*)`", line):
                if not os.path.exists(os.path.join(source, path)):
                    faults.append(f"{at}: there is no {path}")
            for file, rows in re.findall(r"`(experiments/[\w-]+\.toml)`: ((?:`[\w-]+`(?:, )?)+)", line):
                faults += [f"{at}: {file} has no row {row}" for row in re.findall(r"`([^`]+)`", rows) if row not in experiments.get(file, ())]
            for key, value in re.findall(WORDS, line):
                option = re.search(rf"--{key.replace('_', '-')}[ ,]([^\n]*)", known)
                if not option:
                    faults.append(f"{at}: unknown key {key}")
                elif re.fullmatch(r"[a-z_]+", value) and "|" in option[1] and not re.search(rf"\b{value}\b", option[1]):
                    faults.append(f"{at}: {value} is not a value of {key}")
            for command in re.findall(r"`argand ([^`]+)`", line):
                words = re.match(r"(?:train )?\w+", command)[0].split()
                faults += [f"{at}: argand {' '.join(words)} has no {option}" for option in re.findall(r"--[\w-]+", command)
                           if not re.search(rf"(?<![\w-]){option}(?![\w-])", helped(*words))]
                faults += [] if helped(*words) else [f"{at}: there is no argand {' '.join(words)}"]
            for op in re.findall(r"`argand gradcheck (\w+)`", line):
                if f"{op}" not in ops:
                    faults.append(f"{at}: unknown op {op}")
    if tables != 4:
        faults.append(f"{tables} papers")
    return faults


with open(os.path.join(source, "docs", "guides", "coverage.md"), encoding="utf8") as file:
    page = file.read()
failures = faults_of(page)
# The test must detect corrupted rows.
row = "\n| Values stay real | {} | {} |\n"
for corrupted, fault in ((("", "yes"), "three cells"), (("`nn/nowhere.h`", "yes"), "no nn/nowhere.h"), (("nn", "yes"), "neither a file"), (("`nn/family.h`", "perhaps"), "begins with"),
                      (("`nn/family.h`", "differs"), "no reason"), (("`experiments/qic.toml`: `learnt`", "yes"), "no row learnt"), (("`thta=fixed`", "yes"), "unknown key thta"),
                      (("`theta=fixd`", "yes"), "fixd is not a value of theta"), (("`argand gradcheck phase_rotatoin`", "yes"), "unknown op phase_rotatoin"),
                      (("`argand eval RUN --position 8`", "yes"), "has no --position"), (("`argand evaluate RUN`", "yes"), "no argand evaluate")):
    if not any(fault in found for found in faults_of(page.rstrip() + row.format(*corrupted))):
        failures.append(f"{corrupted} does not fail with '{fault}'")
for failure in failures:
    print(failure)
print(f"{page.count(chr(10) + '|') - 8} statements, {len(failures)} failures")
sys.exit(bool(failures))
