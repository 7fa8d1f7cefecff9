#!/usr/bin/env bash
# The module _argand for a Python that is not installed here, with headers from the Debian that has it: for `./dev wheel MODULE`.
#   module_for_python.sh VERSION SUITE OUTPUT_DIR [BUILD_DIR]      3.13 trixie build-wheel/modules
# BUILD_DIR, build-wheel unless given, holds the library that it is linked with.
set -euo pipefail
version=$1 suite=$2
mkdir -p "$3"
output=$(cd "$3" && pwd) source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$(cd "${4:-$source/build-wheel}" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

mkdir -p "$tree"/{lists,cache,headers}
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian $suite main" > "$tree/sources.list"
apt=(apt-get -qq -o "Dir::Etc::sourcelist=$tree/sources.list" -o Dir::Etc::sourceparts=/dev/null -o "Dir::State::lists=$tree/lists" -o "Dir::Cache=$tree/cache")
cd "$tree"
"${apt[@]}" update
"${apt[@]}" download "libpython$version-dev" pybind11-dev
for package in *.deb; do dpkg -x "$package" headers; done

# As the build compiles its own, with the other headers first; -Dlevel=all compiles the module for the baseline.
for file in "$source"/python/binding/*.cpp; do echo "#include \"$file\""; done > module.cpp
g++ -I"$source" -isystem headers/usr/include -I"headers/usr/include/python$version" -std=c++20 -O1 -fPIC -fvisibility=hidden \
  -fno-math-errno -ffp-contract=off -fno-tree-vectorize -Wno-subobject-linkage -c module.cpp -o module.o
library=$(find "$build" -name libargand.so -not -path '*glibc-hwcaps*' | head -1)
module=$output/_argand.cpython-${version/./}-x86_64-linux-gnu.so
g++ -shared -o "$module" module.o -Wl,--as-needed -Wl,--start-group "$build/apps/libargand_lab.a" "$library" -lfmt -Wl,--end-group
echo "$module"
