#include <cblas.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/machine/address_space.h"
#include "core/machine/blas.h"
#include "core/machine/threads.h"

// OpenBLAS's internal functions that take and release a thread's buffer, and that choose its kernels; a build may hide them. (On
// macOS a weak symbol must exist when the library is linked.)
#if defined(__APPLE__)
constexpr void (*gotoblas_dynamic_quit)() = nullptr;
constexpr void (*gotoblas_dynamic_init)() = nullptr;
constexpr void* (*blas_memory_alloc)(int) = nullptr;
constexpr void (*blas_memory_free)(void*) = nullptr;
#else
extern "C" {
[[gnu::weak]] void* blas_memory_alloc(int);
[[gnu::weak]] void blas_memory_free(void*);
[[gnu::weak]] void gotoblas_dynamic_quit();  // forgets the kernels
[[gnu::weak]] void gotoblas_dynamic_init();  // chooses them, by OPENBLAS_CORETYPE if it is set
}
#endif

namespace argand {
namespace {

constexpr std::int64_t bytes_a_thread = 128 << 20;

template <Scalar T>
CBLAS_TRANSPOSE cblas(Transpose t) {
  switch (t) {
    case Transpose::No: return CblasNoTrans;
    case Transpose::Yes: return CblasTrans;
    case Transpose::Conjugate: return ComplexScalar<T> ? CblasConjTrans : CblasTrans;
    case Transpose::ConjugateNo: return ComplexScalar<T> ? CblasConjNoTrans : CblasNoTrans;  // an extension of OpenBLAS
  }
  return CblasNoTrans;
}

blasint narrow(std::int64_t n) {
  require(n <= std::numeric_limits<blasint>::max(), "gemm", "size {} exceeds what BLAS can index", n);
  return static_cast<blasint>(n);
}

}  // namespace

template <Scalar T>
void blas_gemm(const Product<T>& p) {
  const auto ta = cblas<T>(p.a_is), tb = cblas<T>(p.b_is);
  const blasint M = narrow(p.M), N = narrow(p.N), K = narrow(p.K);
  // BLAS rejects a leading dimension of 0, which a matrix without columns has.
  const blasint lda = std::max(1, narrow(p.lda)), ldb = std::max(1, narrow(p.ldb)), ldc = std::max(1, narrow(p.ldc));
  // A parallel region alone does not keep OpenBLAS to one thread: a region of one thread does not count as parallel, and with
  // several threads available OpenBLAS chooses other kernels even if it then uses only one. Its openmp flavour queries the calling
  // thread's limit in every call.
  const threads::Limit one(1);
  if (!blas_shares_threads() && openblas_get_num_threads() != 1) openblas_set_num_threads(1);
  if constexpr (std::same_as<T, float>) cblas_sgemm(CblasRowMajor, ta, tb, M, N, K, p.alpha, p.A, lda, p.B, ldb, p.beta, p.C, ldc);
  if constexpr (std::same_as<T, double>) cblas_dgemm(CblasRowMajor, ta, tb, M, N, K, p.alpha, p.A, lda, p.B, ldb, p.beta, p.C, ldc);
  if constexpr (std::same_as<T, std::complex<float>>)
    cblas_cgemm(CblasRowMajor, ta, tb, M, N, K, &p.alpha, p.A, lda, p.B, ldb, &p.beta, p.C, ldc);
  if constexpr (std::same_as<T, std::complex<double>>)
    cblas_zgemm(CblasRowMajor, ta, tb, M, N, K, &p.alpha, p.A, lda, p.B, ldb, &p.beta, p.C, ldc);
}

// OpenBLAS keeps released buffers for reuse, so this takes one per thread before releasing any, each only if there is room for it.
void reserve_blas(int threads) {
  static std::atomic<int> reserved = 0;
  static std::mutex reserving;
  if (threads <= reserved.load(std::memory_order_relaxed)) return;
  const std::lock_guard lock(reserving);
  if (threads <= reserved) return;
  const std::optional<AddressSpace> space = address_space();
  if (!space || blas_memory_alloc == nullptr || blas_memory_free == nullptr) {
    reserved = threads;
    return;
  }
  const int processors = std::min(threads, openblas_get_num_procs());
  std::vector<void*> buffers;
  bool enough = true;
  for (int i = 0; enough && i < processors; ++i)
    if ((enough = can_map(bytes_a_thread + (bytes_a_thread >> 3)))) buffers.push_back(blas_memory_alloc(0));
  for (void* buffer : buffers) blas_memory_free(buffer);
  require(enough, "memory",
          "matrix products with {} thread{} need {} MB of address space, {} MB per thread; the limit (ulimit -v) of {} MB leaves "
          "{} MB; use fewer threads",
          processors, processors == 1 ? "" : "s", (processors * bytes_a_thread) >> 20, bytes_a_thread >> 20, space->limit >> 20,
          space->left() >> 20);
  reserved = threads;
}

std::string blas_kernels_name() { return openblas_get_corename(); }

bool change_blas_kernels(const std::string& coretype) {
  if (gotoblas_dynamic_quit == nullptr || gotoblas_dynamic_init == nullptr) return false;
  const char* const set = std::getenv("OPENBLAS_CORETYPE");
  const std::optional<std::string> before = set != nullptr ? std::optional<std::string>(set) : std::nullopt;
  setenv("OPENBLAS_CORETYPE", coretype.c_str(), 1);
  gotoblas_dynamic_quit();
  gotoblas_dynamic_init();
  if (before)
    setenv("OPENBLAS_CORETYPE", before->c_str(), 1);
  else
    unsetenv("OPENBLAS_CORETYPE");
  return true;
}

bool blas_shares_threads() {
  static const int flavour = openblas_get_parallel();
  return flavour == OPENBLAS_SEQUENTIAL || (threads::are_openmp() && flavour == OPENBLAS_OPENMP);
}

#define ARGAND_OPENBLAS_GEMM(T) template void blas_gemm<T>(const Product<T>&);
ARGAND_FOR_SCALAR(ARGAND_OPENBLAS_GEMM)

}  // namespace argand
