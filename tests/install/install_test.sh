#!/usr/bin/env bash
# Does what a user of the library does: installs it, compiles programs with the flags from pkg-config, and runs them.
#   install_test.sh BUILD_DIR SOURCE_DIR PREFIX LIBDIR [PYTHON]     PYTHON: where the Python package was built
set -euo pipefail
build=$1 source=$2 prefix=$3 libdir=$4
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

meson install -C "$build" --no-rebuild --quiet --destdir "$tree"
export PKG_CONFIG_PATH=$tree$prefix/$libdir/pkgconfig PKG_CONFIG_SYSROOT_DIR=$tree
export LD_LIBRARY_PATH=$tree$prefix/$libdir
read -r -a flags < <(pkg-config --cflags --libs argand)
compiler=${CXX:-g++}

echo "a program outside the project prints the same numbers as the example"
cp "$source"/examples/*.cpp "$tree"
cd "$tree"
$compiler -O1 02_first_gradient.cpp -o program "${flags[@]}"
diff <(./program) <("$build/examples/02_first_gradient")

echo "argand/argand.h compiles and links"
printf '#include <argand/argand.h>\n#include <argand/core/tensor.h>\nint main() { return argand::num_threads() > 0 ? 0 : 1; }\n' > everything.cpp
$compiler -O1 everything.cpp -o everything "${flags[@]}"
./everything

echo "every example compiles outside the project"
$compiler -fsyntax-only [0-9]*.cpp "${flags[@]}"

echo "every installed header can be included together with all others"
(cd ".$prefix/include/argand" && find . -name '*.h') | sed 's|^\./\(.*\)|#include "\1"|' | sort > all.cpp
test "$(wc -l < all.cpp)" -gt 20
$compiler -fsyntax-only all.cpp "${flags[@]}"

echo "internal headers are not installed"
if find ".$prefix/include" -name planted_fault.h -o -name direct_gemm.h -o -name lu_factors.h | grep .; then exit 1; fi

echo "neither tests nor absolute paths of the build are installed"
if find ".$prefix" -name '*test*' ! -name 'pytest_plugin.*' | grep .; then exit 1; fi
if grep -rl -e "$build" -e "$source" ".$prefix/$libdir/pkgconfig" ".$prefix/include"; then exit 1; fi

echo "the installed program finds its library in any location"
env -u LD_LIBRARY_PATH ".$prefix/bin/argand" --version

echo "the manual page and the completions are the program's own"
for file in man:man/man1/argand.1 bash:bash-completion/completions/argand zsh:zsh/site-functions/_argand; do
  diff <("$build/apps/argand" completion "${file%%:*}") ".$prefix/share/${file#*:}"
done

if [[ -n ${5:-} ]]; then
  echo "the installed Python package finds its library and the planted mistakes"
  env -u LD_LIBRARY_PATH PYTHONPATH="$(dirname "$(dirname "$(find "$PWD" -path '*/argand/_argand.*.so')")")" "$5" -m argand | tail -1
fi
