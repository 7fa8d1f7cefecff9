#pragma once
/// Copies of weights in 16 or 8 bits, for generating text: a token takes about as long as reading all weights once, so fewer bytes
/// mean less time. Sums stay in float32. For reading only: the weights themselves, and training, keep float32.

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "core/machine/blas.h"

namespace argand {

/// float32; bfloat16, the upper 16 bits of a float32, with a relative error of at most 2⁻⁸; or 8-bit integers with one float32
/// scale per row, with an error of at most 1/254 of the largest magnitude in the row.
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
  /// p with the rows of this matrix from `first` on for those of p.B; p.a_is is No, and p.b_is transposes. In parallel. The bits of
  /// an element depend on its row of A, its row of W, alpha, beta and the level only.
  void multiply(const Product<float>& p, std::int64_t first) const;

 private:
  template <class Number>
  void copy(std::vector<Number>& numbers, const float* W);
  template <class Number>
  void multiply_with(const std::vector<Number>& numbers, const Product<float>& p, std::int64_t first) const;

  std::int64_t rows_, columns_, step_;  ///< step_: distance between rows, a multiple of a register's width
  std::vector<std::uint16_t> halves_;   ///< bf16 [rows, step]
  std::vector<std::int8_t> bytes_;      ///< int8 [rows, step]
  std::vector<float> scales_;           ///< int8 [rows]
};

/// While it exists, every product x Wᵀ of gemm() in the whole program reads the copies of the matrices W added here, recognised by
/// their addresses; W must neither move nor change.
class QuantizedWeights {
 public:
  QuantizedWeights();
  ~QuantizedWeights();
  QuantizedWeights(const QuantizedWeights&) = delete;
  QuantizedWeights& operator=(const QuantizedWeights&) = delete;
  /// W [rows, columns], dense and row-major. Does nothing for f32.
  void add(WeightFormat format, const float* W, std::int64_t rows, std::int64_t columns);
  /// By how much less has to be read for all matrices.
  std::int64_t bytes_saved() const { return bytes_saved_; }

 private:
  friend bool multiply_quantized(const Product<float>&);
  struct Copy {
    const float* W;
    std::int64_t rows, columns;
    QuantizedMatrix matrix;
  };
  std::vector<std::unique_ptr<const Copy>> copies_;
  std::int64_t bytes_saved_ = 0;
};

/// Computes p from a copy and returns true if p.B is all or some rows of a matrix in a QuantizedWeights.
bool multiply_quantized(const Product<float>& p);

}  // namespace argand
