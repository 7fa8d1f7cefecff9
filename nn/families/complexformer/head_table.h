#pragma once
/// A table of ComplexFormer's per-head parameters: the phase scale δ and the phase bias b of cos(δ (θq − θk) + b + (m − n) ω).

#include "nn/family.h"

namespace argand {

/// A line of headings, then one line per head: mean ± standard deviation over the frequencies. Empty for models without δ and b.
std::vector<std::string> head_table(const std::vector<NamedNumbers>& parameters);

}  // namespace argand
