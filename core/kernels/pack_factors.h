#pragma once
/// Copies ("packs") the factors of a product into the order in which register tiles (core/kernels/microkernel.h) read them.

#include <algorithm>

#include "core/kernels/microkernel.h"
#include "core/machine/blas.h"

namespace argand {

/// How many terms of each sum a block adds: few enough that a panel of B (96 KB of floats under AVX-512) and rows of A stay in the
/// L2 cache. Blocks are about equally long; the length depends only on K, and so do the bits of a product.
inline std::int64_t terms_per_block(std::int64_t K) {
  constexpr std::int64_t most = 384, step = 16;
  const std::int64_t blocks = std::max<std::int64_t>(1, (K + most - 1) / most);
  return (K + blocks * step - 1) / (blocks * step) * step;
}

namespace detail {

/// How many rows before a row is packed it is fetched: rows are far apart, so the processor does not do so by itself.
constexpr std::int64_t ahead = 16;

/// to [4, 4] <- the transpose of from [4, 4]; their rows are to_step and step elements apart. (Packing element by element took two
/// thirds of the time of a product of 64 x 32 by 32 x 64.)
template <RealScalar R>
void transpose_4x4(const R* from, std::int64_t step, R* to, std::int64_t to_step) {
  using Four = typename Vector<R, 4>::Lanes;
  Four r[4];
  for (int i = 0; i < 4; ++i) std::memcpy(&r[i], from + i * step, sizeof(Four));
  const Four low01 = __builtin_shufflevector(r[0], r[1], 0, 4, 1, 5), high01 = __builtin_shufflevector(r[0], r[1], 2, 6, 3, 7);
  const Four low23 = __builtin_shufflevector(r[2], r[3], 0, 4, 1, 5), high23 = __builtin_shufflevector(r[2], r[3], 2, 6, 3, 7);
  r[0] = __builtin_shufflevector(low01, low23, 0, 1, 4, 5);
  r[1] = __builtin_shufflevector(low01, low23, 2, 3, 6, 7);
  r[2] = __builtin_shufflevector(high01, high23, 0, 1, 4, 5);
  r[3] = __builtin_shufflevector(high01, high23, 2, 3, 6, 7);
  for (int i = 0; i < 4; ++i) std::memcpy(to + i * to_step, &r[i], sizeof(Four));
}

/// to [n, m] <- the transpose of from [m, n]; their rows are to_step and step elements apart. Squares of 4 x 4 overlap at the
/// edges; contiguous pairs are split or joined.
template <RealScalar R>
void transpose(std::int64_t m, std::int64_t n, const R* from, std::int64_t step, R* to, std::int64_t to_step) {
  if (n == 2 && step == 2)
    return for_packs<R>(0, m, [&](auto at) {
      const ComplexPack<R> pairs = at.load(reinterpret_cast<const std::complex<R>*>(from));
      at.store(to, pairs.re);
      at.store(to + to_step, pairs.im);
    });
  if (m == 2 && to_step == 2)
    return for_packs<R>(0, n, [&](auto at) {
      at.store(reinterpret_cast<std::complex<R>*>(to), ComplexPack<R>(at.load(from), at.load(from + step)));
    });
  if constexpr (4 * sizeof(R) <= register_bytes)
    if (m >= 4 && n >= 4) {
      for (std::int64_t i = 0; i < m; i += 4)
        for (std::int64_t j = 0, r = std::min(i, m - 4); j < n; j += 4) {
          const std::int64_t c = std::min(j, n - 4);
          transpose_4x4(from + r * step + c, step, to + c * to_step + r, to_step);
        }
      return;
    }
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j) std::memcpy(to + j * to_step + i, from + i * step + j, sizeof(R));
}

}  // namespace detail

/// to [K, ld], ld a multiple of a pack <- n columns of op(B), starting at B, zero-padded.
template <RealScalar R>
void pack_columns(bool transposed, std::int64_t K, std::int64_t n, const R* B, std::int64_t ldb, R* to, std::int64_t ld) {
  if (transposed)
    detail::transpose(n, K, B, ldb, to, ld);
  else
    for (std::int64_t k = 0; k < K; ++k)
      for_packs<R>(0, n, [&](auto at) {
        __builtin_prefetch(B + (k + detail::ahead) * ldb + at.place);
        at.store(to + k * ld, at.load(B + k * ldb));
      });
  for (std::int64_t k = 0; n < ld && k < K; ++k) std::fill(to + k * ld + n, to + (k + 1) * ld, R(0));
}

}  // namespace argand
