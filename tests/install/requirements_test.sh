#!/usr/bin/env bash
# Checks that ./dev lists missing packages by the system's own names, and fails if it cannot install them.
#   requirements_test.sh SOURCE_DIR
set -euo pipefail
cd "$1"
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
fail() { echo "requirements: $*" >&2; exit 1; }

echo "no row of the requirements table has an empty cell"
rows=$(awk -F ' *[|] *' '/^\| What \| What for / {on = 1; getline; next} !/^\|/ {on = 0} on' docs/guides/requirements.md)
[[ $(wc -l <<<"$rows") -ge 30 ]] || fail "the table was not found"
awk -F ' *[|] *' 'NF != 12 {print; bad = 1} {for (i = 2; i < 12; ++i) if ($i == "") {print; bad = 1}} END {exit bad}' <<<"$rows" ||
  fail "these rows lack a cell"
asked=$(grep -o '^ *require [a-z ]*' dev | sed 's/ *require //' | tr ' ' '\n' | sort -u)
known=$(awk -F ' *[|] *' '{n = split($4, g, ", "); for (i = 1; i <= n; ++i) print g[i]}' <<<"$rows" | sort -u)
for group in $asked; do grep -qx "$group" <<<"$known" || fail "the table has no row for the group $group"; done

# A system with only these programs; `calls` records the commands given to its package manager.
mkdir "$tree/bin"
for program in bash env sed awk cut cat grep sort head tail tr dirname id mktemp rm; do
  ln -s "$(command -v $program)" "$tree/bin/$program"
done
printf '#!%s\necho Linux\n' "$BASH" >"$tree/bin/uname"
chmod +x "$tree/bin/uname"
# on_system ID ARGUMENTS...: runs ./dev ARGUMENTS on the system ID; its output is in `said`, its exit status in `status`.
on_system() {
  printf 'ID=%s\n' "$1" >"$tree/os"
  shift
  status=0
  said=$(env -u CONDA_PREFIX -u CXX PATH="$tree/bin" ARGAND_OS_RELEASE="$tree/os" "$BASH" ./dev "$@" 2>&1) || status=$?
}
# says WORDS: checks that the output is a single line that contains WORDS.
says() { [[ $(wc -l <<<"$said") -eq 1 && $said == *"$1"* ]] || fail "expected one line with '$1', not: $said"; }

echo "no package manager: one message with the system's package names, and a failure"
for command in build demo test install-deps; do
  on_system debian "$command"
  [[ $status == 1 ]] || fail "$command exits with $status"
  says 'libopenblas-openmp-dev libfmt-dev'
done
on_system fedora build && says 'gcc-c++ meson ninja-build'
on_system arch build && says 'ninja pkgconf python'
on_system opensuse-tumbleweed build && says 'libopenblas_openmp-devel'
[[ $status == 1 ]] || fail "a build without its requirements exits with $status"

echo "no package manager and nothing missing: no output"
everything=(c++ meson ninja pkg-config python3 gnuplot dot)
for program in "${everything[@]}"; do  # the compiler reads a test program from standard input
  printf '#!%s\n[[ $0 != */c++ ]] || cat >/dev/null\n' "$BASH" >"$tree/bin/$program"
  chmod +x "$tree/bin/$program"
done
on_system debian install-deps
[[ $status == 0 && -z $said ]] || fail "nothing is missing, but install-deps exits with $status: $said"
rm "$tree/bin/ninja"
on_system debian install-deps
[[ $status == 1 ]] || fail "without ninja, install-deps exits with $status"
says 'dev: missing: ninja-build '
for program in "${everything[@]}"; do rm -f "$tree/bin/$program"; done

echo "with a package manager: only missing packages are requested"
cat >"$tree/bin/dpkg-query" <<END
#!$BASH
for package in "\${@:4}"; do grep -qx "\$package" "$tree/installed" && echo "ii \$package"; done
END
cat >"$tree/bin/apt-get" <<END
#!$BASH
[[ \$1 == update ]] && exit
echo "\$*" >>"$tree/calls"
for package in "\${@:5}"; do
  grep -qx "\$package" "$tree/lacking" && { echo "E: no package \$package" >&2; exit 100; }
done
printf '%s\n' "\${@:5}" >>"$tree/installed"
END
printf '#!%s\n' "$BASH" >"$tree/bin/apt-cache"
printf '#!%s\n[[ $1 == -u ]] && echo 0\n' "$BASH" >"$tree/id"
rm "$tree/bin/id" && mv "$tree/id" "$tree/bin/id"
chmod +x "$tree"/bin/*
awk -F ' *[|] *' '$4 ~ /build|option/ {n = split($6, p, " "); for (i = 1; i <= n; ++i) print p[i]}' <<<"$rows" | sort -u >"$tree/installed"
: >"$tree/lacking" >"$tree/calls"
on_system debian install-deps
[[ $status == 0 && -z $said && ! -s $tree/calls ]] || fail "nothing is missing, but install-deps exits with $status: $said"
sed -i.bak '/libzip-dev/d; /libprotobuf-dev/d' "$tree/installed"
on_system debian install-deps
[[ $status == 0 ]] || fail "available packages were not installed: $said"
grep -q 'recommends libzip-dev libprotobuf-dev$' "$tree/calls" || fail "requested: $(cat "$tree/calls")"

echo "an unavailable optional package is left out; an unavailable required one is an error"
sed -i.bak '/libzip-dev/d; /libhnswlib-dev/d; /gnuplot/d' "$tree/installed"
echo libhnswlib-dev >"$tree/lacking"
on_system debian install-deps
[[ $status == 0 && $said == *'dev: left out: libhnswlib-dev' ]] || fail "install-deps exits with $status: $said"
grep -qx gnuplot-nox "$tree/installed" || fail "gnuplot was not installed"
sed -i.bak '/libzip-dev/d' "$tree/installed"
echo libzip-dev >>"$tree/lacking"
on_system debian install-deps
[[ $status == 1 && $(tail -1 <<<"$said") == 'dev: missing: libzip-dev'* ]] || fail "install-deps exits with $status: $said"

echo "scripts use only features of macOS's bash 3.2 and of BSD's tools"
scripts=(dev packaging/requirements.sh tests/install/*.sh tests/python/wheel/*.sh tests/apps/*.sh .ci/run)
for script in "${scripts[@]}"; do [[ -f $script ]] || fail "there is no $script"; done
if grep -nE '\b(mapfile|readarray|declare -A|local -n)\b|\$\{[a-z_]+(,,|\^\^)|install -D|find .*-printf|sed -i |sed .*s/[^/]*/[^/]*\\n|readlink -f|cp --|\|& ' \
  "${scripts[@]}" | grep -v "^tests/install/requirements_test.sh:.*grep -nE\|mapfile|readarray"; then
  fail "these need GNU tools or a later bash"
fi
