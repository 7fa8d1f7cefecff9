#pragma once
/// Discrete Fourier transforms of any length along one axis, computed with KissFFT.

#include <cstdint>

#include "core/tensor.h"

namespace argand {

enum class FourierSign {
  Minus,  ///< e^{-2πi jk/n}: the transform
  Plus,   ///< e^{+2πi jk/n}: its adjoint, n times its inverse
};

/// y_k = c Σ_j e^{∓2πi jk/n} x_j along an axis of length n, O(n log n) for every n. Computes in double and rounds once, so
/// complex64 does not lose accuracy as n grows. The result is bitwise the same for any number of threads. Throws for an axis out of
/// range.
template <ComplexScalar T>
Tensor<T> fourier(const Tensor<T>& x, int axis, FourierSign sign, double c = 1);

}  // namespace argand
