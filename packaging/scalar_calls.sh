#!/usr/bin/env bash
# scalar_calls.sh OBJDUMP LIBRARY: prints for each elementary function how many functions of the library call it for a single number
# instead of a vector: "exp 55". Kernels must not do so; tails, row totals and rare cases may.
set -euo pipefail
"$1" -d --no-show-raw-insn "$2" | awk '
  /^[0-9a-f]+ <.*>:$/ { inside = $2 }
  / *(bl?|call|jmp)[ \t].*<(sin|cos|sincos|tan|exp|expm1|log|log1p|atan2|tanh|sinh|cosh|pow|erf|erfc)f?@plt>/ {
    match($0, /<[a-z0-9]+@plt>/)
    callee = substr($0, RSTART + 1, RLENGTH - 6)
    if (!seen[inside, callee]++) ++count[callee]
  }
  END { for (callee in count) print callee, count[callee] }' | sort
