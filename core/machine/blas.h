#pragma once
/// The interface to the BLAS that computes matrix products, in the calling thread only. The build chooses the
/// implementation: OpenBLAS (blas_openblas.cpp), or with -Dblas=plain the loops of blas_plain.cpp, for platforms without a BLAS,
/// such as a browser. The rest of the library multiplies with gemm (core/gemm.h), which splits large products among threads.

#include <cstdint>
#include <string>

#include "core/scalar.h"

namespace argand {

enum class Transpose { No, Yes, Conjugate, ConjugateNo };  ///< A, Aᵀ, Aᴴ, conj(A); for reals the last two are Aᵀ and A

inline bool transposes(Transpose t) { return t == Transpose::Yes || t == Transpose::Conjugate; }
inline bool conjugates(Transpose t) { return t == Transpose::Conjugate || t == Transpose::ConjugateNo; }

/// The operands of C <- alpha · op(A) · op(B) + beta · C with C [M, N], op(A) [M, K], op(B) [K, N], all row-major; lda, ldb, ldc
/// are the leading dimensions, the distances between stored rows. With beta = 0, C is not read.
template <Scalar T>
struct Product {
  Transpose a_is, b_is;
  std::int64_t M, N, K;
  T alpha;
  const T* A;
  std::int64_t lda;
  const T* B;
  std::int64_t ldb;
  T beta;
  T* C;
  std::int64_t ldc;
};

/// Computes p in the calling thread. Zero sizes are allowed. Throws Error for a size that the BLAS cannot index.
template <Scalar T>
void blas_gemm(const Product<T>& p);

/// Computes p with plain loops; compiled into every build. Each element is summed in order of increasing k.
template <Scalar T>
void plain_gemm(const Product<T>& p);

/// Ensures in advance that this many threads can multiply at the same time. OpenBLAS maps 128 MB of address space per thread
/// and, if a limit (`ulimit -v`) leaves less, retries forever. Throws an Error that names the memory needed.
void reserve_blas(int threads);

/// The kernels that blas_gemm runs: OpenBLAS's name for them ("Haswell"), or "plain".
std::string blas_kernels_name();

/// Changes them to those of an OPENBLAS_CORETYPE (of an unknown one to OpenBLAS's slowest). No thread may be multiplying. Returns
/// false if this OpenBLAS cannot change them.
bool change_blas_kernels(const std::string& coretype);

/// Whether limiting OpenBLAS to one thread affects the calling thread only, as with its openmp and serial flavours. With the
/// pthread flavour, blas_gemm limits it to one thread in the whole program.
bool blas_shares_threads();

}  // namespace argand
