#pragma once
/// A random order that needs neither a table nor a state.

#include <cstdint>

#include "core/random.h"

namespace argand {

/// Where the number i lands in a random order of {0, ..., n - 1}, a pure function of (i, n, random); i < n, n >= 1.
std::uint64_t permuted(std::uint64_t i, std::uint64_t n, const Random& random);

}  // namespace argand
