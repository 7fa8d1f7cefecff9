#include "nn/layers/recurrent.h"

#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/elementwise/complex_activation.h"
#include "autograd/ops/elementwise/complex_parts.h"
#include "autograd/ops/elementwise/trigonometric.h"
#include "autograd/ops/shape.h"

namespace argand {

template <Scalar T>
RnnCell<T>::RnnCell(Init& init, std::int64_t in, std::int64_t size)
    : input(init, in, size, false), state(init, size, size, false), bias(init.full<RealOf<T>>(Role::Bias, {size}, 0)) {
  state.weight = init.unitary<T>(Role::Matrix, {size, size});
}
template <Scalar T>
Var<T> RnnCell<T>::operator()(const Var<T>& x, const Var<T>& h) const {
  const Var<T> a = input(x) + state(h);
  if constexpr (ComplexScalar<T>)
    return modrelu(a, bias);
  else
    return tanh(a + bias);
}

template <Scalar T>
GruCell<T>::GruCell(Init& init, std::int64_t in, std::int64_t size)
    : gates_input_(init, in, 2 * size),
      gates_state_(init, size, 2 * size, false),
      input_(init, in, size),
      state_(init, size, size, false) {
  state_.weight = init.unitary<T>(Role::Matrix, {size, size});
  if constexpr (ComplexScalar<T>) threshold_ = init.full<RealOf<T>>(Role::Bias, {size}, 0);
}
template <Scalar T>
Var<T> GruCell<T>::operator()(const Var<T>& x, const Var<T>& h) const {
  using R = RealOf<T>;
  const std::int64_t size = h.dim(-1);
  const Var<T> a = gates_input_(x) + gates_state_(h);
  const auto gate = [&](std::int64_t first) {
    const Var<T> part = slice(a, a.rank() - 1, first, first + size);
    if constexpr (ComplexScalar<T>)
      return sigmoid(R(0.5) * (real(part) + imag(part)));
    else
      return sigmoid(part);
  };
  const Var<R> reset = gate(0), keep = gate(size);
  const Var<T> proposed = input_(x) + state_(reset * h);
  const Var<T> next = [&] {
    if constexpr (ComplexScalar<T>)
      return modrelu(proposed, *threshold_);
    else
      return tanh(proposed);
  }();
  return next + keep * (h - next);
}

#define ARGAND_RECURRENT_CELLS(T) \
  template class RnnCell<T>;      \
  template class GruCell<T>;
ARGAND_FOR_SCALAR(ARGAND_RECURRENT_CELLS)

}  // namespace argand
