#include "core/machine/lapack.h"

#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>

#include "core/error.h"
#include "core/machine/blas.h"
#include "core/machine/threads.h"

// LAPACK's own routines: Debian's OpenBLAS has their symbols but no header for them. `Real...` and `Complex...` differ where the
// complex routines also need a workspace of reals.
extern "C" {
#define ARGAND_LAPACK(T, lu, lu_solve, cholesky, qr)                                                                              \
  void lu(const int* m, const int* n, T* A, const int* lda, int* pivots, int* info);                                              \
  void lu_solve(const char* how, const int* n, const int* k, const T* A, const int* lda, const int* pivots, T* B, const int* ldb, \
                int* info, std::size_t);                                                                                          \
  void cholesky(const char* half, const int* n, T* A, const int* lda, int* info, std::size_t);                                    \
  void qr(const int* m, const int* n, T* A, const int* lda, T* tau, T* work, const int* size, int* info);
ARGAND_LAPACK(float, sgetrf_, sgetrs_, spotrf_, sgeqrf_)
ARGAND_LAPACK(double, dgetrf_, dgetrs_, dpotrf_, dgeqrf_)
ARGAND_LAPACK(std::complex<float>, cgetrf_, cgetrs_, cpotrf_, cgeqrf_)
ARGAND_LAPACK(std::complex<double>, zgetrf_, zgetrs_, zpotrf_, zgeqrf_)
#undef ARGAND_LAPACK

#define ARGAND_LAPACK(T, q_of) \
  void q_of(const int* m, const int* n, const int* k, T* A, const int* lda, const T* tau, T* work, const int* size, int* info);
ARGAND_LAPACK(float, sorgqr_)
ARGAND_LAPACK(double, dorgqr_)
ARGAND_LAPACK(std::complex<float>, cungqr_)
ARGAND_LAPACK(std::complex<double>, zungqr_)
#undef ARGAND_LAPACK

void dsyevd_(const char* what, const char* half, const int* n, double* A, const int* lda, double* lambda, double* work,
             const int* size, int* iwork, const int* isize, int* info, std::size_t, std::size_t);
void zheevd_(const char* what, const char* half, const int* n, std::complex<double>* A, const int* lda, double* lambda,
             std::complex<double>* work, const int* size, double* rwork, const int* rsize, int* iwork, const int* isize, int* info,
             std::size_t, std::size_t);
void dgesdd_(const char* what, const int* m, const int* n, double* A, const int* lda, double* s, double* U, const int* ldu,
             double* Vh, const int* ldvh, double* work, const int* size, int* iwork, int* info, std::size_t);
void zgesdd_(const char* what, const int* m, const int* n, std::complex<double>* A, const int* lda, double* s,
             std::complex<double>* U, const int* ldu, std::complex<double>* Vh, const int* ldvh, std::complex<double>* work,
             const int* size, double* rwork, int* iwork, int* info, std::size_t);
// `select` and `bwork` are not read: no sorting is requested.
void dgees_(const char* vectors, const char* sort, void* select, const int* n, double* A, const int* lda, int* sorted, double* re,
            double* im, double* Q, const int* ldq, double* work, const int* size, int* bwork, int* info, std::size_t, std::size_t);
void zgees_(const char* vectors, const char* sort, void* select, const int* n, std::complex<double>* A, const int* lda, int* sorted,
            std::complex<double>* lambda, std::complex<double>* Q, const int* ldq, std::complex<double>* work, const int* size,
            double* rwork, int* bwork, int* info, std::size_t, std::size_t);
void dgeev_(const char* left, const char* right, const int* n, double* A, const int* lda, double* re, double* im, double* left_V,
            const int* ldl, double* V, const int* ldv, double* work, const int* size, int* info, std::size_t, std::size_t);
void zgeev_(const char* left, const char* right, const int* n, std::complex<double>* A, const int* lda,
            std::complex<double>* lambda, std::complex<double>* left_V, const int* ldl, std::complex<double>* V, const int* ldv,
            std::complex<double>* work, const int* size, double* rwork, int* info, std::size_t, std::size_t);
}

