#!/usr/bin/env bash
# Does a wheel serve by itself, away from the checkout it was made in, and does it hold no more than it needs?
#   wheel_test.sh WHEEL [PYTHON]     needs pip, no network
set -euo pipefail
wheel=$(realpath "$1") python=${2:-/usr/bin/python3}
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
unset PYTHONPATH

echo "what the wheel holds"
"$python" -m zipfile --list "$wheel" | awk 'NR > 1 {print $1}' | sort > "$tree/files"
for pattern in '^argand/__init__\.py$' '^argand/py\.typed$' '^argand/_argand\.pyi$' '^argand/_argand\.cpython-.*\.so$' '/libargand\.so$' 'METADATA$'; do
  grep -qE "$pattern" "$tree/files" || { echo "there is no file like $pattern"; exit 1; }
done
if grep -E 'test|\.(h|cpp|a|md)$|/bin/' "$tree/files"; then echo "these do not belong there"; exit 1; fi

echo "installed without a network"
"$python" -m pip install --quiet --no-index --no-deps --no-compile --disable-pip-version-check --root-user-action=ignore \
  --target "$tree/site" "$wheel"

echo "it judges a right gradient and one in JAX's convention"
cd "$tree"
PYTHONPATH=$tree/site "$python" - <<'PYTHON'
import numpy as np, argand
z = np.array([1 + 2j, 3j])
assert argand.__file__.startswith("site") or "/site/" in argand.__file__, argand.__file__
assert argand.check(lambda z: np.sum(np.abs(z) ** 2), lambda z: 2 * z, z).verdict == "pass"
wrong = argand.check(lambda z: np.sum(np.abs(z) ** 2), lambda z: 2 * z.conj(), z)
assert wrong.verdict == "fail" and "JAX" in wrong.diagnosis, wrong
PYTHON

echo "it finds planted mistakes"
PYTHONPATH=$tree/site "$python" -m argand | tail -1 | tee "$tree/found"
grep -qx '30 of 30 mistakes found, 4 of 4 right gradients passed' "$tree/found"
