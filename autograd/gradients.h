#pragma once
/// Gradients as return values, whereas backward() adds them to the variables.
///
///     const auto L = [](const Complex& z) { return sum(abs2(z * z + 1.0)); };
///     const auto [loss, g] = value_and_grad(L)(z);            // z, g: Tensor<std::complex<double>>
///     const auto by_parameter = gradients(loss_of(net), parameters_of(net));

#include <tuple>
#include <utility>
#include <vector>

#include "autograd/parameter.h"
#include "autograd/tape.h"
#include "autograd/trace/slot_gradient.h"

namespace argand {

/// dL/dp of every parameter, in the order of the list and in the convention of autograd/var.h: zeros where L does not depend on p.
/// Walks the tape that L was recorded on and leaves it empty, as backward() does. The variables' grad() is left unchanged. Throws
/// Error as backward() does, and for a list with a non-variable, a duplicate or two variables with the same name.
template <RealScalar R>
std::vector<AnyTensorOf<R>> gradients(const Var<R>& loss, const ParameterList<R>& parameters);

/// A function of tensors that returns L = f(Var...), a real number, and its gradient with respect to each tensor: for one input, a
/// pair of a number and a tensor; for several, a pair of a number and a std::tuple of tensors. It records on its own tape, and the
/// grad() of variables that f captures is left unchanged.
template <class F>
auto value_and_grad(F f) {
  return [f = std::move(f)]<Scalar... In>(const Tensor<In>&... x) {
    Tape tape;
    const std::tuple<Var<In>...> variables(variable(x)...);
    const auto loss = std::apply(f, variables);
    const auto value = loss.value().item();
    const KeptGradients kept(tape);
    tape.backward(loss);
    return std::apply(
        [&](const auto&... v) {
          if constexpr (sizeof...(In) == 1)
            return std::pair(value, (Tensor<In>(v.grad()), ...));
          else
            return std::pair(value, std::tuple(Tensor<In>(v.grad())...));
        },
        variables);
  };
}

}  // namespace argand
