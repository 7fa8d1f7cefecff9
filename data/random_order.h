#pragma once
/// A random permutation computed element by element, without a table or state.

#include <cstdint>

#include "core/random.h"

namespace argand {

/// The position of i in a random order of {0, ..., n - 1}, as a pure function of (i, n, random); requires i < n.
std::uint64_t permuted(std::uint64_t i, std::uint64_t n, const Random& random);

}  // namespace argand
