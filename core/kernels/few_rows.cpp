#include "core/kernels/few_rows.h"

#include "core/kernels/pack.h"

namespace argand {
namespace {

/// One row of B at a time, so that memory is read strictly in order. (With four rows at a time, which need fewer sums of lanes,
/// a matrix [33 278, 128] was read from memory at 7.7 instead of 16 GB/s.)
template <RealScalar R, int M>
void dot_products(const Product<R>& p) {
  using P = Pack<R>;
  for (std::int64_t j = 0; j < p.N; ++j) {
    P sums[M];
    for (int i = 0; i < M; ++i) sums[i] = P(R(0));
    for_packs<R>(0, p.K, [&](auto at) {
      const P b = at.load(p.B + j * p.ldb);
      for (int i = 0; i < M; ++i) sums[i] = multiply_add(at.load(p.A + i * p.lda), b, sums[i]);
    });
    for (int i = 0; i < M; ++i) {
      R& to = p.C[i * p.ldc + j];
      const R product = p.alpha * sum(sums[i]);
      to = p.beta == R(0) ? product : to + product;
    }
  }
}

}  // namespace

template <RealScalar R>
void few_rows_gemm(const Product<R>& p) {
  switch (p.M) {
    case 1: return dot_products<R, 1>(p);
    case 2: return dot_products<R, 2>(p);
    case 3: return dot_products<R, 3>(p);
    default: return dot_products<R, 4>(p);
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
