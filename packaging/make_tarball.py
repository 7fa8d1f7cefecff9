#!/usr/bin/env python3
"""Packs the program into one folder that runs on any Linux on x86-64, wherever it is unpacked and however old its glibc is:
bin/argand, the library for each level, and everything that both link to, including glibc and its loader.

  make_tarball.py BUILD_DIR OUTPUT_DIR

BUILD_DIR is a build of the package (-Dlevel=all). Requires the Debian packages of the linked libraries, whose licences are
included.
"""
import glob
import json
import os
import re
import shutil
import sys
import tarfile
import tempfile

from make_wheel import ROOT, licences, run

LAUNCHER = """#!/bin/sh
# Starts argand with the C library in this folder. To start another process of itself, argand runs the file that ARGAND_LAUNCHER names.
self=$(readlink -f "$0")
lib=$(dirname "$(dirname "$self")")/lib
ARGAND_LAUNCHER=$self exec "$lib/LOADER" --library-path "$lib" --argv0 "$0" "$lib/argand" "$@"
"""


def linked(program):
    """{name: file} for all libraries to which the program links, directly or indirectly, except argand's own; and the name of its
    loader."""
    text = run("ldd", program)
    loader = re.search(r"^\s*(/\S+/(ld-linux\S+)) \(", text, re.M)
    files = dict(re.findall(r"^\s*(\S+) => (/\S+)", text, re.M)) | {loader[2]: loader[1]}
    return {name: os.path.realpath(file) for name, file in files.items() if name != "libargand.so"}, loader[2]


def assemble(prefix, home):
    """Fills the folder `home` with the files that a build has installed in `prefix`."""
    lib = os.path.join(home, "lib")
    os.makedirs(os.path.join(home, "bin"))
    program = os.path.join(prefix, "bin", "argand")
    own = glob.glob(f"{prefix}/lib/**/libargand.so", recursive=True)
    base = os.path.dirname(min(own, key=len))
    libraries, loader = linked(program)
    code = {os.path.relpath(path, base): path for path in own} | {"argand": program}
    for name, file in (code | libraries).items():
        target = os.path.join(lib, name)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copy(file, target)
        if name in code:
            run("strip", "--strip-unneeded", target)
    launcher = os.path.join(home, "bin", "argand")
    with open(launcher, "w", encoding="utf8") as file:
        file.write(LAUNCHER.replace("LOADER", loader))
    for path in (launcher, os.path.join(lib, loader)):
        os.chmod(path, 0o755)
    with open(os.path.join(home, "LICENSE"), "w", encoding="utf8") as file:
        file.write(licences(sorted(libraries.values()), "libcli11-dev", "libtomlplusplus-dev"))


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip())
    build, output = map(os.path.abspath, sys.argv[1:])
    version = json.loads(run("meson", "introspect", build, "--projectinfo"))["version"]
    name = f"argand-{version}-linux-x86_64"
    with tempfile.TemporaryDirectory() as tree:
        run("meson", "install", "-C", build, "--no-rebuild", "--destdir", os.path.join(tree, "root"))
        assemble(os.path.join(tree, "root", "usr"), os.path.join(tree, name))
        path = os.path.join(output, name + ".tar.xz")
        with tarfile.open(path, "w:xz") as archive:
            archive.add(os.path.join(tree, name), name)
    print(path)


if __name__ == "__main__":
    main()
