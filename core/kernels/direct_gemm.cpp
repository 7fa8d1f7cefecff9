#include "core/kernels/direct_gemm.h"

#include "core/kernels/pack_factors.h"
#include "core/memory.h"

namespace argand {
namespace {

/// Rows of A per block, multiplied with all panels before the next block is read.
constexpr std::int64_t block_rows = 96;

}  // namespace

template <RealScalar R>
void direct_gemm(const Product<R>& p) {
  if (p.K == 0 && p.beta == R(0))
    for (std::int64_t i = 0; i < p.M; ++i) std::fill_n(p.C + i * p.ldc, p.N, R(0));
  constexpr std::int64_t columns = RegisterTile<R>::columns, width = RegisterTile<R>::width;
  const bool transposed = transposes(p.b_is);
  // Rows of B are read in place when they fill packs.
  const std::int64_t padded = (p.N + width - 1) / width * width;
  const std::int64_t terms = terms_per_block(p.K);
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
                       p.ldc, k > 0 || p.beta != R(0) ? Addend<R>{p.C + i * p.ldc + j, p.ldc} : Addend<R>{});
  }
}

/// Times with one thread on Zen 4, relative to OpenBLAS's, under AVX-512 and under AVX2: 0.71 to 0.84 and 0.77 to 0.89 with 16 to
/// 48 rows; 0.86 to 0.91 and 0.83 to 0.93 with a small B (128 x 128 to 512 x 128). Once B is large, reading it in place takes
/// longer than copying it first, as core/kernels/packed_gemm.h does, which also takes the products with a transposed B (a copy in
/// any case). With A transposed, so that successive k are far apart, AVX2 takes 1.01 to 1.44 times as long, and AVX-512 0.87 to
/// 0.98.
template <RealScalar R>
bool direct_is_faster(const Product<R>& p) {
  constexpr std::int64_t small_b = 1 << 16, few_rows = 192, near = 512, width = RegisterTile<R>::width;
  constexpr bool can_pack = register_bytes >= 32;  // packed_gemm is used
  if (p.M < 8 || p.K < 1 || p.N < (p.N % width == 0 ? width : 4 * width) || (p.beta != R(0) && p.beta != R(1))) return false;
  if (transposes(p.a_is) && p.lda > near && register_bytes < 64) return false;
  if (!can_pack) return p.K * p.N <= small_b;
  if (transposes(p.b_is)) return false;
  return p.K * p.N <= small_b || p.M <= few_rows || (transposes(p.a_is) && p.M <= near && p.N <= near && register_bytes == 64);
}

#define ARGAND_DIRECT_GEMM(R)                      \
  template void direct_gemm<R>(const Product<R>&); \
  template bool direct_is_faster<R>(const Product<R>&);
ARGAND_FOR_REAL(ARGAND_DIRECT_GEMM)

}  // namespace argand
