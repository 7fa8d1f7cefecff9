#pragma once
/// Real products by the library's own kernels (core/kernels/microkernel.h), used where OpenBLAS is slower: for small matrices,
/// because it copies ("packs") both of them.

#include <cstdint>

#include "core/kernels/microkernel.h"
#include "core/machine/blas.h"

namespace argand {

/// The factor op(A) of a product.
template <RealScalar R>
Strided<R> factor_a(const Product<R>& p) {
  return transposes(p.a_is) ? Strided<R>{p.A, 1, p.lda} : Strided<R>{p.A, p.lda, 1};
}

/// Computes p in the calling thread; beta is 0 or 1. Each element adds its products in the order of k, so its bits depend only on
/// K, and C can be cut anywhere.
template <RealScalar R>
void direct_gemm(const Product<R>& p);

/// Whether direct_gemm is the faster way to compute p; see direct_gemm.cpp. Depends on the shape, alpha and beta only.
template <RealScalar R>
bool direct_is_faster(const Product<R>& p);

}  // namespace argand
