#pragma once
/// The innermost loop of a real matrix product: a tile of C stays in registers while k runs.

#include <algorithm>

#include "core/kernels/pack.h"

namespace argand {

/// The tile: `rows` x `packs` accumulators, plus `packs` registers for a row of B and one for an element of A, fit into the 32
/// registers of AVX-512 and NEON or the 16 of the other levels. Tiles are wide: under AVX-512, 6 x 64 floats were 10 % faster than
/// 12 x 32, because they load fewer elements of A.
template <RealScalar R>
struct RegisterTile {
  static constexpr int width = Pack<R>::width;
  static constexpr int packs = register_count == 32 ? 4 : 2;
  static constexpr int rows = register_bytes == 16 && register_count == 16 ? 4 : 6;
  static constexpr std::int64_t columns = packs * width;
};

/// Where the elements of a factor are: A(i, k) is data[i · row_step + k · k_step]. One of the two steps is 1.
template <RealScalar R>
struct Strided {
  const R* data;
  std::int64_t row_step, k_step;
  Strided at(std::int64_t i, std::int64_t k) const { return {data + i * row_step + k * k_step, row_step, k_step}; }
};

/// What a product is added to, row i at data + i · row_step: C itself, a bias for all rows (row_step 0), or nothing (null).
template <RealScalar R>
struct Addend {
  const R* data = nullptr;
  std::int64_t row_step = 0;
  Addend at(std::int64_t i, std::int64_t j) const { return {data == nullptr ? nullptr : data + i * row_step + j, row_step}; }
};

namespace detail {

// Without unrolling, GCC 14 for ARM stores the sums in every step: 48 instructions for 24 fused products instead of 37.
#if defined(__aarch64__) && !defined(__clang__)
#define ARGAND_UNROLL _Pragma("GCC unroll 8")
#else
#define ARGAND_UNROLL
#endif

/// C [M, N packs] <- addend + alpha A [M, K] B [K, N packs]. Each element is one chain of multiplications and additions
/// in the order of k, so its bits do not depend on M, N or its place. K is at least 1. (Inlined into its callers, GCC 12 kept some
/// sums in memory: 80 instead of 95 GFLOP/s.)
template <RealScalar R, int M, int N>
[[gnu::noinline]] void multiply_in_registers(std::int64_t K, const R* __restrict a, std::int64_t row_step, std::int64_t k_step,
                                             const R* __restrict b, std::int64_t ldb, R alpha, R* c, std::int64_t ldc,
                                             Addend<R> addend) {
  using P = Pack<R>;
  constexpr PackAt<R, true> first{0, P::width};
  P sums[M][N];
  ARGAND_UNROLL for (int i = 0; i < M; ++i) ARGAND_UNROLL for (int j = 0; j < N; ++j) sums[i][j] = P(R(0));
  do {
    P row[N];
    ARGAND_UNROLL for (int j = 0; j < N; ++j) row[j] = first.load(b + j * P::width);
    ARGAND_UNROLL for (int i = 0; i < M; ++i) {
      const P x(a[i * row_step]);
      ARGAND_UNROLL for (int j = 0; j < N; ++j) sums[i][j] = multiply_add(x, row[j], sums[i][j]);
    }
    a += k_step, b += ldb;
  } while (--K > 0);
  ARGAND_UNROLL for (int i = 0; i < M; ++i) ARGAND_UNROLL for (int j = 0; j < N; ++j) {
    R* const to = c + i * ldc + j * P::width;
    const P sum = P(alpha) * sums[i][j];
    first.store(to, addend.data == nullptr ? sum : first.load(addend.data + i * addend.row_step + j * P::width) + sum);
  }
}

#undef ARGAND_UNROLL

/// Starts to load a tile of C, which is needed only after all terms have been added. (Large products took 0.91 to 0.98 of the
/// time.)
template <RealScalar R, int M, int N>
inline void prefetch(const R* c, std::int64_t ldc) {
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < N; ++j) __builtin_prefetch(c + i * ldc + j * Pack<R>::width, 1);
}

/// Computes all rows; those that do not fill a tile come last.
template <RealScalar R, int N>
void multiply_rows(std::int64_t M, std::int64_t K, Strided<R> A, const R* b, std::int64_t ldb, R alpha, R* c, std::int64_t ldc,
                   Addend<R> addend) {
  constexpr int step = RegisterTile<R>::rows;
  std::int64_t i = 0;
  if (A.k_step == 1)
    for (; i + step <= M; i += step) {
      prefetch<R, step, N>(c + i * ldc, ldc);
      multiply_in_registers<R, step, N>(K, A.data + i * A.row_step, A.row_step, 1, b, ldb, alpha, c + i * ldc, ldc,
                                        addend.at(i, 0));
    }
  else
    for (; i + step <= M; i += step) {
      prefetch<R, step, N>(c + i * ldc, ldc);
      multiply_in_registers<R, step, N>(K, A.data + i * A.row_step, 1, A.k_step, b, ldb, alpha, c + i * ldc, ldc, addend.at(i, 0));
    }
  const R* const a = A.data + i * A.row_step;
  switch (M - i) {
    case 5: return multiply_in_registers<R, 5, N>(K, a, A.row_step, A.k_step, b, ldb, alpha, c + i * ldc, ldc, addend.at(i, 0));
    case 4: return multiply_in_registers<R, 4, N>(K, a, A.row_step, A.k_step, b, ldb, alpha, c + i * ldc, ldc, addend.at(i, 0));
    case 3: return multiply_in_registers<R, 3, N>(K, a, A.row_step, A.k_step, b, ldb, alpha, c + i * ldc, ldc, addend.at(i, 0));
    case 2: return multiply_in_registers<R, 2, N>(K, a, A.row_step, A.k_step, b, ldb, alpha, c + i * ldc, ldc, addend.at(i, 0));
    case 1: return multiply_in_registers<R, 1, N>(K, a, A.row_step, A.k_step, b, ldb, alpha, c + i * ldc, ldc, addend.at(i, 0));
    default: return;
  }
}

}  // namespace detail

