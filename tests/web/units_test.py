"""What the page compiles is there, and is all that the lab's expressions call: a fault that would show only where Emscripten is installed.

  units_test.py SOURCE_DIR
"""
import glob
import os
import re
import sys

sys.path.insert(0, os.path.join(sys.argv[1], "web"))
from build import ROOT, UNITS

units = {name for names in UNITS.values() for name in names.split()}
faults = [f"web/build.py names {name}, and there is no {name}.cpp" for name in sorted(units) if not os.path.exists(os.path.join(ROOT, name + ".cpp"))]
for path in glob.glob(os.path.join(ROOT, "lab/expression/*.cpp")):
    for name in re.findall(r'#include "(autograd/ops/[^"]+)\.h"', open(path, encoding="utf8").read()):
        if name not in units and os.path.exists(os.path.join(ROOT, name + ".cpp")):
            faults.append(f"{os.path.relpath(path, ROOT)} includes {name}.h; add {name} to UNITS in web/build.py")
print("\n".join(faults) or f"{len(units)} files, all there")
sys.exit(bool(faults))
