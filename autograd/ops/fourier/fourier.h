#pragma once
/// Discrete Fourier transforms along axes of a tensor, of any length, named and defined as in torch.fft. With w = e^{-2πi/n}
///
///     fft    X_k = c Σ_j w^{jk} x_j                       ifft    x_j = c Σ_k w^{-jk} X_k
///
/// n is the length of the transform: longer inputs are truncated, shorter ones are padded with zeros. Throws `fft: length must be
/// at least 1, got 0` when there is nothing to transform. A real x is treated as complex.

#include <optional>
#include <vector>

#include "autograd/ops/own_name.h"
#include "autograd/var.h"

namespace argand {

/// Where the factor 1/n goes: c for the transform and c for its inverse. In torch.fft these are "backward", "ortho", "forward".
enum class FourierNorm {
  Backward,  ///< 1 and 1/n
  Ortho,     ///< 1/√n for both: the transform is unitary
  Forward,   ///< 1/n and 1
};

/// x [..., N, ...] -> [..., n, ...], n = N unless given.
template <Scalar T>
Var<ComplexOf<T>> fft(const Var<T>& x, std::optional<std::int64_t> n = {}, int axis = -1, FourierNorm norm = FourierNorm::Backward);
template <Scalar T>
Var<ComplexOf<T>> ifft(const Var<T>& x, std::optional<std::int64_t> n = {}, int axis = -1,
                       FourierNorm norm = FourierNorm::Backward);

/// Transforms along several axes, one after the other; `n` has a length for each, where -1 keeps the axis's size. Without axes: the
/// last n.size() axes, or all if n is empty too. Throws for an axis named twice, or when n and axes differ in length.
template <Scalar T>
Var<ComplexOf<T>> fftn(const Var<T>& x, const std::vector<std::int64_t>& n = {}, const std::vector<int>& axes = {},
                       FourierNorm norm = FourierNorm::Backward);
template <Scalar T>
Var<ComplexOf<T>> ifftn(const Var<T>& x, const std::vector<std::int64_t>& n = {}, const std::vector<int>& axes = {},
                        FourierNorm norm = FourierNorm::Backward);
/// fftn along two axes, by default the last two.
template <Scalar T>
Var<ComplexOf<T>> fft2(const Var<T>& x, const std::vector<std::int64_t>& n = {}, const std::vector<int>& axes = {-2, -1},
                       FourierNorm norm = FourierNorm::Backward) {
  return in_own_name("fft2", [&] { return fftn(x, n, axes, norm); });
}
template <Scalar T>
Var<ComplexOf<T>> ifft2(const Var<T>& x, const std::vector<std::int64_t>& n = {}, const std::vector<int>& axes = {-2, -1},
                        FourierNorm norm = FourierNorm::Backward) {
  return in_own_name("ifft2", [&] { return ifftn(x, n, axes, norm); });
}

/// For a real x, [..., N, ...] -> [..., n/2 + 1, ...]: the first half of fft(x), which determines the rest by X_{n-k} = conj(X_k).
template <RealScalar R>
Var<std::complex<R>> rfft(const Var<R>& x, std::optional<std::int64_t> n = {}, int axis = -1,
                          FourierNorm norm = FourierNorm::Backward);
/// The real x whose rfft is X: [..., N, ...] -> [..., n, ...], n = 2 (N - 1) unless given; an odd n must be given. X is truncated
/// or padded to n/2 + 1. The imaginary parts of X_0 and, for even n, of X_{n/2} are ignored: they are 0 for every real x.
template <RealScalar R>
Var<R> irfft(const Var<std::complex<R>>& X, std::optional<std::int64_t> n = {}, int axis = -1,
             FourierNorm norm = FourierNorm::Backward);

/// For a real x along several axes: rfft along the last axis named, fftn along the others. n and axes as in fftn.
template <RealScalar R>
Var<std::complex<R>> rfftn(const Var<R>& x, const std::vector<std::int64_t>& n = {}, const std::vector<int>& axes = {},
                           FourierNorm norm = FourierNorm::Backward);
/// The real x whose rfftn is X: ifftn along all axes but the last one named, irfft along the last, whose length is 2 (N - 1) unless
/// given.
template <RealScalar R>
Var<R> irfftn(const Var<std::complex<R>>& X, const std::vector<std::int64_t>& n = {}, const std::vector<int>& axes = {},
              FourierNorm norm = FourierNorm::Backward);
/// rfftn and irfftn along two axes, by default the last two.
template <RealScalar R>
Var<std::complex<R>> rfft2(const Var<R>& x, const std::vector<std::int64_t>& n = {}, const std::vector<int>& axes = {-2, -1},
                           FourierNorm norm = FourierNorm::Backward) {
  return in_own_name("rfft2", [&] { return rfftn(x, n, axes, norm); });
}
template <RealScalar R>
Var<R> irfft2(const Var<std::complex<R>>& X, const std::vector<std::int64_t>& n = {}, const std::vector<int>& axes = {-2, -1},
              FourierNorm norm = FourierNorm::Backward) {
  return in_own_name("irfft2", [&] { return irfftn(X, n, axes, norm); });
}

}  // namespace argand
