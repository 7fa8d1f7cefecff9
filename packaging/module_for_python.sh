#!/usr/bin/env bash
# Compiles the module _argand for a Python version other than this system's, for the wheel of `./dev wheel VERSION...`.
#   module_for_python.sh VERSION OUTPUT_DIR [BUILD_DIR]      3.13 build-wheel/modules
# Python's headers come from an installed pythonVERSION (also pyenv's) or the Debian release with that version; pybind11's come from
# Debian 13, because versions before 2.12 cannot read NumPy 2's arrays. BUILD_DIR (default: build-wheel) contains the library to link.
set -euo pipefail
version=$1
mkdir -p "$2"
output=$(cd "$2" && pwd) source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$(cd "${3:-$source/build-wheel}" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

# from_debian SUITE PACKAGES...: unpacks the packages into a folder without installing them.
from_debian() {
  local suite=$1 folder=$tree/$1
  mkdir -p "$folder"/{lists,cache,files}
  : > "$folder/status"
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian $suite main" > "$folder/sources.list"
  local apt=(apt-get -qq -o APT::Sandbox::User=root -o "Dir::Etc::sourcelist=$folder/sources.list" -o Dir::Etc::sourceparts=/dev/null -o "Dir::State::lists=$folder/lists"
    -o "Dir::State::status=$folder/status" -o "Dir::Cache=$folder/cache")
  (cd "$folder" && "${apt[@]}" update && "${apt[@]}" download "${@:2}" && for package in *.deb; do dpkg -x "$package" files; done)
}

# headers_here: prints the folder that contains Python.h of an installed interpreter of this version.
headers_here() {
  local python folder
  for python in "python$version" "${PYENV_ROOT:-$HOME/.pyenv}/versions/$version".*/bin/python3; do
    folder=$("$python" -c 'import sys, sysconfig; print("%d.%d" % sys.version_info[:2], sysconfig.get_path("include"))' 2> /dev/null) || continue
    [[ $folder == "$version "* && -f ${folder#* }/Python.h ]] && { echo "${folder#* }"; return; }
  done
  return 1
}

if ! headers=$(headers_here); then
  case $version in
    3.9) suite=bullseye ;;
    3.11) suite=bookworm ;;
    3.13) suite=trixie ;;
    *) echo "module_for_python: no headers of Python $version: install one with pyenv (pyenv install $version)" >&2; exit 1 ;;
  esac
  from_debian "$suite" "libpython$version-dev"
  headers=$tree/$suite/files/usr/include/python$version
fi
from_debian trixie pybind11-dev

# Compiles for the baseline, as the build with -Dlevel=all compiles its own module.
cd "$tree"
for file in "$source"/python/binding/*.cpp; do echo "#include \"$file\""; done > module.cpp
g++ -I"$source" -isystem trixie/files/usr/include -isystem "$headers" -idirafter "${headers%/*}" -std=c++20 -O1 -fPIC -fvisibility=hidden \
  -fno-math-errno -ffp-contract=off -fno-tree-vectorize -Wno-subobject-linkage -c module.cpp -o module.o
library=$(find "$build" -name libargand.so -not -path '*glibc-hwcaps*' -print -quit)
module=$output/_argand.cpython-${version/./}-x86_64-linux-gnu.so
g++ -shared -o "$module" module.o -Wl,--as-needed -Wl,--start-group "$build/lab/libargand_lab.a" "$library" -lfmt -Wl,--end-group
echo "$module"
