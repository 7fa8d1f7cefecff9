#pragma once
/// Products of a few rows with a large matrix, as in token-by-token generation of one or several texts. They take little longer
/// than reading the matrix; copying it into another order first, as OpenBLAS and core/kernels/direct_gemm.h do, takes longer.
/// (Generating 400 tokens with a model of preset "small" took 1.9 s on one core with OpenBLAS and 1.3 s this way. 8 rows times a
/// matrix of float32 [33 278, 384] take 0.35 of the time, 16 rows 0.85.)

#include "core/machine/blas.h"

namespace argand {

/// C [M, N] <- alpha · A [M, K] Bᵀ + beta · C in the calling thread, for B [N, K] and beta 0 or 1. Each element sums its products
/// within the lanes of a pack and then across them, so its bits depend only on K and the level, and C can be cut anywhere.
template <RealScalar R>
void few_rows_gemm(const Product<R>& p);

/// Whether few_rows_gemm supports p and is the faster way to compute it. Depends on the shape, beta and the level only.
template <RealScalar R>
bool few_rows_is_faster(const Product<R>& p);

}  // namespace argand
