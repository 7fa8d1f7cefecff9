#!/usr/bin/env bash
# Checks that ARGAND_LEVEL forces a kernel level, or reports why it cannot.
#   level_test.sh PROGRAM LEVELS     LEVELS: those included in the build, e.g. "v4" or "baseline v3 v4"
set -euo pipefail
program=$1 levels=$2

# expect TEXT COMMAND...: fails unless the output contains TEXT.
expect() {
  local text=$1 output
  shift
  output=$("$@" 2>&1) || true
  [[ $output == *"$text"* ]] || { echo "expected: $text" >&2; echo "got:      $output" >&2; exit 1; }
}

expect "ARGAND_LEVEL: 'v5' is not a valid level; use baseline, v3 or v4" env ARGAND_LEVEL=v5 "$program" --version
if ARGAND_LEVEL=v5 "$program" --version 2>/dev/null; then echo "the invalid level v5 was accepted" >&2; exit 1; fi

reached=$("$program" --version | sed 's/.*this processor: \([a-z0-9]*\).*/\1/')
rank() { case $1 in baseline) echo 0 ;; v3) echo 1 ;; v4) echo 2 ;; esac; }
for level in baseline v3 v4; do
  if (($(rank $level) > $(rank "$reached"))); then
    expect "$level was requested, but this processor supports at most $reached" env ARGAND_LEVEL=$level "$program" --version
  elif [[ " $levels " == *" $level "* ]]; then
    expect ", level $level " env ARGAND_LEVEL=$level "$program" --version
    expect ", level $level " env ARGAND_LEVEL=$level GLIBC_TUNABLES=glibc.malloc.check=0 "$program" --version
  else
    expect "$level was requested, but argand was built for" env ARGAND_LEVEL=$level "$program" --version
  fi
done
