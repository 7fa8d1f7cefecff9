#pragma once
/// A user-defined op in a few lines: a value, and a vector-Jacobian product that returns the gradients.
///
///     using C = std::complex<double>;
///     const auto f = [](C z) { return z / (1 + std::abs(z)); };
///     const auto gradient = [f](C dw, C z) {
///       return (dw - f(z) * std::real(std::polar(1.0, -std::arg(z)) * dw)) / (1 + std::abs(z));
///     };
///     const auto squash = custom_op("squash", [f](const Tensor<C>& z) { return map(f, z); },
///                                   [gradient](const Tensor<C>& dw, const Tensor<C>& z) { return map(gradient, dw, z); });
///     const Report report = check(squash, z);   // autograd/gradcheck.h
///     const Complex w = squash(variable(z));    // from here on an op like any other
///
/// `value(x...)` computes a tensor from the inputs' values; there may be any number of inputs, of any scalar types. `vjp(dw, x...)`
/// takes dL/dw (in the convention of autograd/var.h) and the same values, all of them tensors (map() applies a scalar function to
/// their elements), and returns dL/dx in x's shape; for several inputs, a std::tuple of them. It may also take the output,
/// vjp(dw, x..., w), which is kept only in that case. The optional `jvp(ẋ..., x...)` returns ẇ; without it forward mode throws. All
/// must be pure functions of their arguments.
///
/// Neither product can itself be differentiated: where tangents are recorded (hvp()), the op throws if an input has a tangent and
/// needs a gradient. An op with second derivatives, documentation and a place in the checks is recorded like those of the library;
/// examples/05_your_own_op.cpp shows both ways.

#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "autograd/forward.h"
#include "autograd/op.h"
#include "autograd/tape.h"

namespace argand {

namespace detail {

/// Placeholder type for an op without a jvp.
struct NoJvp {};

/// Adds a gradient returned by a vjp to an input's gradient. Throws if their shapes differ, e.g.
/// `squash: the gradient of input 0 has shape [3], but the input has shape [4]`.
template <Scalar T>
void add_gradient(const Op& op, std::size_t input, const Shape& shape, const GradientAccumulator<T>& to, Tensor<T> gradient) {
  require(gradient.shape() == shape, op.name(), "the gradient of input {} has shape {}, but the input has shape {}", input,
          gradient.shape(), shape);
  to.add(std::move(gradient));
}

template <class T>
struct Gradients;  // what a vjp returns, as a tuple
template <Scalar T>
struct Gradients<Tensor<T>> {
  static std::tuple<Tensor<T>> of(Tensor<T> g) { return {std::move(g)}; }
};
template <Scalar... T>
struct Gradients<std::tuple<Tensor<T>...>> {
  static std::tuple<Tensor<T>...> of(std::tuple<Tensor<T>...> g) { return g; }
};

}  // namespace detail

/// Made by custom_op(); call it with variables.
template <class Value, class Vjp, class Jvp>
class CustomOp {
 public:
  CustomOp(const Op& op, Value value, Vjp vjp, Jvp jvp)
      : op_(&op), value_(std::move(value)), vjp_(std::move(vjp)), jvp_(std::move(jvp)) {}

  const std::string& name() const { return op_->name(); }

  template <Scalar... In>
  requires std::invocable < const Value&, const Tensor<In>
  &... > auto operator()(const Var<In>&... x) const {
    auto w = value_(x.value()...);
    using W = decltype(w);
    return record(
        *op_, w, backward(w, x...),
        [&](const Var<typename W::value_type>&) -> Var<typename W::value_type> {
          if constexpr (std::same_as<Jvp, detail::NoJvp>) {
            fail(name(), "has no forward mode; give custom_op() a jvp as the fourth argument");
          } else {
            require(!wants_grad(x...), name(),
                    "has no second derivative: its vjp and jvp are not recorded. To compute only the tangent, use NoGrad, as jvp() "
                    "does");
            W tangent_of_w = jvp_(tangent(x).value()..., x.value()...);
            require(tangent_of_w.shape() == w.shape(), name(), "the jvp has shape {}, but the value has shape {}",
                    tangent_of_w.shape(), w.shape());
            return Var<typename W::value_type>(std::move(tangent_of_w));
          }
        },
        x...);
  }

 private:
  template <class W, Scalar... In>
  auto backward(const W& w, const Var<In>&... x) const {
    constexpr bool takes_output = std::invocable<const Vjp&, const W&, const Tensor<In>&..., const W&>;
    static_assert(takes_output || std::invocable<const Vjp&, const W&, const Tensor<In>&...>,
                  "custom_op: the vjp takes (dw, x...) or (dw, x..., w)");
    using Kept = std::conditional_t<takes_output, W, std::monostate>;
    Kept kept{};
    if constexpr (takes_output) kept = w;
    return [op = op_, vjp = vjp_, kept = std::move(kept), values = std::tuple(x.value()...),
            to = std::tuple(accumulator(x)...)](const W& dw) {
      const auto call = [&](const auto&... v) {
        if constexpr (takes_output) {
          return vjp(dw, v..., kept);
        } else {
          static_cast<void>(kept);
          return vjp(dw, v...);
        }
      };
      auto returned = std::apply(call, values);
      auto gradients = detail::Gradients<decltype(returned)>::of(std::move(returned));
      static_assert(
          std::same_as<decltype(gradients), std::tuple<Tensor<In>...>>,
          "custom_op: the vjp must return one tensor of each input's scalar type; for several inputs, a std::tuple of them");
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        (detail::add_gradient(*op, I, std::get<I>(values).shape(), std::get<I>(to), std::move(std::get<I>(gradients))), ...);
      }
      (std::index_sequence_for<In...>());
    };
  }

  const Op* op_;
  Value value_;
  Vjp vjp_;
  [[no_unique_address]] Jvp jvp_;
};

/// Described at the top of this file. Throws Error when an op of the library already has this name.
template <class Value, class Vjp, class Jvp = detail::NoJvp>
CustomOp<Value, Vjp, Jvp> custom_op(const std::string& name, Value value, Vjp vjp, Jvp jvp = {}) {
  return {Op::custom(name), std::move(value), std::move(vjp), std::move(jvp)};
}

}  // namespace argand
