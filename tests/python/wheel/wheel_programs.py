"""Checks an installed package, regardless of its location: the program in README.md and the first one of docs/python.md print the
output shown there, and the thirty-minute lesson and the solved homework run.

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


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf8") as file:
        return file.read()


def prints_what_is_shown(page, program, shown):
    printed = run(program, page, {})
    assert printed == shown, f"{page} shows\n{shown}but its program prints\n{printed}"
    print(f"{page}: as shown")


((program, shown),) = re.findall(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```", read("README.md"), re.M | re.S)
prints_what_is_shown("README.md", program, shown)
first = "docs/programs/python/first_network.py"
shown = re.search(rf"^```console\n\$ python3 {re.escape(first)}\n(.*?)^```", read("docs/python.md"), re.M | re.S)[1]
prints_what_is_shown("docs/python.md", read(first), shown)
for lesson in ("thirty-minutes", "homework"):
    cells = [cell["source"] for cell in make_notebooks.lesson(lesson, True)["cells"] if cell["cell_type"] == "code"]
    names = {}
    for i, cell in enumerate(cells):
        run(cell, f"{lesson}, cell {i}", names)
    print(f"{lesson}: {len(cells)} cells")
