"""Installs the public headers, those of the reference (web/reference.py), with all that they include: install_headers.py INCLUDE_DIR

meson install calls this. "core/tensor.h" is then found from include/argand, and <argand/core/tensor.h> from include.
"""
import os
import re
import shutil
import sys

source = os.environ["MESON_SOURCE_ROOT"]
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(source, "web"))
import reference

waiting = ["argand/argand.h"] + [path for room in reference.ROOMS for path in reference.headers(source, room)]
installed = set()
while waiting:
    path = waiting.pop()
    if path not in installed and os.path.exists(os.path.join(source, path)):
        installed.add(path)
        waiting += re.findall(r'^#include "([^"]+)"', reference.read(source, path), flags=re.M)
for path in sorted(installed):
    to = os.path.join(os.environ["MESON_INSTALL_DESTDIR_PREFIX"], sys.argv[1], "argand", path.removeprefix("argand/"))
    os.makedirs(os.path.dirname(to), exist_ok=True)
    shutil.copyfile(os.path.join(source, path), to)
