#!/usr/bin/env bash
# Builds the Dockerfile's image with Buildah, on a base made by debootstrap instead of the published one, and tests its contents.
#   image_test.sh SOURCE_DIR     needs root, buildah, debootstrap and Debian's packages
set -euo pipefail
source=$(realpath "$1")
suite=trixie base=docker.io/library/debian:13-slim image=argand-under-test
state=$(mktemp -d)
build() { buildah --root "$state/images" --runroot "$state/run" --storage-driver vfs "$@"; }
trap 'rm -rf "$state"' EXIT

echo "base image"
container=$(build from scratch)
tree=$(build mount "$container")
debootstrap --variant=minbase --include=ca-certificates "$suite" "$tree" "${DEBIAN_MIRROR:-http://deb.debian.org/debian}" >"$state/log" 2>&1 ||
  { tail -5 "$state/log"; exit 1; }
cp /etc/apt/apt.conf.d/* "$tree/etc/apt/apt.conf.d/" 2>/dev/null || true  # this machine's proxy settings
# As in the published base: no documents and translations, and apt keeps no packages.
printf 'path-exclude %s\n' '/usr/share/doc/*' '/usr/share/man/*' '/usr/share/info/*' '/usr/share/locale/*' >"$tree/etc/dpkg/dpkg.cfg.d/docker"
echo 'path-include /usr/share/doc/*/copyright' >>"$tree/etc/dpkg/dpkg.cfg.d/docker"
echo 'Dir::Cache::pkgcache ""; Dir::Cache::srcpkgcache ""; APT::Keep-Downloaded-Packages "false"; DPkg::Post-Invoke { "rm -f /var/cache/apt/archives/*.deb"; };' \
  >"$tree/etc/apt/apt.conf.d/docker-clean"
find "$tree"/usr/share/{doc,man,info,locale} ! -type d ! -name copyright -delete
rm -rf "$tree"/var/lib/apt/lists/* "$tree"/var/cache/apt/*
base_size=$(du -sm "$tree" | cut -f 1)
build commit --quiet --rm "$container" "$base" >/dev/null

echo "image"
build build --quiet --isolation chroot --pull-never --tag "$image" "$source" >"$state/log" 2>&1 || { tail -30 "$state/log"; exit 1; }
container=$(build from --pull-never "$image")
tree=$(build mount "$container")
size=$(du -sm "$tree" | cut -f 1)
build push --quiet "$image" "oci-archive:$state/image.tar"
download=$(du -m "$state/image.tar" | cut -f 1)
echo "$download MB to download, $size MB unpacked, of which the base has $base_size MB"
((download < 300 && size < 500)) || { echo "the image should have less than 300 MB, unpacked 500 MB"; exit 1; }

within() { build run --isolation chroot "$container" -- "$@"; }
echo "program"
within argand --version
[[ $(within argand lab 'abs(z)^2') == *Cauchy-Riemann* ]]
within argand demo --steps 20 | tail -5
echo "Python package"
[[ $(within python3 -m argand | tail -1) == '30 of 30 mistakes found, 4 of 4 correct gradients passed' ]]
echo "notebooks and book"
within jupyter notebook --version
within ls /usr/share/doc/argand/notebooks/01-wirtinger.ipynb /usr/share/doc/argand/site/index.html
