#pragma once
/// The real matrix of a quaternion matrix, which turns a linear layer over quaternions into one real product.

#include "autograd/var.h"

namespace argand {

/// W real [out, in, 4] -> M [4 out, 4 in] such that M x = W x for quaternions x stored with their parts side by side: each element
/// of W becomes the 4 × 4 matrix of left multiplication by it. Throws `hamilton_matrix: ...` for any other shape.
template <RealScalar R>
Var<R> hamilton_matrix(const Var<R>& W);

}  // namespace argand
