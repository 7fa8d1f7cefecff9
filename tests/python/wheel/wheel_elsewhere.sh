#!/usr/bin/env bash
# Checks that a wheel works after one pip command in a clean Debian with Python and NumPy but no compiler.
#   wheel_elsewhere.sh WHEEL SUITE...      SUITE: such as trixie; needs root, debootstrap and Debian's packages
set -euo pipefail
wheel=$(realpath "$1") source=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../../..")
shift
[[ $(id -u) == 0 ]] || { echo "wheel_elsewhere: debootstrap and chroot need root" >&2; exit 1; }
for suite; do
  root=$source/build-elsewhere/python-$suite
  if [[ ! -f $root/ready ]]; then
    rm -rf "$root"
    mkdir -p "$root"
    debootstrap --variant=minbase --include=python3-venv,python3-numpy "$suite" "$root" "${DEBIAN_MIRROR:-http://deb.debian.org/debian}" > "$root.log" 2>&1 ||
      { tail -5 "$root.log"; exit 1; }
    : > "$root/ready"
  fi
  echo "$(. "$root/etc/os-release" && echo "$PRETTY_NAME"), $(chroot "$root" python3 --version)"
  rm -rf "$root"/home/{argand,python,wheel}
  mkdir -p "$root"/home/{argand,wheel}
  cp "$wheel" "$root/home/wheel"
  cp -r "$source"/{README.md,docs} "$source/tests/python/wheel/wheel_programs.py" "$root/home/argand"
  within() { chroot "$root" env -i PATH=/home/python/bin:/usr/bin:/bin HOME=/home LANG=C.UTF-8 bash -euc "$1"; }
  if within 'command -v cc gcc g++ clang ld'; then echo "the system has a compiler"; exit 1; fi
  within 'python3 -m venv --system-site-packages /home/python'
  within 'pip install --quiet --disable-pip-version-check /home/wheel/*.whl'
  within 'cd / && python3 /home/argand/wheel_programs.py /home/argand'
  within 'python3 -m argand | tail -1'
done
