#pragma once
/// Products of one to four rows with a large matrix, as a model has them that writes token by token: they take as long as reading
/// the matrix does, and copying it into another order, as OpenBLAS and core/kernels/direct_gemm.h do, takes longer than the
/// product. (400 words of a model of the preset small took 1.9 s of one core with OpenBLAS, and take 1.3 so.)

#include "core/machine/blas.h"

namespace argand {

/// C [M, N] <- alpha · A [M, K] Bᵀ + beta · C in the calling thread, with B [N, K] and beta 0 or 1. Each element sums its products
/// in the lanes of a pack and then over them, so its bits depend on K and the level alone, and C can be cut anywhere.
template <RealScalar R>
void few_rows_gemm(const Product<R>& p);

/// Whether it is a product for that, and the faster way. A function of shape, alpha and beta.
template <RealScalar R>
bool few_rows_is_faster(const Product<R>& p);

}  // namespace argand
