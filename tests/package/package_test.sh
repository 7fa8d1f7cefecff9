#!/usr/bin/env bash
# Checks that the package is complete and works on a clean Debian.
#   package_test.sh DEB [SUITE]     needs root, debootstrap and Debian's packages; SUITE is the release that the package was built
#                                   on, by default this system's
set -euo pipefail
deb=$(realpath "$1") suite=${2:-$(. /etc/os-release && echo "${VERSION_CODENAME:-}")}
[[ -n $suite ]] || { echo "package_test: /etc/os-release names no Debian release; name one: package_test.sh DEB SUITE"; exit 1; }
tree=$(mktemp -d)
clean_up() {
  for mounted in proc dev; do mountpoint -q "$tree/debian/$mounted" && umount -l "$tree/debian/$mounted"; done
  rm -rf "$tree"
}
trap clean_up EXIT

echo "contents of the package"
dpkg-deb --contents "$deb" | awk '{print $6}' | sort > "$tree/files"
for file in ./usr/bin/argand ./usr/include/argand/argand.h ./usr/include/argand/core/tensor.h ./usr/include/argand/autograd/var.h \
  ./usr/share/doc/argand/copyright ./usr/share/doc/argand/README.md ./usr/share/doc/argand/book/01-wirtinger.md \
  ./usr/share/doc/argand/examples/02_first_gradient.cpp ./usr/lib/python3/dist-packages/argand/__init__.py \
  ./usr/lib/python3/dist-packages/argand/py.typed ./usr/share/man/man1/argand.1.gz ./usr/share/bash-completion/completions/argand \
  ./usr/share/zsh/site-functions/_argand; do
  grep -qxF "$file" "$tree/files" || { echo "the package has no $file"; exit 1; }
done
for pattern in '/libargand\.so$' '/glibc-hwcaps/x86-64-v3/libargand\.so$' '/glibc-hwcaps/x86-64-v4/libargand\.so$' '/pkgconfig/argand\.pc$' \
  '/dist-packages/argand/_argand\.cpython-.*\.so$'; do
  grep -qE "$pattern" "$tree/files" || { echo "the package has no file that matches $pattern"; exit 1; }
done
if grep -E '_test\.|/tests/|meson\.build|/build/' "$tree/files"; then echo "the package must not contain these"; exit 1; fi

echo "a clean Debian"
http_proxy=${http_proxy:-} debootstrap --variant=minbase "$suite" "$tree/debian" "${DEBIAN_MIRROR:-http://deb.debian.org/debian}" > "$tree/log" 2>&1 ||
  { tail -5 "$tree/log"; exit 1; }
cp -r /etc/apt/sources.list /etc/apt/sources.list.d /etc/apt/apt.conf.d "$tree/debian/etc/apt/" 2> /dev/null || true
mount -t proc proc "$tree/debian/proc"
mount --bind /dev "$tree/debian/dev"
cp "$deb" "$tree/debian/tmp/argand.deb"
within() { chroot "$tree/debian" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive OMP_WAIT_POLICY=passive sh -ec "$1"; }
within 'apt-get update -qq && apt-get install -y -qq --no-install-recommends /tmp/argand.deb g++ pkg-config libfmt-dev python3-numpy' > "$tree/log" 2>&1 ||
  { tail -5 "$tree/log"; exit 1; }

echo "the program runs, also at the baseline level"
within 'argand --version'
[[ $(within 'ARGAND_LEVEL=baseline argand --version') == *'level baseline'* ]]
within 'cd /tmp && argand demo --steps 20 | tail -5'

echo "a program built with the package prints the example's numbers"
within 'cd /tmp && g++ -std=c++20 -O1 /usr/share/doc/argand/examples/02_first_gradient.cpp -o first $(pkg-config --cflags --libs argand) && ./first' |
  tee "$tree/first" | tail -1
grep -q '^step 60  z = 1.50021e-13+1i' "$tree/first"

echo "the Python package finds planted mistakes"
[[ $(within 'cd /tmp && python3 -m argand' | tail -1) == '30 of 30 mistakes found, 4 of 4 correct gradients passed' ]]

echo "removing the package leaves nothing behind"
within 'apt-get remove -y -qq argand' > "$tree/log" 2>&1
left=0
for path in usr/include/argand usr/bin/argand usr/lib/python3/dist-packages/argand usr/share/doc/argand usr/share/man/man1/argand.1.gz; do
  [[ ! -e $tree/debian/$path ]] || { echo "/$path is left:" && find "$tree/debian/$path" && left=1; }
done
exit $left
