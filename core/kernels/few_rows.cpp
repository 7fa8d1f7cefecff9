#include "core/kernels/few_rows.h"

#include "core/kernels/pack.h"

namespace argand {
namespace {

/// c [M, n] (+)= alpha · a [M, K] bᵀ for n rows of B, which are read once for all rows of A.
template <RealScalar R, int M, int n>
void dot_products(const Product<R>& p, const R* b, R* c) {
  using P = Pack<R>;
  P sums[M][n];
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < n; ++j) sums[i][j] = P(R(0));
  for_packs<R>(0, p.K, [&](auto at) {
    P row[n];
    for (int j = 0; j < n; ++j) row[j] = at.load(b + j * p.ldb);
    for (int i = 0; i < M; ++i) {
      const P x = at.load(p.A + i * p.lda);
      for (int j = 0; j < n; ++j) sums[i][j] = multiply_add(x, row[j], sums[i][j]);
    }
  });
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < n; ++j) {
      R& to = c[i * p.ldc + j];
      const R product = p.alpha * sum(sums[i][j]);
      to = p.beta == R(0) ? product : to + product;
    }
}

template <RealScalar R, int M>
void few_rows_by_four(const Product<R>& p) {
  // Rows of B at a time: enough independent sums to hide the latency of an addition, few enough to fit in 16 or 32 registers.
  constexpr int together = M > 2 && register_count == 16 ? 2 : 4;
  std::int64_t j = 0;
  for (; j + together <= p.N; j += together) dot_products<R, M, together>(p, p.B + j * p.ldb, p.C + j);
  for (; j < p.N; ++j) dot_products<R, M, 1>(p, p.B + j * p.ldb, p.C + j);
}

}  // namespace

template <RealScalar R>
void few_rows_gemm(const Product<R>& p) {
  switch (p.M) {
    case 1: return few_rows_by_four<R, 1>(p);
    case 2: return few_rows_by_four<R, 2>(p);
    case 3: return few_rows_by_four<R, 3>(p);
    default: return few_rows_by_four<R, 4>(p);
  }
}

template <RealScalar R>
bool few_rows_is_faster(const Product<R>& p) {
  constexpr std::int64_t least = 1 << 12;  // smallest number of elements of B
  return p.M >= 1 && p.M <= 4 && !transposes(p.a_is) && transposes(p.b_is) && p.K >= Pack<R>::width && p.K * p.N >= least &&
         (p.beta == R(0) || p.beta == R(1));
}

#define ARGAND_FEW_ROWS(R)                           \
  template void few_rows_gemm<R>(const Product<R>&); \
  template bool few_rows_is_faster<R>(const Product<R>&);
ARGAND_FOR_REAL(ARGAND_FEW_ROWS)

}  // namespace argand
