"""Every example prints what tests/examples/NAME.txt says.

  example_test.py DIRECTORY PROGRAM...
"""
import difflib
import os
import subprocess
import sys

directory, programs = sys.argv[1], sys.argv[2:]
failed = 0
for program in programs:
    name = os.path.basename(program)
    with open(os.path.join(directory, name + ".txt"), encoding="utf8") as file:
        expected = file.read()
    run = subprocess.run([program], capture_output=True, text=True, check=False)
    difference = list(difflib.unified_diff(expected.splitlines(), run.stdout.splitlines(), name + ".txt", name, lineterm=""))
    if run.returncode != 0 or difference:
        failed += 1
        print(f"{name}: exit status {run.returncode}", run.stderr, *difference, sep="\n")
sys.exit(failed > 0)
