#!/usr/bin/env python3
"""Makes a wheel of the Python package that requires only NumPy and glibc: it contains the library for each level of x86-64,
OpenBLAS and everything else that both link to.

  make_wheel.py BUILD_DIR OUTPUT_DIR [MODULE...]

BUILD_DIR is a build of the package (-Dprograms=false -Dlevel=all). A MODULE is _argand for one Python version, in a file named as
that Python expects, _argand.cpython-313-x86_64-linux-gnu.so: packaging/module_for_python.sh makes one. Modules replace the build's
own. Needs patchelf and the Debian packages of the linked libraries, whose licences are included; elsewhere they are only named.
"""
import base64
import glob
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

# Libraries that every Linux with glibc and a C++ run time has (PEP 600), so that the wheel need not contain them. The wheel
# does contain libgomp, so that only argand and its OpenBLAS share its threads.
SYSTEM = re.compile(r"(ld-linux.*|lib(c|m|mvec|pthread|dl|rt|util|resolv|stdc\+\+|gcc_s))\.so(\.\d+)?$")
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if done.returncode:
        sys.exit(f"make_wheel: {' '.join(command[:3])}: {done.stderr.strip()[-2000:]}")
    return done.stdout


def needed(path):
    return re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-d", "--wide", path))


def gather(start):
    """{name: file} for all libraries that these files link to, directly or indirectly, and that the wheel must contain."""
    got = {}
    for path in start:
        for name, file in re.findall(r"^\s*(\S+) => (/\S+)", run("ldd", path), re.M):
            if not SYSTEM.match(name) and name != "libargand.so":
                got[name] = os.path.realpath(file)
    return got


def newest(paths, prefix):
    """The newest version of glibc, or of the C++ library, that these files require."""
    versions = {tuple(map(int, v.split("."))) for path in paths for v in re.findall(rf"{prefix}_(\d[\d.]*\d)", run("objdump", "-T", path))}
    return ".".join(map(str, max(versions)))


def licences(paths, *more):
    with open(os.path.join(ROOT, "LICENSE"), encoding="utf8") as file:
        text = file.read()
    if shutil.which("dpkg-query") is None:
        return text + "\n\nIn this package are also, each under its own licence: " + ", ".join(sorted(map(os.path.basename, paths)))
    packages = {"libkissfft-dev", "libhnswlib-dev", "nlohmann-json3-dev", "pybind11-dev", *more}  # the header-only libraries
    for path in paths:
        packages.add(run("dpkg-query", "--search", "*" + re.sub("^/usr/lib/|^/lib/", "/lib/", path)).split(":")[0])
    for package in sorted(packages):
        with open(f"/usr/share/doc/{package}/copyright", encoding="utf8") as file:
            text += f"\n\n======== {package}, which is in this package\n\n{file.read()}"
    return text


def stage(build, tree):
    """Copies the package and the library into the layout of the wheel, as the build would install them."""
    with open(os.path.join(build, "meson-info", "intro-installed.json"), encoding="utf8") as file:
        installed = json.load(file)
    folder = os.path.join(tree, "wheel", "argand.libs")
    for source, target in installed.items():
        inside = re.search(r"/(?:dist|site)-packages/(argand/.*)", target)
        level = re.search(r"/((?:glibc-hwcaps/[^/]+/)?libargand\.so)$", target)
        if inside or level:
            place = os.path.join(tree, "wheel", inside[1]) if inside else os.path.join(folder, level[1])
            os.makedirs(os.path.dirname(place), exist_ok=True)
            shutil.copy(source, place)
    return os.path.join(tree, "wheel", "argand"), folder, [source for source, target in installed.items() if target.endswith("/libargand.so")]


