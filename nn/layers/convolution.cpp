#include "nn/layers/convolution.h"

#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/shape.h"

namespace argand {

namespace {

/// The number of input channels that each output channel depends on.
std::int64_t channels_seen(const char* layer, std::int64_t in, std::int64_t out, std::int64_t groups) {
  require(groups >= 1 && in % groups == 0 && out % groups == 0, layer, "{} groups do not evenly divide {} and {} channels", groups,
          in, out);
  return in / groups;
}

}  // namespace

template <Scalar T>
Conv1d<T>::Conv1d(Init& init, std::int64_t in, std::int64_t out, std::int64_t window, const Options& o)
    : weight(init.he<T>(Role::Matrix, {out, channels_seen("Conv1d", in, out, o.groups), window})) {
  if (o.bias) bias = init.full<T>(Role::Bias, {out}, 0);
  options_.stride[1] = o.stride, options_.padding[1] = o.padding, options_.dilation[1] = o.dilation, options_.groups = o.groups;
}
template <Scalar T>
Var<T> Conv1d<T>::operator()(const Var<T>& x) const {
  const Var<T> y = conv1d(x, weight, options_);
  return bias ? y + reshape(*bias, {bias->size(), 1}) : y;
}

template <Scalar T>
Conv2d<T>::Conv2d(Init& init, std::int64_t in, std::int64_t out, std::array<std::int64_t, 2> window, const Options& o)
    : weight(init.he<T>(Role::Matrix, {out, channels_seen("Conv2d", in, out, o.groups), window[0], window[1]})) {
  if (o.bias) bias = init.full<T>(Role::Bias, {out}, 0);
  options_.stride = o.stride, options_.padding = o.padding, options_.dilation = o.dilation, options_.groups = o.groups;
}
template <Scalar T>
Var<T> Conv2d<T>::operator()(const Var<T>& x) const {
  const Var<T> y = conv2d(x, weight, options_);
  return bias ? y + reshape(*bias, {bias->size(), 1, 1}) : y;
}

#define ARGAND_CONVOLUTION_LAYERS(T) \
  template class Conv1d<T>;          \
  template class Conv2d<T>;
ARGAND_FOR_SCALAR(ARGAND_CONVOLUTION_LAYERS)

}  // namespace argand
