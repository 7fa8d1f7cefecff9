#pragma once
/// The elements under each position of a sliding window, as the columns of a matrix (im2col).

#include "autograd/ops/convolution/convolution.h"

namespace argand {

/// x [N, C, H, W] or [C, H, W] -> [N, C kh kw, h w] or [C kh kw, h w]: one row per channel and cell of the window, one column per
/// position, in row-major order; 0 where the window lies over the padding. Like torch.nn.functional.unfold. The product of a weight
/// [O, C kh kw] with the result is conv2d. Throws when the window does not fit, and when groups or output_padding are set.
template <Scalar T>
Var<T> unfold(const Var<T>& x, std::array<std::int64_t, 2> window, const ConvolutionOptions& options = {});

}  // namespace argand
