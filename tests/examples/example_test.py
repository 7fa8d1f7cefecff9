"""Every example prints tests/examples/NAME.txt, stays under 120 lines, and is in examples/README.md with its command.

  example_test.py SOURCE_DIR PROGRAM...

A line /.../ of NAME.txt is a regular expression, for output that depends on rounding and so on the machine. An example without a
NAME.txt is half of a program in two languages, which has a separate test.
"""
import difflib
import os
import re
import subprocess
import sys

LONGEST = 120
source, programs = sys.argv[1], sys.argv[2:]
failed = 0


def read(*path):
    with open(os.path.join(source, *path), encoding="utf8") as file:
        return file.read()


def complain(*lines):
    global failed
    failed += 1
    print(*lines, sep="\n")


def lines_alike(expected, printed):
    """The printed lines, with each line that matches its expected regular expression replaced by that expression."""
    return [e if e.startswith("/") and e.endswith("/") and re.fullmatch(e[1:-1], p) else p
            for e, p in zip(expected, printed)] + printed[len(expected):]


ladder = read("examples", "README.md")
for program in programs:
    name = os.path.basename(program)
    length = read("examples", name + ".cpp").count("\n")
    if length >= LONGEST:
        complain(f"{name}.cpp: {length} lines; examples must have fewer than {LONGEST}")
    if f"({name}.cpp)" not in ladder or f"build/examples/{name}" not in ladder:
        complain(f"examples/README.md does not show {name}.cpp and how to run build/examples/{name}")
    if not os.path.exists(os.path.join(source, "tests", "examples", name + ".txt")):
        if os.path.exists(os.path.join(source, "examples", name + ".py")):
            continue
        complain(f"tests/examples/{name}.txt does not exist")
        continue
    expected = read("tests", "examples", name + ".txt").splitlines()
    run = subprocess.run([program], capture_output=True, text=True, check=False)
    printed = lines_alike(expected, run.stdout.splitlines())
    difference = list(difflib.unified_diff(expected, printed, name + ".txt", name, lineterm=""))
    if run.returncode != 0 or difference:
        complain(f"{name}: exit status {run.returncode}", run.stderr, *difference)
sys.exit(failed > 0)
