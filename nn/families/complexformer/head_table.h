#pragma once
/// ComplexFormer's per-head parameters, in a table: the phase scale δ and the phase bias b of
/// cos(δ (θq − θk) + b + (m − n) ω).

#include "nn/family.h"

namespace argand {

/// One line a head, mean ± standard deviation over the frequencies, after a line of headings; empty for models without them.
std::vector<std::string> head_table(const std::vector<NamedNumbers>& parameters);

}  // namespace argand
