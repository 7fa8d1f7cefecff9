#pragma once
/// Complex numbers at which formulas tend to fail; the checks of ops test them in addition to ordinary ones.

#include "core/tensor.h"

namespace argand {

/// All sign combinations of complex zero, on both sides of every branch cut that ends at 0. [4]
inline Tensor<std::complex<double>> zeros_of_all_signs() {
  return Tensor<std::complex<double>>({4}, {{0.0, 0.0}, {-0.0, 0.0}, {0.0, -0.0}, {-0.0, -0.0}});
}

/// The squares of these overflow or underflow in float32, where the last two numbers are subnormal. [5]
inline Tensor<std::complex<double>> huge_and_tiny() {
  return Tensor<std::complex<double>>({5}, {{1e30, -1e30}, {-1e30, 1.0}, {1e-30, 1e-30}, {1e-40, -1e-42}, {0.0, 1e-45}});
}

}  // namespace argand
