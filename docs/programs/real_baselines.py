"""Runs the examples that compare a complex model with a real baseline, and prints their results as one table. They must be on the PATH.

  real_baselines.py EXAMPLE...
"""
import re
import subprocess
import sys

LINE = re.compile(r"(complex|real baseline) +(\d+) reals((?: +\S+){5})   mean (\S+) (.*)")

print(f"{'':<22}{'':<15}{'reals':>5}  {'five seeds':<40}{'mean':>8}")
for example in sys.argv[1:]:
    name = example
    for line in subprocess.run([example], capture_output=True, text=True, check=True).stdout.splitlines()[-2:]:
        who, reals, seeds, mean, what = LINE.fullmatch(line).groups()
        print(f"{name:<22}{who:<15}{reals:>5}  {' '.join(f'{s:>7}' for s in seeds.split()):<40}{mean:>8} {what}")
        name = ""
