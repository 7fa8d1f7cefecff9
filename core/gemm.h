#pragma once
/// Matrix products, whose bits depend on the shapes alone: cut here, each part computed by one thread (core/machine/blas.h).

#include <compare>
#include <cstdint>
#include <map>

#include "core/machine/blas.h"

namespace argand {

/// C <- alpha · op(A) · op(B) + beta · C with C [M, N], op(A) [M, K], op(B) [K, N], all row-major;
/// lda, ldb, ldc are the steps from one stored row to the next. beta = 0 ignores what C holds. Zero sizes are allowed.
/// The result is the same bit for bit for any number of threads, inside and outside of a parallel region.
template <Scalar T>
void gemm(Transpose a_is, Transpose b_is, std::int64_t M, std::int64_t N, std::int64_t K, T alpha, const T* A, std::int64_t lda,
          const T* B, std::int64_t ldb, T beta, T* C, std::int64_t ldc);

/// Into how many equal parts gemm cuts each size of a product. A function of the shape and nothing else; see gemm.cpp.
struct GemmCut {
  std::int64_t M = 1, N = 1, K = 1;
  std::int64_t tiles() const { return M * N * K; }
};
/// `complex`: whether the numbers are, and a product therefore costs four times as much. `direct`: whether it is computed without
/// copies of its factors (direct_is_faster, few_rows_is_faster), and may be cut into blocks of 64 rows or columns or more.
GemmCut gemm_cut(std::int64_t M, std::int64_t N, std::int64_t K, bool complex, bool direct = false);

/// Sizes of a product [M, K] x [K, N].
struct GemmShape {
  std::int64_t M = 0, N = 0, K = 0;
  bool complex = false;
  /// Multiplications and additions of real numbers: 2 M N K, four times as many when complex.
  std::int64_t flops() const { return 2 * M * N * K * (complex ? 4 : 1); }
  auto operator<=>(const GemmShape&) const = default;
};

/// What all products since the program began have taken, on whatever thread they were computed.
std::int64_t flops_of_products();

/// While it lives, counts the products of the whole program by their shapes. So does each of several.
class GemmLog {
 public:
  GemmLog();
  ~GemmLog();
  GemmLog(const GemmLog&) = delete;
  GemmLog& operator=(const GemmLog&) = delete;

  /// How many of each shape.
  std::map<GemmShape, std::int64_t> counts() const;
  std::int64_t flops() const;
  void clear();

 private:
  friend void note_product(const GemmShape&);
  std::map<GemmShape, std::int64_t> counts_;
};

/// gemm calls it, and so must all code that multiplies matrices in another way, once for each product.
void note_product(const GemmShape& shape);

}  // namespace argand
