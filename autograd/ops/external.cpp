#include "autograd/ops/external.h"

#include "autograd/op_check.h"
#include "autograd/ops/products/projection.h"
#include "autograd/tape.h"
#include "core/kernels/elementwise.h"

namespace argand {

namespace {

/// L = Σ |z_k|⁴, plain loops: the function of the check.
template <Scalar T>
RealOf<T> sum_of_fourth_powers(const Tensor<T>& z) {
  double sum = 0;
  for (const T v : z) sum += static_cast<double>(abs2_of(v)) * static_cast<double>(abs2_of(v));
  return static_cast<RealOf<T>>(sum);
}
/// 2 ∂L/∂z̄_k = 4 |z_k|² z_k.
template <Scalar T>
Tensor<T> gradient_of_fourth_powers(const Tensor<T>& z) {
  return map([](T v) { return mul(4 * abs2_of(v), v); }, z);
}

}  // namespace

static const Op external_op({.name = "external",
                             .kind = Kind::RealValued,
                             .equation = "L = f(z), a real number; f and grad f are the caller's code",
                             .dz = "conj(grad f(z)) / 2",
                             .dzbar = "grad f(z) / 2",
                             .vjp = "dz = grad f(z) dL",
                             .jvp = "L̇ = Re Σ conj(grad f(z)) ż, as a constant: no gradient of L̇ reaches z",
                             .derivation = "L is real, so dz = 2 (∂L/∂z̄) dL, and 2 ∂L/∂z̄ is what the caller hands over. L̇ is "
                                           "its adjoint. How grad f changes with z only the caller's code knows: a second "
                                           "derivative is refused.",
                             .singular = "those of f",
                             .source = "the gradient convention, autograd/var.h"},
                            [](OpCheck& check) {
                              const auto f = []<Scalar T>(const Var<T>& z) {
                                return external(z, sum_of_fourth_powers<T>, gradient_of_fourth_powers<T>);
                              };
                              check.function("real", f, check.real({3, 4}));
                              check.function("complex", f, check.complex({3, 4}));
                              check.grows("real", [f](OpCheck& at, std::int64_t n) { at.function("", f, at.real({n})); });
                              check.grows("complex", [f](OpCheck& at, std::int64_t n) { at.function("", f, at.complex({n})); });
                            });

template <Scalar T>
Var<RealOf<T>> external(const Var<T>& z, const std::function<RealOf<Given<T>>(const Tensor<Given<T>>&)>& value,
                        const std::function<Tensor<Given<T>>(const Tensor<Given<T>>&)>& gradient) {
  using R = RealOf<T>;
  const auto checked = [gradient](const Tensor<T>& x) {
    Tensor<T> dx = gradient(x);
    require(dx.shape() == x.shape(), "external", "the gradient has shape {}, its input {}", dx.shape(), x.shape());
    return dx;
  };
  return record(
      external_op, Tensor<R>::scalar(value(z.value())),
      [checked, x = z.value(), dz = sink(z)](const Tensor<R>& dL) {
        dz.add(map([scale = dL.item()](T g) { return mul(g, scale); }, checked(x)));
      },
      [&](const auto&) {
        require(!wants_grad(z), "external",
                "has no second derivative: its gradient is code that no tape sees. For the tangent alone compute inside a NoGrad, "
                "as jvp() does");
        return projection(tangent(z), checked(z.value()));
      },
      z);
}

#define ARGAND_EXTERNAL(T)                                                                           \
  template Var<RealOf<T>> external(const Var<T>&, const std::function<RealOf<T>(const Tensor<T>&)>&, \
                                   const std::function<Tensor<T>(const Tensor<T>&)>&);
ARGAND_FOR_SCALAR(ARGAND_EXTERNAL)

}  // namespace argand
