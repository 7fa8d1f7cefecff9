#pragma once
/// Matrix products with the same bits for any number of threads: the shapes alone determine the tiles, and one thread computes
/// each.

#include <compare>
#include <cstdint>
#include <map>

#include "core/machine/blas.h"

namespace argand {

/// C <- alpha · op(A) · op(B) + beta · C with C [M, N], op(A) [M, K], op(B) [K, N], all row-major;
/// lda, ldb, ldc are the leading dimensions, the distances between stored rows. With beta = 0, C is not read. Zero sizes are
/// allowed. The result is bitwise the same for any number of threads, inside and outside a parallel region.
template <Scalar T>
void gemm(Transpose a_is, Transpose b_is, std::int64_t M, std::int64_t N, std::int64_t K, T alpha, const T* A, std::int64_t lda,
          const T* B, std::int64_t ldb, T beta, T* C, std::int64_t ldc);

/// C <- op(A) · op(B) + bias [N] in every row; C is not read.
template <Scalar T>
void gemm_with_bias(Transpose a_is, Transpose b_is, std::int64_t M, std::int64_t N, std::int64_t K, const T* A, std::int64_t lda,
                    const T* B, std::int64_t ldb, const T* bias, T* C, std::int64_t ldc);

/// The number of equal parts into which gemm cuts each size of a product. Depends on the shape only; see gemm.cpp.
struct GemmCut {
  std::int64_t M = 1, N = 1, K = 1;
  std::int64_t tiles() const { return M * N * K; }
};
/// `complex`: the elements are complex, so the product costs four times as much. `direct`: direct_gemm or few_rows_gemm computes
/// the product, which may then be cut into blocks of 64 or more rows or columns.
GemmCut gemm_cut(std::int64_t M, std::int64_t N, std::int64_t K, bool complex, bool direct = false);

/// The sizes of a product [M, K] x [K, N].
struct GemmShape {
  std::int64_t M = 0, N = 0, K = 0;
  bool complex = false;
  /// Multiplications and additions of real numbers: 2 M N K, four times as many when complex.
  std::int64_t flops() const { return 2 * M * N * K * (complex ? 4 : 1); }
  auto operator<=>(const GemmShape&) const = default;
};

/// Floating-point operations of all products since the program started, on all threads.
std::int64_t flops_of_products();

/// While it exists, counts all products of the program by shape. Several logs may exist at once; each counts every product.
class GemmLog {
 public:
  GemmLog();
  ~GemmLog();
  GemmLog(const GemmLog&) = delete;
  GemmLog& operator=(const GemmLog&) = delete;

  /// The number of products of each shape.
  std::map<GemmShape, std::int64_t> counts() const;
  std::int64_t flops() const;
  void clear();

 private:
  friend void note_product(const GemmShape&);
  std::map<GemmShape, std::int64_t> counts_;
};

/// gemm calls this; other code that multiplies matrices must call it once per product.
void note_product(const GemmShape& shape);

}  // namespace argand
