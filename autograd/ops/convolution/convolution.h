#pragma once
/// Convolutions over the last one, two or three axes, as in PyTorch: the window is not flipped, y(p) = Σ_d w(d) x(p stride + d
/// dilation - padding). Signal and weight are real, complex or one of each; nothing is conjugated. Computed with one GEMM per image
/// and group, on a matrix whose columns are the image's windows (im2col).

#include <array>

#include "autograd/var.h"

namespace argand {

/// One value per axis; conv1d uses those of the last axis.
template <std::size_t n>
struct ConvolutionOptionsOf {
  using Axes = std::array<std::int64_t, n>;
  static constexpr Axes every(std::int64_t number) {
    Axes axes{};
    axes.fill(number);
    return axes;
  }
  Axes stride = every(1);
  Axes padding = every(0);         ///< zeros on either side
  Axes dilation = every(1);        ///< distance between neighbouring cells of the window
  std::int64_t groups = 1;         ///< number of channel groups, each connected only to itself
  Axes output_padding = every(0);  ///< transposed only: size added at the end, to choose among the sizes that the stride allows
};
using ConvolutionOptions = ConvolutionOptionsOf<2>;    ///< over rows and columns
using Convolution3dOptions = ConvolutionOptionsOf<3>;  ///< over layers, rows and columns

/// x [N, C, H, W], weight [O, C/groups, kh, kw] -> [N, O, h, w], h = (H + 2 padding - dilation (kh - 1) - 1)/stride + 1.
/// (To add a bias: conv2d(x, W) + reshape(b, {O, 1, 1}).) Throws when shapes, groups and options are inconsistent.
template <Scalar A, Scalar B>
Var<Promote<A, B>> conv2d(const Var<A>& x, const Var<B>& weight, const ConvolutionOptions& options = {});
/// The transposed map: each element of x adds the window, scaled by that element, to the result. x [N, C, H, W], weight [C,
/// O/groups, kh, kw] -> [N, O, h, w], h = (H - 1) stride - 2 padding + dilation (kh - 1) + output_padding + 1. (For complex weights
/// this is the transpose, not the adjoint; for the adjoint, pass conj(weight).) Throws as conv2d does.
template <Scalar A, Scalar B>
Var<Promote<A, B>> conv_transpose2d(const Var<A>& x, const Var<B>& weight, const ConvolutionOptions& options = {});

/// conv2d over three axes: x [N, C, D, H, W], weight [O, C/groups, kd, kh, kw] -> [N, O, d, h, w].
template <Scalar A, Scalar B>
Var<Promote<A, B>> conv3d(const Var<A>& x, const Var<B>& weight, const Convolution3dOptions& options = {});

/// conv2d and conv_transpose2d over one axis: x [N, C, L], weight [O, C/groups, k] or, transposed, [C, O/groups, k].
template <Scalar A, Scalar B>
Var<Promote<A, B>> conv1d(const Var<A>& x, const Var<B>& weight, const ConvolutionOptions& options = {});
template <Scalar A, Scalar B>
Var<Promote<A, B>> conv_transpose1d(const Var<A>& x, const Var<B>& weight, const ConvolutionOptions& options = {});

}  // namespace argand
