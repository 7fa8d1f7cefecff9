#!/usr/bin/env bash
# Checks that the folder from `./dev tarball` runs on older and newer Debians that have none of its dependencies.
#   tarball_test.sh TARBALL SUITE...     needs root, debootstrap and Debian's packages
set -euo pipefail
tarball=$(realpath "$1")
shift
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
for suite in "$@"; do
  echo "a clean $suite"
  # The system is only unpacked, not configured: a shell and the C library are enough.
  debootstrap --foreign --variant=minbase "$suite" "$tree/$suite" "${DEBIAN_MIRROR:-http://deb.debian.org/debian}" >"$tree/log" 2>&1 ||
    { tail -5 "$tree/log"; exit 1; }
  mkdir -p "$tree/$suite/opt" "$tree/$suite/dev"
  tar xf "$tarball" -C "$tree/$suite/opt"
  within() { chroot "$tree/$suite" env -i PATH=/usr/bin:/bin HOME=/root sh -ec "$1"; }

  echo "the program runs from any folder and through a link, and restarts itself for another level"
  within 'mv /opt/argand-* "/opt/a folder" && ln -s "/opt/a folder/bin/argand" /usr/bin/argand'
  within 'argand --version'
  [[ $(within 'ARGAND_LEVEL=baseline argand --version') == *'level baseline'* ]]
  [[ $(within 'argand lab "abs(z)^2"') == *Cauchy-Riemann* ]]
  within 'cd /tmp && argand demo --steps 20' | tail -5

  echo "a sweep starts further processes of the program"
  within 'cd /tmp && seq 3000 >text && argand sweep lm --data text --preset small --lr 1e-3,3e-3 --steps 2 --jobs 2 --out sweep' | tail -5
  rm -rf "${tree:?}/$suite"
done
