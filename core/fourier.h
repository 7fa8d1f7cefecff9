#pragma once
/// Discrete Fourier transforms along one axis, of any length, by KissFFT.

#include <cstdint>

#include "core/tensor.h"

namespace argand {

enum class FourierSign {
  Minus,  ///< e^{-2πi jk/n}: the transform
  Plus,   ///< e^{+2πi jk/n}: its adjoint, n times its inverse
};

/// y_k = c Σ_j e^{∓2πi jk/n} x_j along an axis of n numbers, O(n log n) for every n. Computed in double and rounded once, so that
/// complex64 loses nothing to the length. The same bits for any number of threads. Throws for an axis out of range.
template <ComplexScalar T>
Tensor<T> fourier(const Tensor<T>& x, int axis, FourierSign sign, double c = 1);

}  // namespace argand
