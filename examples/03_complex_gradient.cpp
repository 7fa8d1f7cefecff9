/// 3. The gradient of a complex function: three cases, and one formula for all of them.
///
/// A function of z = x + iy has two derivatives, as if z and its conjugate z̄ were independent of each other (Wirtinger):
///
///     ∂w/∂z = (∂w/∂x - i ∂w/∂y) / 2,        ∂w/∂z̄ = (∂w/∂x + i ∂w/∂y) / 2.
///
/// It is holomorphic where ∂w/∂z̄ = 0: the Cauchy-Riemann equations. For L = Re w the gradient of steepest ascent is
///
///     grad(z) = ∂L/∂x + i ∂L/∂y = conj(∂w/∂z) + ∂w/∂z̄.
///
/// Here both derivatives come from difference quotients and grad(z) from the tape: they share only f itself, and agree.
///
/// Run:       build/examples/03_complex_gradient
/// Try next:  sqrt(z), angle(z), z + conj(z): what will the verdict be? Then sqrt at z = -1. `argand lab` does this for any
/// formula.

#include "autograd/ops.h"
#include "autograd/tape.h"
#include "autograd/wirtinger.h"

using namespace argand;
using C = std::complex<double>;

/// Prints one line of the table for w = f(z) of one complex number.
template <class F>
void line(const char* name, C point, const F& f) {
  // ∂w/∂z and ∂w/∂z̄ from the values of f only: nothing is recorded on the tape.
  const WirtingerDerivatives d = wirtinger([&](C z) { return C(f(constant(Tensor<C>::scalar(z))).value().item()); }, point);

  // grad(z) by one backward pass over the tape. Values such as |w|² are already real.
  const Complex z = variable(Tensor<C>::scalar(point));
  const auto w = f(z);
  if constexpr (std::same_as<decltype(w), const Complex>)
    backward(real(w));
  else
    backward(w);
  const C grad = z.grad().item(), formula = std::conj(d.dz) + d.dzbar;

  const auto clean = [](double x) { return std::abs(x) < 1e-6 ? 0.0 : x; };
  const auto text = [&](C c) { return fmt::format("{:.4f}{:+.4f}i", clean(c.real()), clean(c.imag())); };
  fmt::print("{:<12} {:<18} {:<18} {:<18} {:<12} {}\n", name, text(d.dz), text(d.dzbar), text(grad),
             std::abs(grad - formula) < 1e-8 ? "yes" : "NO", cauchy_riemann_name(d.verdict));
}

int main() {
  const C z(1, 2);
  fmt::print("at z = 1+2i\n{:<12} {:<18} {:<18} {:<18} {:<12} {}\n", "w", "dw/dz", "dw/dz̄", "grad(z) of Re w", "as formula?",
             "w is");
  line("z²", z, [](const Complex& u) { return square(u); });                   // ∂w/∂z = 2z
  line("exp z", z, [](const Complex& u) { return exp(u); });                   // ∂w/∂z = e^z
  line("conj z", z, [](const Complex& u) { return conj(u); });                 // ∂w/∂z̄ = 1, ∂w/∂z = 0
  line("|z|²", z, [](const Complex& u) { return abs2(u); });                   // z z̄: ∂w/∂z = z̄, ∂w/∂z̄ = z
  line("z² conj z", z, [](const Complex& u) { return square(u) * conj(u); });  // ∂w/∂z = 2 z z̄, ∂w/∂z̄ = z²
}
