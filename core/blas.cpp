#include "core/blas.h"

#include <cblas.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <set>

#include "core/error.h"

namespace argand {
namespace {

CBLAS_TRANSPOSE cblas(Transpose t) { return t == Transpose::No ? CblasNoTrans : t == Transpose::Yes ? CblasTrans : CblasConjTrans; }

blasint narrow(std::int64_t n) {
  require(n <= std::numeric_limits<blasint>::max(), "gemm", "size {} exceeds what BLAS can index", n);
  return static_cast<blasint>(n);
}

}  // namespace

template <Scalar T>
void gemm(Transpose a_is, Transpose b_is, std::int64_t M, std::int64_t N, std::int64_t K, T alpha, const T* A, std::int64_t lda,
          const T* B, std::int64_t ldb, T beta, T* C, std::int64_t ldc) {
  if (M == 0 || N == 0) return;
  warn_of_slow_blas();
  const auto ta = cblas(a_is), tb = cblas(b_is);
  const blasint m = narrow(M), n = narrow(N), k = narrow(K), la = narrow(lda), lb = narrow(ldb), lc = narrow(ldc);
  if constexpr (std::same_as<T, float>) cblas_sgemm(CblasRowMajor, ta, tb, m, n, k, alpha, A, la, B, lb, beta, C, lc);
  if constexpr (std::same_as<T, double>) cblas_dgemm(CblasRowMajor, ta, tb, m, n, k, alpha, A, la, B, lb, beta, C, lc);
  if constexpr (std::same_as<T, std::complex<float>>)
    cblas_cgemm(CblasRowMajor, ta, tb, m, n, k, &alpha, A, la, B, lb, &beta, C, lc);
  if constexpr (std::same_as<T, std::complex<double>>)
    cblas_zgemm(CblasRowMajor, ta, tb, m, n, k, &alpha, A, la, B, lb, &beta, C, lc);
}

#define ARGAND_GEMM(T)                                                                                                       \
  template void gemm<T>(Transpose, Transpose, std::int64_t, std::int64_t, std::int64_t, T, const T*, std::int64_t, const T*, \
                        std::int64_t, T, T*, std::int64_t);
ARGAND_FOR_SCALAR(ARGAND_GEMM)

BlasKernels blas_kernels() {
  BlasKernels kernels{openblas_get_corename(), ""};
#if defined(__x86_64__)
  static const std::set<std::string> avx512 = {"SkylakeX", "Cooperlake", "SapphireRapids"};
  static const std::set<std::string> avx2 = {"Haswell", "Zen"};
  const bool has512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512cd");
  const bool has2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  // AVX2 kernels on an AVX-512 machine lose at most half on Intel and nothing on AMD's Zen 4; SSE kernels lose four fifths.
  if (has512 && !avx512.contains(kernels.running) && !avx2.contains(kernels.running))
    kernels.wanted = "SkylakeX";
  else if (has2 && !avx512.contains(kernels.running) && !avx2.contains(kernels.running))
    kernels.wanted = "Haswell";
#endif
  return kernels;
}

void restart_with_fast_blas(char** argv) {
  if (std::getenv("OPENBLAS_CORETYPE") != nullptr) return;  // the user's choice, or our own second start
  const BlasKernels kernels = blas_kernels();
  if (kernels.wanted.empty()) return;
  setenv("OPENBLAS_CORETYPE", kernels.wanted.c_str(), 1);
  execv("/proc/self/exe", argv);
  unsetenv("OPENBLAS_CORETYPE");  // exec failed: go on, slowly, and let the warning speak
}

void warn_of_slow_blas() {
  static std::once_flag once;
  std::call_once(once, [] {
    const BlasKernels kernels = blas_kernels();
    if (kernels.wanted.empty()) return;
    fmt::print(stderr,
               "argand: OpenBLAS runs its {} kernels, several times slower than this processor allows; "
               "set OPENBLAS_CORETYPE={} in the environment before the program starts\n",
               kernels.running, kernels.wanted);
  });
}

}  // namespace argand
