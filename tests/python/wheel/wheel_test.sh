#!/usr/bin/env bash
# Checks that a wheel works outside the checkout it was built in, and contains nothing unnecessary.
#   wheel_test.sh WHEEL [PYTHON]     needs pip and NumPy; no network, no compiler
set -euo pipefail
wheel=$(realpath "$1") python=${2:-/usr/bin/python3} checkout=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../../..")
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
unset PYTHONPATH

echo "what the wheel holds"
"$python" -m zipfile --list "$wheel" | awk 'NR > 1 {print $1}' | sort > "$tree/files"
for pattern in '^argand/__init__\.py$' '^argand/py\.typed$' '^argand/_argand\.pyi$' '^argand/_argand\.cpython-.*\.so$' '/libargand\.so$' 'METADATA$'; do
  grep -qE "$pattern" "$tree/files" || { echo "there is no file like $pattern"; exit 1; }
done
if grep -E '(^|/)tests?/|\.(h|cpp|a|md)$|/bin/' "$tree/files"; then echo "these do not belong there"; exit 1; fi

echo "installed without a network"
"$python" -m pip install --quiet --no-index --no-deps --no-compile --disable-pip-version-check --root-user-action=ignore \
  --target "$tree/site" "$wheel"

echo "it brings along what it links to, but for glibc and the C++ run time"
for file in "$tree"/site/argand/_argand*.so $(find "$tree/site/argand.libs" -name '*.so*'); do
  if ldd "$file" | grep -vE "$tree/site|linux-vdso|/(ld-linux-x86-64|lib(c|m|mvec|pthread|dl|rt|stdc\+\+|gcc_s))\.so"; then echo "that $file finds elsewhere"; exit 1; fi
done
size=$(stat -c %s "$wheel")
((size < 40000000)) || { echo "it has $size bytes"; exit 1; }

echo "it judges a correct gradient and one in JAX's convention"
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

echo "it runs the programs of README.md and docs/python.md, the lesson of thirty minutes and the solved homework"
PYTHONPATH=$tree/site "$python" "$checkout/tests/python/wheel/wheel_programs.py" "$checkout"
