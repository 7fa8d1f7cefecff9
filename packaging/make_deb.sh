#!/usr/bin/env bash
# Makes a Debian package of everything that `meson install` installs, plus the book and the examples.
#   make_deb.sh BUILD_DIR VERSION     writes BUILD_DIR/argand_VERSION_ARCHITECTURE.deb
set -euo pipefail
build=$(cd "$1" && pwd) version=$2
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
architecture=$(dpkg --print-architecture)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

root=$tree/root
meson install -C "$build" --no-rebuild --quiet --destdir "$root"
doc=$root/usr/share/doc/argand
mkdir -p "$doc/examples"
cp "$source"/LICENSE "$doc/copyright"
# Header-only libraries are compiled into ours, so their licences must be included. (Boost's licence exempts compiled code.)
for package in libkissfft-dev libhnswlib-dev nlohmann-json3-dev libcli11-dev libtomlplusplus-dev; do
  printf '\n\n======== %s, of which headers are compiled into this package\n\n' "$package"
  cat "/usr/share/doc/$package/copyright"
done >> "$doc/copyright"
cp "$source"/README.md "$doc"
cp -r "$source"/docs "$doc/book"
find "$doc/book" -name meson.build -delete
cp "$source"/examples/*.cpp "$source"/examples/*.py "$source"/examples/README.md "$doc/examples"
gzip -9n "$root/usr/share/man/man1/argand.1"
strip --strip-unneeded "$root/usr/bin/argand"
find "$root" -name '*.so*' -type f -exec strip --strip-unneeded {} +
find "$root" -name __pycache__ -exec rm -r {} +  # Meson 1.2 and later compile it
find "$root" -type d -exec chmod 755 {} +
find "$root" -type f ! -path '*/bin/*' ! -name '*.so*' -exec chmod 644 {} +

# Finds the packages of the shared libraries that argand needs. dpkg-shlibdeps must run in a directory with debian/control.
mkdir -p "$tree/debian" "$root/DEBIAN"
printf 'Source: argand\n\nPackage: argand\nArchitecture: any\n' > "$tree/debian/control"
depends=$(cd "$tree" && dpkg-shlibdeps -O --ignore-missing-info -l"$root/usr/lib/$(gcc -print-multiarch)" \
  -e root/usr/bin/argand $(find root -name 'libargand.so' -type f -printf '-e %p ') 2>/dev/null | sed -n 's/^shlibs:Depends=//p')
[[ $depends == *libfmt* ]] || { echo "make_deb: the needed packages were not found: '$depends'" >&2; exit 1; }
# Requires the variant of OpenBLAS that uses OpenMP, as argand does; Debian would accept any other variant instead.
depends="$(sed -E 's/libopenblas[^,]*(, |$)//; s/, $//' <<< "$depends"), libopenblas0-openmp"

cat > "$root/DEBIAN/control" <<END
Package: argand
Version: $version
Architecture: $architecture
Maintainer: The argand authors <argand@localhost>
Installed-Size: $(du -sk --exclude=DEBIAN "$root" | cut -f1)
Depends: $depends
Recommends: g++, pkg-config, libfmt-dev, nlohmann-json3-dev, python3-numpy
Suggests: graphviz, gnuplot-nox, openmpi-bin
Section: science
Priority: optional
Description: complex-valued backpropagation: train, check and inspect small models
 A library in C++20 with its own real and complex tensors and hand-derived gradients, four families of complex-valued
 transformers, and a program that trains them, checks gradients numerically, and explains every operation.
 Holds the library for three levels of x86-64, of which the loader takes the highest that the processor supports, and the Python
 package argand, which judges gradients of NumPy functions and of PyTorch's.
END
printf '#!/bin/sh\nset -e\nldconfig\n' | tee "$root/DEBIAN/postinst" > "$root/DEBIAN/postrm"
# On removal, deletes the bytecode that Python compiled on import. When an upgrade aborts, the folder may be gone already.
cat > "$root/DEBIAN/prerm" <<'END'
#!/bin/sh
set -e
if [ -d /usr/lib/python3/dist-packages/argand ]; then
  find /usr/lib/python3/dist-packages/argand -depth -name __pycache__ -exec rm -r {} +
fi
END
chmod 755 "$root/DEBIAN/postinst" "$root/DEBIAN/postrm" "$root/DEBIAN/prerm"
dpkg-deb --build --root-owner-group -Zxz "$root" "$build/argand_${version}_$architecture.deb" >&2
echo "$build/argand_${version}_$architecture.deb"
