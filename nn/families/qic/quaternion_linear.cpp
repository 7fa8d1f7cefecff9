#include "nn/families/qic/quaternion_linear.h"

#include <cmath>

#include "autograd/ops/products/hamilton_matrix.h"
#include "autograd/ops/products/matmul.h"

namespace argand {

template <RealScalar R>
QuaternionLinear<R>::QuaternionLinear(Init& init, std::int64_t in, std::int64_t out)
    : weight_(init.normal<R>(Role::Matrix, {out, in, 4}, 0.5 / std::sqrt(static_cast<double>(in)))),
      bias_(init.full<R>(Role::Bias, {4 * out}, 0)) {}

template <RealScalar R>
Var<R> QuaternionLinear<R>::operator()(const Var<R>& x, const Var<R>&) const {
  return linear(x, hamilton_matrix(weight_), bias_);
}

template class QuaternionLinear<float>;
template class QuaternionLinear<double>;

}  // namespace argand
