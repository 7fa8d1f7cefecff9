#pragma once
/// Counter-based random numbers: Philox4x32-10 (Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC
/// 2011). Number i of a stream is a pure function of (seed, stream, i), independent of the thread count and the order of calls.

#include <array>
#include <cstdint>
#include <span>

#include "core/tensor.h"

namespace argand {

class Random {
 public:
  /// Different streams of one seed are independent of each other.
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0) : seed_(seed), stream_(stream) {}

  /// Block i of the stream: four random 32-bit words.
  std::array<std::uint32_t, 4> block(std::uint64_t i) const;
  /// Fills `words` with words.size()/4 consecutive blocks, starting at `first`, many at a time; words.size() is a multiple of 4.
  void blocks(std::uint64_t first, std::span<std::uint32_t> words) const;
  /// Number i, uniform in [0, 1), with 53 random bits.
  double uniform(std::uint64_t i) const;
  /// Number i, standard normal (Box-Muller on one block).
  double normal(std::uint64_t i) const;
  /// Number i, uniform in {0, ..., n - 1}, n >= 1, with negligible modulo bias (64-bit multiply-shift).
  std::uint64_t below(std::uint64_t i, std::uint64_t n) const;

  std::uint64_t seed() const { return seed_; }
  std::uint64_t stream() const { return stream_; }

 private:
  std::uint64_t seed_, stream_;
};

/// Normally distributed numbers, N(0, std²); a complex number has variance std²/2 in each component, so that E|z|² = std².
template <Scalar T>
Tensor<T> randn(const Shape& shape, const Random& random, RealOf<T> std = 1);
/// Uniform in [low, high); both components of a complex number lie in that range.
template <Scalar T>
Tensor<T> rand(const Shape& shape, const Random& random, RealOf<T> low = 0, RealOf<T> high = 1);

}  // namespace argand
