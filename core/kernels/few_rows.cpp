#include "core/kernels/few_rows.h"

#include <algorithm>

#include "core/kernels/pack.h"

namespace argand {
namespace {

/// M elements of column j of C, in the rows from i on.
template <int M, RealScalar R>
void dot_products(const Product<R>& p, std::int64_t i, std::int64_t j) {
  using P = Pack<R>;
  P sums[M];
  for (int r = 0; r < M; ++r) sums[r] = P(R(0));
  for_packs<R>(0, p.K, [&](auto at) {
    const P b = at.load(p.B + j * p.ldb);
    for (int r = 0; r < M; ++r) sums[r] = multiply_add(at.load(p.A + (i + r) * p.lda), b, sums[r]);
  });
  for (int r = 0; r < M; ++r) {
    R& to = p.C[(i + r) * p.ldc + j];
    const R product = p.alpha * sum(sums[r]);
    to = p.beta == R(0) ? product : to + product;
  }
}

}  // namespace

/// One row of B at a time, so that memory is read strictly in order. (With four rows at a time, which need fewer sums of lanes,
/// a matrix [33 278, 128] was read from memory at 7.7 instead of 16 GB/s.)
template <RealScalar R>
void few_rows_gemm(const Product<R>& p) {
  for (std::int64_t j = 0; j < p.N; ++j) {
    std::int64_t i = 0;
    for (; i + 4 <= p.M; i += 4) dot_products<4>(p, i, j);
    switch (p.M - i) {
      case 1: dot_products<1>(p, i, j); break;
      case 2: dot_products<2>(p, i, j); break;
      case 3: dot_products<3>(p, i, j); break;
    }
  }
}

template <RealScalar R>
bool few_rows_is_faster(const Product<R>& p) {
  // Elements of B from which on, with AVX-512, it was faster than the other ways: for 4, 8 and 16 rows of float32. More than 4 rows
  // have to fit into the first-level cache.
  constexpr std::int64_t least = 1 << 12, medium = 1 << 16, large = 1 << 22, cache = 1 << 15, width = Pack<R>::width;
  const std::int64_t elements = p.K * p.N;
  const std::int64_t fitting = cache / static_cast<std::int64_t>(sizeof(R)) / std::max<std::int64_t>(p.K, 1);
  const std::int64_t most = std::max<std::int64_t>(4, std::min(fitting, elements >= large   ? width
                                                                        : elements > medium ? width / 2
                                                                                            : 0));
  return p.M >= 1 && p.M <= most && !transposes(p.a_is) && transposes(p.b_is) && p.K >= width && elements >= least &&
         (p.beta == R(0) || p.beta == R(1));
}

#define ARGAND_FEW_ROWS(R)                           \
  template void few_rows_gemm<R>(const Product<R>&); \
  template bool few_rows_is_faster<R>(const Product<R>&);
ARGAND_FOR_REAL(ARGAND_FEW_ROWS)

}  // namespace argand
