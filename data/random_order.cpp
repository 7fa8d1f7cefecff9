#include "data/random_order.h"

#include <algorithm>
#include <bit>

namespace argand {

/// A Feistel network keyed by `random`, which permutes [0, 4^k) for any round function, applied repeatedly until the result lies in
/// [0, n) (cycle walking: Black, Rogaway, "Ciphers with arbitrary finite domains", CT-RSA 2002). This takes fewer than four steps
/// on average, since 4^k < 4n.
std::uint64_t permuted(std::uint64_t i, std::uint64_t n, const Random& random) {
  const int half = std::max(1, (static_cast<int>(std::bit_width(n - 1)) + 1) / 2);
  const std::uint64_t mask = (std::uint64_t{1} << half) - 1;
  do {
    std::uint64_t left = i >> half, right = i & mask;
    for (std::uint64_t round = 0; round < 6; ++round) {
      const std::uint64_t mixed = left ^ (random.block(round << 32 | right)[0] & mask);
      left = right;
      right = mixed;
    }
    i = left << half | right;
  } while (i >= n);
  return i;
}

}  // namespace argand
