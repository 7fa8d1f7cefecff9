#include "core/kernels/direct_gemm.h"

#include <cstring>

#include "core/parallel.h"

namespace argand {
namespace {

/// Terms of each sum per block, few enough that a panel of B (at most 64 KB) and the rows of A stay in the L2 cache.
constexpr std::int64_t terms = 256;
/// Rows of A per block, multiplied with all panels before the next block is read.
constexpr std::int64_t block_rows = 96;

/// to [4, 4] <- the transpose of from [4, 4]; their rows are to_step and step elements apart. (Packing element by element took two
/// thirds of the time of a product of 64 x 32 by 32 x 64.)
void transpose_4x4(const float* from, std::int64_t step, float* to, std::int64_t to_step) {
  typedef float Four __attribute__((vector_size(16)));
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

/// to [K, ld], ld a multiple of a pack <- n columns of op(B), starting at B, zero-padded.
template <RealScalar R>
void pack_columns(bool transposed, std::int64_t K, std::int64_t n, const R* B, std::int64_t ldb, R* to, std::int64_t ld) {
  if (!transposed) {
    for (std::int64_t k = 0; k < K; ++k) {
      for_packs<R>(0, n, [&](auto at) { at.store(to + k * ld, at.load(B + k * ldb)); });
      for (std::int64_t j = n; j < ld; ++j) to[k * ld + j] = 0;
    }
    return;
  }
  std::int64_t j = 0;
  if constexpr (std::same_as<R, float>)
    for (; j + 4 <= n; j += 4) {
      std::int64_t k = 0;
      for (; k + 4 <= K; k += 4) transpose_4x4(B + j * ldb + k, ldb, to + k * ld + j, ld);
      for (; k < K; ++k)
        for (std::int64_t c = j; c < j + 4; ++c) to[k * ld + c] = B[c * ldb + k];
    }
  for (; j < n; ++j)
    for (std::int64_t k = 0; k < K; ++k) to[k * ld + j] = B[j * ldb + k];
  for (; j < ld; ++j)
    for (std::int64_t k = 0; k < K; ++k) to[k * ld + j] = 0;
}

}  // namespace

template <RealScalar R>
PackedPanels<R>::PackedPanels(Transpose b_is, std::int64_t K, std::int64_t N, const R* B, std::int64_t ldb)
    : K_(K), N_(N), numbers_(static_cast<std::size_t>(size() * K * columns)) {
  const bool transposed = transposes(b_is);
  parallel_for(size(), std::max<std::int64_t>(1, 16384 / std::max<std::int64_t>(1, K * columns)),
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t i = begin; i < end; ++i)
                   pack_columns(transposed, K, std::min(columns, N - i * columns), B + i * columns * (transposed ? ldb : 1), ldb,
                                numbers_.data() + i * K * columns, columns);
               });
}

template <RealScalar R>
void direct_gemm(std::int64_t M, Strided<R> A, const PackedPanels<R>& B, std::int64_t first, std::int64_t n, R* C, std::int64_t ldc,
                 R alpha, R beta) {
  constexpr std::int64_t columns = PackedPanels<R>::columns;
  if (B.K() == 0 && beta == R(0))
    for (std::int64_t i = 0; i < M; ++i) std::fill_n(C + i * ldc, n, R(0));
  for (std::int64_t k = 0; k < B.K(); k += terms)
    for (std::int64_t j = 0; j < n; j += columns)
      multiply_panel(M, std::min(columns, n - j), std::min(terms, B.K() - k), A.at(0, k),
                     B.panel((first + j) / columns) + k * columns, columns, alpha, C + j, ldc, k > 0 || beta != R(0));
}

template <RealScalar R>
void direct_gemm(const Product<R>& p) {
  if (p.K == 0 && p.beta == R(0))
    for (std::int64_t i = 0; i < p.M; ++i) std::fill_n(p.C + i * p.ldc, p.N, R(0));
  constexpr std::int64_t columns = RegisterTile<R>::columns, width = RegisterTile<R>::width;
  const bool transposed = transposes(p.b_is);
  // Rows of B are read in place when they fill packs.
  const std::int64_t padded = (p.N + width - 1) / width * width;
  const bool packed = transposed || padded != p.N;
  Scratch<R> panels(packed ? static_cast<std::size_t>(std::min(terms, p.K) * padded) : 0);
  const Strided<R> A = factor_a(p);
  for (std::int64_t k = 0; k < p.K; k += terms) {
    const std::int64_t K = std::min(terms, p.K - k);
    // The panel that starts at column j is stored at offset j · K, in rows of `step` elements.
    const auto step = [&](std::int64_t j) { return std::min(columns, padded - j); };
    if (packed)
      for (std::int64_t j = 0; j < p.N; j += columns)
        pack_columns(transposed, K, std::min(columns, p.N - j), transposed ? p.B + j * p.ldb + k : p.B + k * p.ldb + j, p.ldb,
                     panels.data() + j * K, step(j));
    for (std::int64_t i = 0; i < p.M; i += block_rows)
      for (std::int64_t j = 0; j < p.N; j += columns)
        multiply_panel(std::min(block_rows, p.M - i), std::min(columns, p.N - j), K, A.at(i, k),
                       packed ? panels.data() + j * K : p.B + k * p.ldb + j, packed ? step(j) : p.ldb, p.alpha, p.C + i * p.ldc + j,
                       p.ldc, k > 0 || p.beta != R(0));
  }
}

/// Times with one thread, relative to OpenBLAS's, under AVX-512 and under AVX2. Queries times keys, 64 x 64 x 32 and 64 x 128 x 64:
/// 0.61 and 0.74, 0.82 and 0.86. Weights times values, 64 x 32 x 64: 0.95, 0.73. Layers of width 128 with 768 rows: 0.74 to 0.82,
/// 0.91 to 0.95; of width 128 to 512 with 2 048 rows: 0.86 to 0.93, 0.95 to 1.03. Beyond that (384 to 1 536) OpenBLAS's copies pay
/// off: 1.02 to 1.13. With A transposed, so that successive k are far apart: 0.82 to 0.96, 0.92 to 1.26.
template <RealScalar R>
bool direct_is_faster(const Product<R>& p) {
  constexpr std::int64_t most = 1 << 16, width = RegisterTile<R>::width;
  if (p.M < 8 || p.K < 1 || p.N < (p.N % width == 0 ? width : 4 * width) || (p.beta != R(0) && p.beta != R(1))) return false;
  if (factor_a(p).k_step == 1) return p.K * p.N <= most;
  return p.lda <= 512 && (register_bytes == 64 ? p.M * p.N <= most : p.K * p.N <= most);
}

#define ARGAND_DIRECT_GEMM(R)                                                                                                     \
  template class PackedPanels<R>;                                                                                                 \
  template void direct_gemm<R>(std::int64_t, Strided<R>, const PackedPanels<R>&, std::int64_t, std::int64_t, R*, std::int64_t, R, \
                               R);                                                                                                \
  template void direct_gemm<R>(const Product<R>&);                                                                                \
  template bool direct_is_faster<R>(const Product<R>&);
ARGAND_FOR_REAL(ARGAND_DIRECT_GEMM)

}  // namespace argand
