#pragma once
/// Complex numbers at which formulas go wrong: where checks of ops look besides the ordinary ones.

#include "core/tensor.h"

namespace argand {

/// Every sign of zero, and so both sides of every cut that ends there. [4]
inline Tensor<std::complex<double>> zeros_of_all_signs() {
  return Tensor<std::complex<double>>({4}, {{0.0, 0.0}, {-0.0, 0.0}, {0.0, -0.0}, {-0.0, -0.0}});
}

/// Squares of these leave the range of float32; the last two are subnormal there. [5]
inline Tensor<std::complex<double>> huge_and_tiny() {
  return Tensor<std::complex<double>>({5}, {{1e30, -1e30}, {-1e30, 1.0}, {1e-30, 1e-30}, {1e-40, -1e-42}, {0.0, 1e-45}});
}

}  // namespace argand
