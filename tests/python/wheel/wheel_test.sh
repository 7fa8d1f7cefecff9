#!/usr/bin/env bash
# Checks that a wheel works outside the checkout it was built in, and contains nothing unnecessary.
#   wheel_test.sh WHEEL [PYTHON]     needs pip and NumPy; no network, no compiler
set -euo pipefail
wheel=$(realpath "$1") python=${2:-/usr/bin/python3} checkout=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../../..")
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
unset PYTHONPATH

echo "contents of the wheel"
"$python" -m zipfile --list "$wheel" | awk 'NR > 1 {print $1}' | sort > "$tree/files"
for pattern in '^argand/__init__\.py$' '^argand/py\.typed$' '^argand/_argand\.pyi$' '^argand/_argand\.cpython-.*\.so$' '/libargand\.so$' 'METADATA$'; do
  grep -qE "$pattern" "$tree/files" || { echo "the wheel has no file that matches $pattern"; exit 1; }
done
if grep -E '(^|/)tests?/|\.(h|cpp|a|md)$|/bin/' "$tree/files"; then echo "the wheel must not contain these"; exit 1; fi

echo "installation without a network"
"$python" -m pip install --quiet --no-index --no-deps --no-compile --disable-pip-version-check --root-user-action=ignore \
  --target "$tree/site" "$wheel"

echo "it contains all libraries that it links to, except glibc and the C++ run time"
for file in "$tree"/site/argand/_argand*.so $(find "$tree/site/argand.libs" -name '*.so*'); do
  if ldd "$file" | grep -vE "$tree/site|linux-vdso|/(ld-linux-x86-64|lib(c|m|mvec|pthread|dl|rt|stdc\+\+|gcc_s))\.so"; then echo "$file needs these libraries from outside the wheel"; exit 1; fi
done
size=$(stat -c %s "$wheel")
((size < 40000000)) || { echo "the wheel has $size bytes"; exit 1; }

echo "it passes a correct gradient and recognises one in JAX's convention"
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
grep -qx '30 of 30 mistakes found, 4 of 4 correct gradients passed' "$tree/found"

echo "it runs the programs of README.md and docs/python.md, the thirty-minute lesson and the solved homework"
PYTHONPATH=$tree/site "$python" "$checkout/tests/python/wheel/wheel_programs.py" "$checkout"