def bundle(package, folder, linked):
    """Copies the linked libraries next to ours, under names unique in any process, and sets the search paths to them."""
    own = glob.glob(f"{folder}/**/libargand.so", recursive=True)
    modules = glob.glob(f"{package}/_argand*.so")
    sources = gather(linked)
    names = {}
    for name, path in sources.items():
        with open(path, "rb") as file:
            mark = hashlib.sha256(file.read()).hexdigest()[:8]
        names[name] = re.sub(r"\.so", f"-{mark}.so", name, count=1)
        shutil.copy(path, os.path.join(folder, names[name]))
        os.chmod(os.path.join(folder, names[name]), 0o755)
    copied = [os.path.join(folder, name) for name in names.values()]
    for path in own + modules + copied:
        run("strip", "--strip-unneeded", path)
        for name in needed(path):
            if name in names:
                run("patchelf", "--replace-needed", name, names[name], path)
        home = os.path.relpath(folder, os.path.dirname(path))
        run("patchelf", "--set-rpath", "$ORIGIN" if home == "." else f"$ORIGIN/{home}", path)
    for path in copied:
        run("patchelf", "--set-soname", os.path.basename(path), path)
    return own + modules + copied, list(sources.values())


def pack(tree, output, version, pythons, platform, licence):
    """Writes the archive with METADATA, WHEEL and RECORD (PEP 427)."""
    tags = [f"{python}-{python}-{platform}" for python in pythons]
    name = f"argand-{version}-{'.'.join(pythons)}-{'.'.join(pythons)}-{platform}.whl"
    info = f"argand-{version}.dist-info"
    project = open(os.path.join(ROOT, "pyproject.toml"), encoding="utf8").read()
    with open(os.path.join(ROOT, "README.md"), encoding="utf8") as file:
        readme = file.read()
    summary = re.search(r"description = '(.*)'", project)[1]
    oldest = min(int(python[3:]) for python in pythons)
    texts = {
        "METADATA": f"Metadata-Version: 2.1\nName: argand\nVersion: {version}\nSummary: {summary}\nLicense: MIT\nRequires-Python: >=3.{oldest}\n"
                    f"Requires-Dist: numpy\nDescription-Content-Type: text/markdown\n\n{readme}",
        "WHEEL": "Wheel-Version: 1.0\nGenerator: argand make_wheel\nRoot-Is-Purelib: false\n" + "".join(f"Tag: {tag}\n" for tag in tags),
        "entry_points.txt": "[pytest11]\nargand = argand.pytest_plugin\n",
        "LICENSE": licence,
    }
    os.makedirs(os.path.join(tree, "wheel", info))
    for file_name, text in texts.items():
        with open(os.path.join(tree, "wheel", info, file_name), "w", encoding="utf8") as file:
            file.write(text)
    os.makedirs(output, exist_ok=True)
    path, record = os.path.join(output, name), ""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for folder, _, files in sorted(os.walk(os.path.join(tree, "wheel"))):
            for file_name in sorted(files):
                full = os.path.join(folder, file_name)
                inside = os.path.relpath(full, os.path.join(tree, "wheel"))
                with open(full, "rb") as file:
                    content = file.read()
                digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
                record += f"{inside},sha256={digest},{len(content)}\n"
                archive.write(full, inside)
        archive.writestr(f"{info}/RECORD", record + f"{info}/RECORD,,\n")
    return path


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__.strip())
    if shutil.which("patchelf") is None:
        sys.exit("make_wheel: patchelf is missing: apt-get install patchelf")
    build, output, more = os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3:]
    with tempfile.TemporaryDirectory() as tree:
        package, folder, linked = stage(build, tree)
        if more:
            for module in glob.glob(f"{package}/_argand.cpython-*.so"):
                os.remove(module)
        for module in more:
            shutil.copy(module, package)
        pythons = sorted({f"cp{version}" for path in glob.glob(f"{package}/_argand.cpython-*.so") for version in re.findall(r"cpython-(\d+)", path)},
                         key=lambda python: int(python[3:]))
        code, sources = bundle(package, folder, linked)
        platform = "manylinux_" + newest(code, "GLIBC").replace(".", "_") + "_x86_64"
        with open(os.path.join(package, "_version.py"), encoding="utf8") as file:
            version = re.search(r'"(.*)"|\'(.*)\'', file.read())
        print(pack(tree, output, version[1] or version[2], pythons, platform, licences(sources)))
        print(f"needs glibc {newest(code, 'GLIBC')} and libstdc++ with GLIBCXX_{newest(code, 'GLIBCXX')}", file=sys.stderr)


if __name__ == "__main__":
    main()
