#!/bin/sh
# meson install calls this. Installs every header of the library's folders, except the one with which tests plant faults, so that
# "core/tensor.h" is found from include/argand and <argand/core/tensor.h> from include.
# Searching at install time also finds headers added after the last configuration.
set -eu
cd "$MESON_SOURCE_ROOT"
find core autograd nn optim data train -name '*.h' ! -name planted_fault.h | while read -r header; do
  mkdir -p "$MESON_INSTALL_DESTDIR_PREFIX/$1/argand/${header%/*}"
  install -m 644 "$header" "$MESON_INSTALL_DESTDIR_PREFIX/$1/argand/$header"
done
install -m 644 argand/argand.h "$MESON_INSTALL_DESTDIR_PREFIX/$1/argand/argand.h"
