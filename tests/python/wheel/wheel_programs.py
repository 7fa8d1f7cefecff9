"""Checks an installed package, regardless of its location: the program in README.md prints the output shown there, and the
thirty-minute lesson and the solved homework run.

  wheel_programs.py CHECKOUT      the folder that contains README.md and docs/
"""
import contextlib
import io
import os
import re
import sys

import argand

ROOT = os.path.abspath(sys.argv[1])
assert not argand.__file__.startswith(ROOT + os.sep), argand.__file__
sys.path.insert(0, os.path.join(ROOT, "docs", "notebooks"))
import make_notebooks  # needs the folder that was just added to sys.path


def run(code, name, names):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, name, "exec"), names)
    return printed.getvalue()


with open(os.path.join(ROOT, "README.md"), encoding="utf8") as file:
    ((program, shown),) = re.findall(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```", file.read(), re.M | re.S)
printed = run(program, "README.md", {})
assert printed == shown, f"README.md shows\n{shown}and its program prints\n{printed}"
print("README.md: as shown")
for lesson in ("thirty-minutes", "homework"):
    cells = [cell["source"] for cell in make_notebooks.lesson(lesson, True)["cells"] if cell["cell_type"] == "code"]
    names = {}
    for i, cell in enumerate(cells):
        run(cell, f"{lesson}, cell {i}", names)
    print(f"{lesson}: {len(cells)} cells")
