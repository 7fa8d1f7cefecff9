#pragma once
/// Large products by the library's own kernels.

#include "core/kernels/direct_gemm.h"
#include "core/machine/blas.h"

namespace argand {

/// Computes p in parallel; beta is 0 or 1, and alpha is real. B, and A if it is transposed, are packed
/// (core/kernels/pack_factors.h); other rows of A are read in place. Each element adds its products in the order of k, in blocks
/// whose length depends only on K, so its bits depend neither on M and N nor on the number of threads.
///
/// Complex products are real ones: for op(A) = A, op(B) = B, the numbers of A [M, K] and C [M, N], read as real matrices A' [M, 2
/// K] and C' [M, 2 N], satisfy C' = A' B', where B' [2 K, 2 N] has the rows (Re B_k1, Im B_k1, Re B_k2, ...) and (-Im B_k1, Re
/// B_k1, ...) for each row k of B. Conjugation only changes signs in B'.
///
/// `bias`: null, or [N], added to every row of C; beta is then 0.
template <Scalar T>
void packed_gemm(const Product<T>& p, const T* bias = nullptr);

/// Whether packed_gemm is the faster way to compute p; see packed_gemm.cpp. Depends on the shape, alpha and beta only.
template <Scalar T>
bool packed_is_faster(const Product<T>& p);

/// Computes p by direct_gemm or packed_gemm, whichever is faster; the bits are the same. beta is 0 or 1.
template <RealScalar R>
void own_gemm(const Product<R>& p) {
  !direct_is_faster(p) && packed_is_faster(p) ? packed_gemm(p) : direct_gemm(p);
}

}  // namespace argand
