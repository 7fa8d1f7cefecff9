"""Checks that the source files compiled into the pages exist and define everything they call. Such faults would otherwise show only
where Emscripten is installed.

  units_test.py SOURCE_DIR
"""
import glob
import os
import re
import sys

sys.path.insert(0, os.path.join(sys.argv[1], "web"))
from build import LAB, PAGES, ROOT

units = {page.name: {name for names in page.units.values() for name in names.split()} for page in PAGES.values()}
faults = [f"web/build.py lists {name}, but there is no {name}.cpp" for name in sorted(set.union(*units.values())) if not os.path.exists(os.path.join(ROOT, name + ".cpp"))]


def included(names):
    """The headers that the units include, directly or indirectly."""
    found, read = set(), [name + ".cpp" for name in names]
    while read:
        with open(os.path.join(ROOT, read.pop()), encoding="utf8") as file:
            new = {name for name in re.findall(r'^#include "([^"]+)"', file.read(), re.M) if os.path.exists(os.path.join(ROOT, name))} - found
        found |= new
        read += new
    return found


for page in PAGES.values():
    names = units[page.name]
    for name in sorted(os.path.splitext(header)[0] for header in included(n for n in names if os.path.exists(os.path.join(ROOT, n + ".cpp")))):
        if name not in names and not name.startswith(page.unused) and os.path.exists(os.path.join(ROOT, name + ".cpp")):
            faults.append(f"{page.name}: {name}.h is included; add {name} to the page's units in web/build.py, or to `unused`")
for path in glob.glob(os.path.join(ROOT, "lab/expression/*.cpp")):
    for name in re.findall(r'#include "(autograd/ops/[^"]+)\.h"', open(path, encoding="utf8").read()):
        if name not in units[LAB.name] and os.path.exists(os.path.join(ROOT, name + ".cpp")):
            faults.append(f"{os.path.relpath(path, ROOT)} includes {name}.h; add {name} to LAB in web/build.py")
print("\n".join(faults) or f"all {sum(map(len, units.values()))} files exist")
sys.exit(bool(faults))
