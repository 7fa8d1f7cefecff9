#!/usr/bin/env bash
# arm64.sh: run it on Debian 13 as root. It cross-compiles argand for ARM in build-arm64. Under QEMU it runs the tests of core, autograd,
# optim and nn, the checks of every gradient, and the program. build-parity must contain op_parity's cases and inputs; there the script
# writes arm64.npz, the values computed on ARM, and arm64.calls, the elementary functions that the library calls for single numbers.
set -euo pipefail
. packaging/requirements.sh

[[ $(dpkg --print-foreign-architectures) == *arm64* ]] || { dpkg --add-architecture arm64 && apt-get update -qq; }
libraries=() packages=()
for package in $(requirements 'Debian, Ubuntu' build | cut -f 4) libmpfr-dev libhnswlib-dev; do
  case $package in
    # A package for all architectures takes no :arm64 suffix.
    lib*) [[ $(apt-cache show "$package") == *$'\nArchitecture: all\n'* ]] && libraries+=("$package") || libraries+=("$package:arm64") ;;
    build-essential) packages+=(g++-aarch64-linux-gnu qemu-user) ;;
    *) packages+=("$package") ;;
  esac
done
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}" "${libraries[@]}" </dev/null >&2

# A processor with NEON alone: QEMU's default also has SVE, for which OpenBLAS chooses kernels that are slow to emulate.
export QEMU_CPU=neoverse-n1
dir=build-arm64
[[ -f $dir/build.ninja ]] ||
  meson setup "$dir" --cross-file packaging/arm64.ini -Dwerror=true -Dpython=disabled -Dmpi=disabled -Dsentencepiece=disabled
rooms=(core autograd optim nn)
ninja -C "$dir" apps/argand tests/accuracy tests/op_parity "${rooms[@]/#/tests/test_}"

packaging/scalar_calls.sh aarch64-linux-gnu-objdump "$dir/libargand.so" >build-parity/arm64.calls

export OMP_NUM_THREADS=2 OMP_WAIT_POLICY=passive
meson test -C "$dir" --no-rebuild --print-errorlogs --timeout-multiplier 0 accuracy nan usage "${rooms[@]}"
argand=(qemu-aarch64 "$dir/apps/argand")
qemu-aarch64 "$dir/tests/op_parity" build-parity/{cases.json,inputs.npz,arm64.npz}
"${argand[@]}" --version --verbose
"${argand[@]}" lab 'abs(z)^2 * exp(i*angle(z))' --at 1+2i
"${argand[@]}" demo --steps 20 --out /tmp/demo
"${argand[@]}" gradcheck