/// C [M, N] <- addend + alpha A [M, K] B [K, N], with N at most RegisterTile<R>::columns. B's rows must be readable to
/// the end of the last pack, but what lies beyond N has no effect; only N columns of C are written.
template <RealScalar R>
void multiply_panel(std::int64_t M, std::int64_t N, std::int64_t K, Strided<R> A, const R* B, std::int64_t ldb, R alpha, R* C,
                    std::int64_t ldc, Addend<R> addend) {
  using Tile = RegisterTile<R>;
  const auto whole = [&](std::int64_t rows, Strided<R> a, R* c, std::int64_t step, Addend<R> to_add) {
    switch ((N + Tile::width - 1) / Tile::width) {
      case 1: return detail::multiply_rows<R, 1>(rows, K, a, B, ldb, alpha, c, step, to_add);
      case 2: return detail::multiply_rows<R, 2>(rows, K, a, B, ldb, alpha, c, step, to_add);
      default:
        if constexpr (Tile::packs > 2) {
          if (N <= 3 * Tile::width) return detail::multiply_rows<R, 3>(rows, K, a, B, ldb, alpha, c, step, to_add);
          return detail::multiply_rows<R, 4>(rows, K, a, B, ldb, alpha, c, step, to_add);
        }
    }
  };
  if (N % Tile::width == 0) return whole(M, A, C, ldc, addend);
  R tile[Tile::rows * Tile::columns];
  for (std::int64_t i = 0; i < M; i += Tile::rows) {
    const std::int64_t rows = std::min<std::int64_t>(Tile::rows, M - i);
    whole(rows, A.at(i, 0), tile, Tile::columns, {});
    for (std::int64_t r = 0; r < rows; ++r) {
      const Addend<R> row = addend.at(i + r, 0);
      for_packs<R>(0, N, [&](auto at) {
        const Pack<R> sum = at.load(tile + r * Tile::columns);
        at.store(C + (i + r) * ldc, row.data == nullptr ? sum : at.load(row.data) + sum);
      });
    }
  }
}

}  // namespace argand
