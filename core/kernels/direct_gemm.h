#pragma once
/// Real products by the library's own kernels (core/kernels/microkernel.h), used where OpenBLAS is slower: for small matrices,
/// because it copies ("packs") both of them for each product, and for one matrix times many others, because PackedPanels packs it
/// only once.

#include <cstdint>

#include "core/kernels/microkernel.h"
#include "core/machine/blas.h"
#include "core/memory.h"

namespace argand {

/// op(B) [K, N] in the order in which products read it: panels [K, columns], as wide as a register tile, zero-padded beyond N.
template <RealScalar R>
class PackedPanels {
 public:
  static constexpr std::int64_t columns = RegisterTile<R>::columns;

  /// Copies B in parallel. `b_is`: No for B [K, N], anything else for B [N, K]; ldb is the step between its rows.
  PackedPanels(Transpose b_is, std::int64_t K, std::int64_t N, const R* B, std::int64_t ldb);

  std::int64_t size() const { return (N_ + columns - 1) / columns; }
  /// [K, columns]: the columns that begin at i · columns.
  const R* panel(std::int64_t i) const { return numbers_.data() + i * K_ * columns; }
  std::int64_t K() const { return K_; }
  std::int64_t N() const { return N_; }

 private:
  std::int64_t K_, N_;
  Scratch<R> numbers_;
};

/// C [M, n] <- A [M, K] B in the calling thread, where B [K, n] is the columns [first, first + n) of the packed matrix; `first` is
/// a multiple of PackedPanels<R>::columns. Same bits as direct_gemm(p).
template <RealScalar R>
void direct_gemm(std::int64_t M, Strided<R> A, const PackedPanels<R>& B, std::int64_t first, std::int64_t n, R* C,
                 std::int64_t ldc);

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
