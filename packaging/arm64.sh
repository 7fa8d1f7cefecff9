#!/usr/bin/env bash
# arm64.sh [PARITY]: on Debian 13, as root: cross-compiles argand for ARM in build-arm64 and runs under QEMU the tests of core, autograd,
# optim and nn, the checks of every gradient, and the program. PARITY: a folder with op_parity's cases and inputs; the values and
# gradients that ARM computes go to its file arm64.npz.
set -euo pipefail
. packaging/requirements.sh

dpkg --print-foreign-architectures | grep -qx arm64 || { dpkg --add-architecture arm64 && apt-get update -qq; }
libraries=() packages=()
for package in $(requirements 'Debian, Ubuntu' build | cut -f 4) libmpfr-dev libhnswlib-dev; do
  case $package in
    # Packages for all architectures are not named by one.
    lib*) libraries+=("$package$(apt-cache show "$package" | grep -qx 'Architecture: all' || echo :arm64)") ;;
    build-essential) packages+=(g++-aarch64-linux-gnu qemu-user) ;;
    *) packages+=("$package") ;;
  esac
done
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}" "${libraries[@]}" </dev/null >&2

dir=build-arm64
[[ -f $dir/build.ninja ]] ||
  meson setup "$dir" --cross-file packaging/arm64.ini -Dwerror=true -Dpython=disabled -Dmpi=disabled -Dsentencepiece=disabled
rooms=(core autograd optim nn)
ninja -C "$dir" apps/argand tests/accuracy tests/op_parity "${rooms[@]/#/tests/test_}"

# Kernels must not call elementary functions for one number at a time.
scalar=$(aarch64-linux-gnu-objdump -d --demangle "$dir"/libargand.so | awk '
  /^[0-9a-f]+ <.*>:$/ { inside = $0 }
  /\tbl\t.*<(sin|cos|sincos|tan|exp|expm1|log|log1p|atan2|tanh|sinh|cosh|pow)f?@plt>/ { print inside }' | sort | uniq -c)
echo "Functions that call an elementary function for a single number:"
echo "$scalar"

export OMP_NUM_THREADS=2 OMP_WAIT_POLICY=passive
meson test -C "$dir" --no-rebuild --print-errorlogs --timeout-multiplier 0 accuracy nan usage "${rooms[@]}"
run=(qemu-aarch64 -cpu neoverse-n1)
argand=("${run[@]}" "$dir/apps/argand")
"${argand[@]}" --version --verbose
"${argand[@]}" lab 'abs(z)^2 * exp(i*angle(z))' --at 1+2i
"${argand[@]}" demo --steps 20 --out /tmp/demo
"${argand[@]}" gradcheck
[[ -z ${1:-} ]] || "${run[@]}" "$dir/tests/op_parity" "$1"/{cases.json,inputs.npz,arm64.npz}
