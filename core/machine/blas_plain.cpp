#include <memory>

#include "core/kernels/pack.h"
#include "core/machine/blas.h"
#include "core/memory.h"

namespace argand {
namespace {

/// op(A)[i, j]
template <Scalar T>
T element(Transpose is, const T* A, std::int64_t lda, std::int64_t i, std::int64_t j) {
  const T x = transposes(is) ? A[j * lda + i] : A[i * lda + j];
  return conjugates(is) ? conj_of(x) : x;
}

}  // namespace

template <Scalar T>
void plain_gemm(const Product<T>& p) {
  // Copies op(B) by rows, so that a pack of columns of C stays in a register while k runs.
  std::shared_ptr<void> rows;
  const T* B = p.B;
  std::int64_t ldb = p.ldb;
  if (p.b_is != Transpose::No && p.K * p.N > 0) {
    rows = allocate(static_cast<std::size_t>(p.K * p.N) * sizeof(T));
    T* const copy = static_cast<T*>(rows.get());
    for (std::int64_t k = 0; k < p.K; ++k)
      for (std::int64_t j = 0; j < p.N; ++j) copy[k * p.N + j] = element(p.b_is, p.B, p.ldb, k, j);
    B = copy;
    ldb = p.N;
  }
  using Numbers = PackOf<T>;
  for (std::int64_t i = 0; i < p.M; ++i)
    for_packs<RealOf<T>>(0, p.N, [&](auto at) {
      Numbers sum(T(0));
      for (std::int64_t k = 0; k < p.K; ++k) sum += mul(Numbers(element(p.a_is, p.A, p.lda, i, k)), at.load(B + k * ldb));
      Numbers c = mul(Numbers(p.alpha), sum);
      if (p.beta != T(0)) c += mul(Numbers(p.beta), at.load(p.C + i * p.ldc));
      at.store(p.C + i * p.ldc, c);
    });
}

#define ARGAND_PLAIN_GEMM(T) template void plain_gemm<T>(const Product<T>&);
ARGAND_FOR_SCALAR(ARGAND_PLAIN_GEMM)

#if defined(ARGAND_PLAIN_BLAS)

template <Scalar T>
void blas_gemm(const Product<T>& p) {
  plain_gemm(p);
}
#define ARGAND_BLAS_GEMM(T) template void blas_gemm<T>(const Product<T>&);
ARGAND_FOR_SCALAR(ARGAND_BLAS_GEMM)

void reserve_blas(int) {}

std::string blas_kernels_name() { return "plain"; }
bool change_blas_kernels(const std::string&) { return false; }
bool blas_shares_threads() { return true; }

#endif

}  // namespace argand