namespace argand {
namespace {

template <Scalar T>
struct Lapack;
#define ARGAND_LAPACK(T, x, q)                  \
  template <>                                   \
  struct Lapack<T> {                            \
    static constexpr auto lu = x##getrf_;       \
    static constexpr auto lu_solve = x##getrs_; \
    static constexpr auto cholesky = x##potrf_; \
    static constexpr auto qr = x##geqrf_;       \
    static constexpr auto q_of = x##q##gqr_;    \
  };
ARGAND_LAPACK(float, s, or)
ARGAND_LAPACK(double, d, or)
ARGAND_LAPACK(std::complex<float>, c, un)
ARGAND_LAPACK(std::complex<double>, z, un)
#undef ARGAND_LAPACK

int order(std::int64_t n) {
  require(n <= 30'000, "lapack", "a matrix of {} rows or columns exceeds LAPACK's 32-bit indices", n);
  return static_cast<int>(n);
}

/// Restricts OpenBLAS to the calling thread, as in blas_gemm.
class SingleThreaded {
 public:
  SingleThreaded() {
    if (!blas_shares_threads() && openblas_get_num_threads() != 1) openblas_set_num_threads(1);
  }

 private:
  threads::Limit one_{1};
};

/// The workspace size that a routine requests, returned in the first element of the workspace.
template <Scalar T>
int workspace_size(T size) {
  return static_cast<int>(std::ceil(real_of(size) * (1 + std::numeric_limits<RealOf<T>>::epsilon())));
}

}  // namespace

template <Scalar T>
std::int64_t lapack_lu(std::int64_t size, T* A, std::vector<int>& pivots) {
  const SingleThreaded alone;
  const int n = order(size), lda = std::max(1, n);
  pivots.resize(static_cast<std::size_t>(n));
  int info = 0;
  Lapack<T>::lu(&n, &n, A, &lda, pivots.data(), &info);
  return info;
}

template <Scalar T>
void lapack_solve(bool adjoint, std::int64_t size, std::int64_t columns, const T* LU, const std::vector<int>& pivots, T* B) {
  const SingleThreaded alone;
  const int n = order(size), k = static_cast<int>(columns), ld = std::max(1, n);
  int info = 0;
  Lapack<T>::lu_solve(adjoint ? "C" : "N", &n, &k, LU, &ld, pivots.data(), B, &ld, &info, 1);
}

template <Scalar T>
std::int64_t lapack_cholesky(std::int64_t size, T* A) {
  const SingleThreaded alone;
  const int n = order(size), lda = std::max(1, n);
  int info = 0;
  Lapack<T>::cholesky("L", &n, A, &lda, &info, 1);
  for (int j = 0; j < n; ++j) std::fill(A + j * std::int64_t{n}, A + j * std::int64_t{n} + j, T(0));
  return info;
}

template <Scalar T>
void lapack_qr(std::int64_t rows, std::int64_t columns, T* A, T* R) {
  const SingleThreaded alone;
  const int m = order(rows), n = order(columns), lda = std::max(1, m), ask = -1;
  int info = 0;
  std::vector<T> tau(static_cast<std::size_t>(n)), work(1);
  T size_q;
  Lapack<T>::qr(&m, &n, A, &lda, tau.data(), work.data(), &ask, &info);
  Lapack<T>::q_of(&m, &n, &n, A, &lda, tau.data(), &size_q, &ask, &info);
  const int size = std::max({1, workspace_size(work[0]), workspace_size(size_q)});
  work.resize(static_cast<std::size_t>(size));
  Lapack<T>::qr(&m, &n, A, &lda, tau.data(), work.data(), &size, &info);
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < n; ++i) R[j * n + i] = i <= j ? A[j * m + i] : T(0);
  Lapack<T>::q_of(&m, &n, &n, A, &lda, tau.data(), work.data(), &size, &info);
}

namespace {

/// Spare elements after the last one that LAPACK works on: zgemv_n of OpenBLAS 0.3.21 for Zen and Haswell reads past it.
constexpr std::size_t room = 16;

template <Scalar T>
std::vector<T> padded_copy(const T* x, std::size_t size) {
  std::vector<T> copy(size + room);
  std::copy_n(x, size, copy.begin());
  return copy;
}

/// The double-precision type for T, in which iterative routines run: in float, a kernel of OpenBLAS 0.3.21 for processors without
/// AVX (ssymv) reads memory that an earlier product left behind, and NaNs there spoil the product of a finite matrix.
template <Scalar T>
using Doubled = std::conditional_t<ComplexScalar<T>, std::complex<double>, double>;

template <Scalar T>
void eigh_in_double(std::int64_t size_n, T* A, double* lambda) {
  using R = double;
  const SingleThreaded alone;
  const int n = order(size_n), lda = std::max(1, n), ask = -1;
  int info = 0, isize = 1;
  T size_work{};
  if constexpr (ComplexScalar<T>) {
    R size_rwork = 0;
    zheevd_("V", "L", &n, A, &lda, lambda, &size_work, &ask, &size_rwork, &ask, &isize, &ask, &info, 1, 1);
    const int size = workspace_size(size_work), rsize = workspace_size(size_rwork);
    std::vector<T> work(static_cast<std::size_t>(size));
    std::vector<R> rwork(static_cast<std::size_t>(rsize));
    std::vector<int> iwork(static_cast<std::size_t>(isize));
    zheevd_("V", "L", &n, A, &lda, lambda, work.data(), &size, rwork.data(), &rsize, iwork.data(), &isize, &info, 1, 1);
  } else {
    dsyevd_("V", "L", &n, A, &lda, lambda, &size_work, &ask, &isize, &ask, &info, 1, 1);
    const int size = workspace_size(size_work);
    std::vector<T> work(static_cast<std::size_t>(size));
    std::vector<int> iwork(static_cast<std::size_t>(isize));
    dsyevd_("V", "L", &n, A, &lda, lambda, work.data(), &size, iwork.data(), &isize, &info, 1, 1);
  }
  require(info == 0, "eigh", "LAPACK's iteration did not converge ({} off-diagonal elements remain)", info);
}

template <Scalar T>
void svd_in_double(std::int64_t rows, std::int64_t columns, const T* A, T* U, double* s, T* Vh) {
  using R = double;
  const SingleThreaded alone;
  const int m = order(rows), n = order(columns), k = std::min(m, n), lda = std::max(1, m), ldvh = std::max(1, k), ask = -1;
  const auto least = static_cast<std::size_t>(k), most = static_cast<std::size_t>(std::max(m, n));
  const auto size_a = static_cast<std::size_t>(rows * columns), size_u = static_cast<std::size_t>(rows * k),
             size_vh = static_cast<std::size_t>(k * columns);
  std::vector<T> a = padded_copy(A, size_a), u(size_u + room), vh(size_vh + room);
  int info = 0;
  T size_work{};
  std::vector<int> iwork(8 * least + 1);
  if constexpr (ComplexScalar<T>) {
    std::vector<R> rwork(least * std::max(5 * least + 7, 2 * most + 2 * least + 1) + 1);
    zgesdd_("S", &m, &n, a.data(), &lda, s, u.data(), &lda, vh.data(), &ldvh, &size_work, &ask, rwork.data(), iwork.data(), &info,
            1);
    const int size = workspace_size(size_work);
    std::vector<T> work(static_cast<std::size_t>(size) + room);
    zgesdd_("S", &m, &n, a.data(), &lda, s, u.data(), &lda, vh.data(), &ldvh, work.data(), &size, rwork.data(), iwork.data(), &info,
            1);
  } else {
    dgesdd_("S", &m, &n, a.data(), &lda, s, u.data(), &lda, vh.data(), &ldvh, &size_work, &ask, iwork.data(), &info, 1);
    const int size = workspace_size(size_work);
    std::vector<T> work(static_cast<std::size_t>(size) + room);
    dgesdd_("S", &m, &n, a.data(), &lda, s, u.data(), &lda, vh.data(), &ldvh, work.data(), &size, iwork.data(), &info, 1);
  }
  require(info == 0, "svd", "LAPACK's iteration did not converge");
  std::copy_n(u.begin(), size_u, U);
  std::copy_n(vh.begin(), size_vh, Vh);
}

template <Scalar T>
void copy_rounded(const std::vector<Doubled<T>>& from, T* to) {
  std::transform(from.begin(), from.end(), to, [](Doubled<T> x) { return static_cast<T>(x); });
}

}  // namespace

template <Scalar T>
void lapack_eigh(std::int64_t size_n, T* A, RealOf<T>* lambda) {
  if constexpr (std::same_as<RealOf<T>, float>) {
    std::vector<Doubled<T>> a(A, A + size_n * size_n);
    std::vector<double> values(static_cast<std::size_t>(size_n));
    lapack_eigh(size_n, a.data(), values.data());
    copy_rounded(a, A);
    copy_rounded(values, lambda);
  } else {
    eigh_in_double(size_n, A, lambda);
  }
}

template <Scalar T>
void lapack_svd(std::int64_t rows, std::int64_t columns, T* A, T* U, RealOf<T>* s, T* Vh) {
  if constexpr (std::same_as<RealOf<T>, float>) {
    const std::int64_t k = std::min(rows, columns);
    std::vector<Doubled<T>> a(A, A + rows * columns), u(static_cast<std::size_t>(rows * k)),
        vh(static_cast<std::size_t>(k * columns));
    std::vector<double> values(static_cast<std::size_t>(k));
    lapack_svd(rows, columns, a.data(), u.data(), values.data(), vh.data());
    copy_rounded(u, U);
    copy_rounded(vh, Vh);
    copy_rounded(values, s);
  } else {
    svd_in_double(rows, columns, A, U, s, Vh);
  }
}

std::int64_t lapack_schur(std::int64_t size_n, double* A, double* Q, std::complex<double>* lambda) {
  const SingleThreaded alone;
  const int n = order(size_n), ld = std::max(1, n), ask = -1;
  int info = 0, sorted = 0;
  double size_work = 0;
  std::vector<double> re(static_cast<std::size_t>(ld)), im(re.size());
  dgees_("V", "N", nullptr, &n, A, &ld, &sorted, re.data(), im.data(), Q, &ld, &size_work, &ask, nullptr, &info, 1, 1);
  const int size = std::max(1, workspace_size(size_work));
  std::vector<double> work(static_cast<std::size_t>(size));
  dgees_("V", "N", nullptr, &n, A, &ld, &sorted, re.data(), im.data(), Q, &ld, work.data(), &size, nullptr, &info, 1, 1);
  for (std::size_t k = 0; k < static_cast<std::size_t>(n); ++k) lambda[k] = {re[k], im[k]};
  return info;
}
std::int64_t lapack_schur(std::int64_t size_n, std::complex<double>* A, std::complex<double>* Q, std::complex<double>* lambda) {
  const SingleThreaded alone;
  const int n = order(size_n), ld = std::max(1, n), ask = -1;
  int info = 0, sorted = 0;
  std::complex<double> size_work = 0;
  std::vector<double> rwork(static_cast<std::size_t>(ld));
  const auto all = static_cast<std::size_t>(size_n * size_n);
  std::vector<std::complex<double>> a = padded_copy(A, all), q(all + room);
  zgees_("V", "N", nullptr, &n, a.data(), &ld, &sorted, lambda, q.data(), &ld, &size_work, &ask, rwork.data(), nullptr, &info, 1,
         1);
  const int size = std::max(1, workspace_size(size_work));
  std::vector<std::complex<double>> work(static_cast<std::size_t>(size) + room);
  zgees_("V", "N", nullptr, &n, a.data(), &ld, &sorted, lambda, q.data(), &ld, work.data(), &size, rwork.data(), nullptr, &info, 1,
         1);
  std::copy_n(a.begin(), all, A);
  std::copy_n(q.begin(), all, Q);
  return info;
}

std::int64_t lapack_eig(std::int64_t size_n, double* A, std::complex<double>* lambda, std::complex<double>* V) {
  const SingleThreaded alone;
  const int n = order(size_n), ld = std::max(1, n), ask = -1;
  const auto N = static_cast<std::size_t>(n);
  int info = 0;
  double size_work = 0;
  std::vector<double> re(N + 1), im(N + 1), parts(N * N + 1);
  dgeev_("N", "V", &n, A, &ld, re.data(), im.data(), nullptr, &ld, parts.data(), &ld, &size_work, &ask, &info, 1, 1);
  const int size = std::max(1, workspace_size(size_work));
  std::vector<double> work(static_cast<std::size_t>(size));
  dgeev_("N", "V", &n, A, &ld, re.data(), im.data(), nullptr, &ld, parts.data(), &ld, work.data(), &size, &info, 1, 1);
  // For a conjugate pair, one column holds the real parts of the first vector and the next its imaginary parts.
  for (std::size_t k = 0; k < N; ++k) {
    lambda[k] = {re[k], im[k]};
    const double sign = im[k] > 0 ? 1 : im[k] < 0 ? -1 : 0;
    const double* const x = parts.data() + (sign < 0 ? k - 1 : k) * N;
    for (std::size_t i = 0; i < N; ++i) V[k * N + i] = {x[i], sign == 0 ? 0 : sign * x[i + N]};
  }
  return info;
}
std::int64_t lapack_eig(std::int64_t size_n, std::complex<double>* A, std::complex<double>* lambda, std::complex<double>* V) {
  const SingleThreaded alone;
  const int n = order(size_n), ld = std::max(1, n), ask = -1;
  int info = 0;
  std::complex<double> size_work = 0;
  std::vector<double> rwork(2 * static_cast<std::size_t>(ld));
  const auto all = static_cast<std::size_t>(size_n * size_n);
  std::vector<std::complex<double>> a = padded_copy(A, all), v(all + room);
  zgeev_("N", "V", &n, a.data(), &ld, lambda, nullptr, &ld, v.data(), &ld, &size_work, &ask, rwork.data(), &info, 1, 1);
  const int size = std::max(1, workspace_size(size_work));
  std::vector<std::complex<double>> work(static_cast<std::size_t>(size) + room);
  zgeev_("N", "V", &n, a.data(), &ld, lambda, nullptr, &ld, v.data(), &ld, work.data(), &size, rwork.data(), &info, 1, 1);
  std::copy_n(v.begin(), all, V);
  return info;
}

#define ARGAND_LAPACK_FUNCTIONS(T)                                                                     \
  template std::int64_t lapack_lu(std::int64_t, T*, std::vector<int>&);                                \
  template void lapack_solve(bool, std::int64_t, std::int64_t, const T*, const std::vector<int>&, T*); \
  template std::int64_t lapack_cholesky(std::int64_t, T*);                                             \
  template void lapack_qr(std::int64_t, std::int64_t, T*, T*);                                         \
  template void lapack_eigh(std::int64_t, T*, RealOf<T>*);                                             \
  template void lapack_svd(std::int64_t, std::int64_t, T*, T*, RealOf<T>*, T*);
ARGAND_FOR_SCALAR(ARGAND_LAPACK_FUNCTIONS)

}  // namespace argand
