/// 5. Your own op: first in a few lines, then as the library writes its own, with equation, derivation, forward mode and check.
///
/// The op maps a complex number into the unit disc and keeps its phase (Georgiou and Koutsougeras, 1992):
///
///     w = z / (1 + r),   r = |z|,   ∂r/∂z = z̄ / 2r,   ∂r/∂z̄ = z / 2r.
///
///     ∂w/∂z  = 1/(1+r) - z/(1+r)² · z̄/2r = (2 + r) / (2 (1+r)²)
///     ∂w/∂z̄ =         - z/(1+r)² · z/2r  = -z² / (2r (1+r)²),      which tends to 0 with z, so it is 0 at z = 0
///
///     dz = conj(∂w/∂z) dw + (∂w/∂z̄) conj(dw)          (autograd/var.h)
///     ẇ  = (∂w/∂z) ż + (∂w/∂z̄) conj(ż) = (ż - w ṙ) / (1+r),  ṙ = Re(conj(z/r) ż)          (autograd/forward.h)
///
/// Run:       build/examples/05_your_own_op
/// Try next:  leave out the conj of dw below and read what the check says. Then w = z / sqrt(1 + |z|²).

#include "autograd/check/op_report.h"
#include "autograd/gradcheck.h"
#include "autograd/op_check.h"
#include "autograd/ops.h"
#include "autograd/tape.h"
#include "core/kernels/elementwise.h"

using namespace argand;
using C = std::complex<double>;

/// The gradient dz at one element.
template <RealScalar R>
std::complex<R> gradient(std::complex<R> z, std::complex<R> dw) {
  const R r = std::abs(z);
  const std::complex<R> across = r > 0 ? mul(mul(z, z), std::conj(dw)) / r : std::complex<R>(0);
  return (mul(2 + r, dw) - across) / (2 * (1 + r) * (1 + r));
}

/// In a few lines: a value, and a vector-Jacobian product that returns the gradient.
const auto squash_in_short = custom_op(
    "squash_in_short", [](const Tensor<C>& z) { return map([](C v) { return v / (1 + std::abs(v)); }, z); },
    [](const Tensor<C>& dw, const Tensor<C>& z) { return map(gradient<double>, z, dw); });

/// As an op of the library: it is documented, supports every scalar type, forward mode and second derivatives, and is checked
/// along with all other ops.
template <RealScalar R>
Var<std::complex<R>> squash(const Var<std::complex<R>>& z);

static const Op squash_op({.name = "squash",
                           .kind = Kind::General,
                           .equation = "w = z / (1 + |z|)",
                           .dz = "(2 + r) / (2 (1 + r)²), r = |z|",
                           .dzbar = "-z² / (2r (1 + r)²)",
                           .vjp = "dz = ((2 + r) dw - z²/r conj(dw)) / (2 (1 + r)²)",
                           .jvp = "ẇ = (ż - w ṙ) / (1 + r), ṙ = Re(z̄ ż) / r",
                           .derivation = "the quotient rule with ∂r/∂z = z̄/2r, ∂r/∂z̄ = z/2r",
                           .singular = "none: at z = 0 both derivatives have limits, 1 and 0",
                           .source = "Georgiou, Koutsougeras, Complex domain backpropagation, IEEE TCAS II 39(5), 1992"},
                          [](OpCheck& check) {
                            const auto f = [](const auto& z) { return squash(z); };
                            check.function("complex", f, check.complex({3, 4}));
                            check.singular("zero", f, Tensor<C>::zeros({2}), Tensor<C>::ones({2}));
                          });

template <RealScalar R>
Var<std::complex<R>> squash(const Var<std::complex<R>>& z) {
  using Z = std::complex<R>;
  Tensor<Z> w = map([](Z v) { return v / (1 + std::abs(v)); }, z.value());
  // Besides `dz`, which receives the gradient, the closure captures only what the gradient needs: z. The tangent is built from ops,
  // so that it can be differentiated again; unit_phasor(z) is z/r, and 0 at 0.
  return record(
      squash_op, w, [v = z.value(), dz = accumulator(z)](const Tensor<Z>& dw) { dz.add(map(gradient<R>, v, dw)); },
      [&](const auto& y) { return (tangent(z) - y * real(conj(unit_phasor(z)) * tangent(z))) / (abs(z) + R(1)); }, z);
}

int main() {
  const Tensor<C> points({3}, {C(3, 4), C(0, -1), C(-2, 0.5)});
  fmt::print("in a few lines: {}\n", check(squash_in_short, points).ok() ? "all pass" : "wrong");

  const Report report = check_op_gradients(squash_op);  // every element by Ridders' differences; the kind; the point 0
  fmt::print("squash: {} elements checked, worst relative error below 1e-10: {}\n", report.compared(RowKind::Gradient),
             report.worst_error() < 1e-10 ? "yes" : "no");
  fmt::print("{}", report.ok() ? "all pass\n" : report_text(report));

  // Now it can be used like any other op.
  const Complex z = variable(Tensor<C>({3}, {C(3, 4), C(0, -1), 0}));
  const Complex w = squash(z);
  backward(sum(abs2(w)));
  fmt::print("z = {}\nw = {}\ngrad of Σ|w|² = {}\n", to_string(z.value()), to_string(w.value()), to_string(z.grad()));
}
