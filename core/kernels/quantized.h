#pragma once
/// Copies of weights in 16 or 8 bits, for generating text: a token takes about as long as reading all weights once, so fewer bytes
/// mean less time. Sums stay in float32. For reading only: the weights themselves, and training, keep float32.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/machine/blas.h"

namespace argand {

/// float32; bfloat16, the upper 16 bits of a float32, with a relative error of at most 2⁻⁸ (numbers above 3.39e38 become infinite);
/// or 8-bit integers with one float32 scale per row, with an error of at most 1/254 of the largest magnitude in the row.
enum class WeightFormat { f32, bf16, int8 };
/// The format of this name. Throws Error for another name.
WeightFormat weight_format(std::string_view name);

/// A rounded copy of a matrix W [rows, columns].
class QuantizedMatrix {
 public:
  /// W is dense and row-major; `format` is bf16 or int8. Throws Error if int8 has to hold an infinity or NaN.
  QuantizedMatrix(WeightFormat format, const float* W, std::int64_t rows, std::int64_t columns);
  /// Row i as float32 [columns].
  std::vector<float> row(std::int64_t i) const;
  /// Computes p, reading rows `first`, `first` + 1, ... of this matrix in place of p.B; p.a_is is No, and p.b_is transposes. In
  /// parallel. The bits of an element depend on its row of A, its row of W, alpha, beta, its former value unless beta is 0, whether
  /// A has 16 rows or more, and the level only.
  void multiply(const Product<float>& p, std::int64_t first) const;

 private:
  template <class Number>
  void multiply_few_rows(const std::vector<Number>& numbers, const Product<float>& p, std::int64_t first) const;
  template <class Number>
  void multiply_many_rows(const std::vector<Number>& numbers, const Product<float>& p, std::int64_t first) const;

  std::int64_t rows_, columns_, step_;  ///< step_: distance between rows, a multiple of a register's width
  std::vector<std::uint16_t> halves_;   ///< bf16 [rows, step]
  std::vector<std::int8_t> bytes_;      ///< int8 [rows, step]
  std::vector<float> scales_;           ///< int8 [rows]
};

/// While it exists, products x Wᵀ computed for the thread that created it (gemm(), the output layer) read rounded copies of the
/// matrices W added here, recognised by their addresses; W must neither move nor change. Each copy is made when its matrix is first
/// read. Objects are destroyed by the same thread, in reverse order.
class QuantizedWeights {
 public:
  explicit QuantizedWeights(WeightFormat format);
  ~QuantizedWeights();
  QuantizedWeights(const QuantizedWeights&) = delete;
  QuantizedWeights& operator=(const QuantizedWeights&) = delete;
  /// W [rows, columns], dense and row-major. Does nothing for f32.
  void add(const float* W, std::int64_t rows, std::int64_t columns);
  /// How many weights the copies made so far hold.
  std::int64_t numbers() const;
  /// By how many bytes these copies are smaller than their matrices.
  std::int64_t bytes_saved() const;

 private:
  friend struct QuantizedRows;
  struct Entry {
    const float* W;
    std::int64_t rows, columns;
    std::optional<QuantizedMatrix> copy;
  };
  WeightFormat format_;
  std::vector<Entry> entries_;
  QuantizedWeights* outer_;  ///< the calling thread's, from before
};

/// Where the factor B of a product x Wᵀ, all or some rows of W, has a copy in the calling thread's QuantizedWeights.
struct QuantizedRows {
  explicit QuantizedRows(const Product<float>& p);

  const QuantizedMatrix* matrix = nullptr;  ///< null without a copy
  std::int64_t first = 0;
};

}  // namespace argand
