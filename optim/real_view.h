#pragma once
/// Parameters and their gradients as flat arrays of real numbers, cut into blocks. One parallel loop covers a whole model of many
/// small tensors, and the blocks do not depend on the number of threads.

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "autograd/parameter.h"
#include "core/parallel.h"

namespace argand {

/// The elements of a tensor or parameter as reals; a complex number is a pair of reals, real part first.
template <RealScalar R, Scalar T>
R* real_data(Tensor<T>& x) {
  return reinterpret_cast<R*>(x.data());
}
template <RealScalar R, Scalar T>
const R* real_data(const Tensor<T>& x) {
  return reinterpret_cast<const R*>(x.data());
}
template <RealScalar R>
R* real_data(Parameter<R>& parameter) {
  return std::visit([](auto& v) { return real_data<R>(v.value()); }, parameter.var);
}

/// The gradient of a parameter as reals; null if it has none.
template <RealScalar R>
const R* gradient_data(const Parameter<R>& parameter) {
  return std::visit([](const auto& v) { return v.has_grad() ? real_data<R>(std::as_const(v.slot()->grad)) : nullptr; },
                    parameter.var);
}

/// The reals [begin, end) of the tensor with index `tensor`.
struct RealBlock {
  std::size_t tensor;
  std::int64_t begin, end;
};

/// Blocks that cover every parameter. Each starts at a multiple of elementwise_grain and thus of any vector width.
template <RealScalar R>
std::vector<RealBlock> real_blocks(const ParameterList<R>& parameters) {
  std::vector<RealBlock> blocks;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const std::int64_t n = parameters[i].degrees_of_freedom();
    for (std::int64_t begin = 0; begin < n; begin += elementwise_grain)
      blocks.push_back({i, begin, std::min(n, begin + elementwise_grain)});
  }
  return blocks;
}

}  // namespace argand
