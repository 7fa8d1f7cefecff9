#pragma once
/// Products of one to four rows with a large matrix, as in token-by-token generation. They take as long as reading the matrix;
/// copying it into another order first, as OpenBLAS and core/kernels/direct_gemm.h do, takes longer. (Generating 400 tokens with a
/// model of preset "small" took 1.9 s on one core with OpenBLAS and 1.3 s this way.)

#include "core/machine/blas.h"

namespace argand {

/// C [M, N] <- alpha · A [M, K] Bᵀ + beta · C in the calling thread, for M of 1 to 4, B [N, K], and beta 0 or 1. Each element sums
/// its products within the lanes of a pack and then across them, so its bits depend only on K and the level, and C can be cut
/// anywhere.
template <RealScalar R>
void few_rows_gemm(const Product<R>& p);

/// Whether few_rows_gemm supports p and is the faster way to compute it. Depends on the shape, beta and the level only.
template <RealScalar R>
bool few_rows_is_faster(const Product<R>& p);

}  // namespace argand
