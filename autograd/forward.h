#pragma once
/// Forward mode. Every value z is accompanied by its tangent ż, the derivative along one direction of all inputs together:
///
///     ẇ = (∂w/∂z) ż + (∂w/∂z̄) conj(ż)
///
/// Every op has a rule for its tangent, derived by hand like its gradient and written as an expression of ops. This has two uses.
/// Backward is the adjoint of forward,
///
///     Re Σ conj(dw) (J ż) = Re Σ conj(Jᴴ dw) ż        for all ż and dw,
///
/// (Jᴴ: the adjoint under Re Σ conj(a) b, real-linear as J is), so two derivations check each other up to rounding, without
/// difference quotients (autograd/check/adjoint.h). And since tangents are recorded, a backward pass from the tangent of a loss
/// gives an exact product of its Hessian with a vector: L̇ = Re Σ conj(g) ż, and grad(L̇) = H ż.
///
/// (Pearlmutter, "Fast exact multiplication by the Hessian", Neural Computation 6, 1994.)

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "autograd/context.h"
#include "autograd/parameter.h"

namespace argand {

/// Ops of this context compute tangents while this is alive. Variables lose their directions when it is destroyed. A leaf's
/// direction is seen by every thread in forward mode; use a leaf from one thread at a time.
class ForwardMode {
 public:
  [[nodiscard]] ForwardMode();
  ~ForwardMode();
  ForwardMode(const ForwardMode&) = delete;
  ForwardMode& operator=(const ForwardMode&) = delete;

  /// Throws Error when x is not a variable, or when the direction has another shape.
  template <Scalar T>
  void set_direction(const Var<T>& x, Tensor<T> direction) {
    require(x.slot() != nullptr && x.slot()->leaf, "forward", "only a variable can have a direction; make one with variable()");
    require(direction.shape() == x.shape(), "forward", "direction of shape {} does not match variable of shape {}",
            direction.shape(), x.shape());
    x.slot()->tangent = std::make_unique<Tensor<T>>(std::move(direction));
    forget_.emplace_back([slot = x.slot()] { slot->tangent.reset(); });
  }
  /// The same for every parameter; v holds a direction of matching scalar type for each.
  template <RealScalar R>
  void set_directions(const ParameterList<R>& parameters, const std::vector<AnyTensorOf<R>>& v) {
    for (std::size_t i = 0; i < parameters.size(); ++i)
      std::visit([&]<class T>(const Var<T>& p) { set_direction(p, std::get<Tensor<T>>(v[i])); }, parameters[i].var);
  }

 private:
  Context& context_;
  bool before_;
  std::vector<std::function<void()>> forget_;
};

/// Ops compute no tangents while this is alive.
class NoForward {
 public:
  [[nodiscard]] NoForward() : context_(Context::current()), before_(std::exchange(context_.forward_, false)) {}
  ~NoForward() { context_.forward_ = before_; }
  NoForward(const NoForward&) = delete;
  NoForward& operator=(const NoForward&) = delete;

 private:
  Context& context_;
  bool before_;
};

/// ż; zeros if z does not depend on the direction.
template <Scalar T>
Var<T> tangent(const Var<T>& z);

/// A point and a direction of the same shape.
template <Scalar T>
struct Along {
  Tensor<T> point, direction;
};
template <Scalar T>
Along<T> along(Tensor<T> point, Tensor<T> direction) {
  return {std::move(point), std::move(direction)};
}

/// J v: the derivative at t = 0 of f(point + t direction, ...), with one Along for each input of f. Records nothing.
///
///     jvp([](const auto& z) { return exp(z); }, along(z, v))
///
/// Throws Error when the shapes of a direction and its point differ.
template <class F, Scalar... In>
auto jvp(const F& f, const Along<In>&... inputs) {
  const NoGrad none;
  const ForwardMode forward;
  return tangent(f(Var<In>(inputs.point).with_tangent(Var<In>(inputs.direction))...)).value();
}

/// H v, the derivative of the gradient along v, for the real loss that `loss()` computes, with respect to `parameters`; v has an
/// entry of the same shape and scalar type for each. In the convention of autograd/var.h H is real-linear and symmetric: Re Σ
/// conj(u) (H v) = Re Σ conj(H u) v. Exact up to rounding. Gradients that the parameters hold are left unchanged. Throws Error if
/// v's length, a shape or a scalar type does not match.
template <RealScalar R>
std::vector<AnyTensorOf<R>> hvp(const std::function<Var<R>()>& loss, const ParameterList<R>& parameters,
                                const std::vector<AnyTensorOf<R>>& v);

}  // namespace argand
