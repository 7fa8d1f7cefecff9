/// 4. Complex least squares: finds the x that minimises L = ‖A x - b‖² by gradient descent.
///
/// With r = A x - b, L = rᴴ r. One of its two Wirtinger derivatives suffices, since L is real:  ∂L/∂x̄ = Aᴴ r, and
///
///     grad(x) = 2 ∂L/∂x̄ = 2 Aᴴ (A x - b),        which is 0 where Aᴴ A x = Aᴴ b, the normal equations.
///
/// (With Aᵀ in place of Aᴴ, as in the textbook formula for real numbers, the descent would converge elsewhere.)
///
/// Run:       build/examples/04_complex_least_squares
/// Try next:  a larger step, until it diverges: where is the limit, and how is it related to the largest eigenvalue of Aᴴ A?

#include "autograd/ops.h"
#include "autograd/tape.h"
#include "core/random.h"

using namespace argand;
using C = std::complex<double>;

double norm(const Tensor<C>& v) {
  double sum = 0;
  for (const C c : v) sum += std::norm(c);
  return std::sqrt(sum);
}

int main() {
  constexpr int equations = 20, unknowns = 3;
  const Complex A = constant(randn<C>({equations, unknowns}, Random(1)));
  const Complex truth = constant(Tensor<C>({unknowns, 1}, {C(1, 0), C(0, 1), C(-0.5, 0.5)}));
  const Complex b = constant(add(matmul(A, truth), constant(randn<C>({equations, 1}, Random(2), /*std=*/0.1))).value());

  Complex x = variable(Tensor<C>::zeros({unknowns, 1}));
  const auto loss = [&] { return sum(abs2(matmul(A, x) - b)); };

  // The tape's gradient and the formula's have the same values.
  backward(loss());
  const Complex r = matmul(A, x.detach()) - b;
  const Tensor<C> formula = (matmul(A, r, Transpose::Conjugate) * 2.0).value();
  double apart = 0;
  for (int k = 0; k < unknowns; ++k) apart = std::max(apart, std::abs(x.grad().data()[k] - formula.data()[k]));
  fmt::print("the tape's gradient is 2 Aᴴ (A x - b): {}\n", apart < 1e-12 * norm(formula) ? "yes" : "no");

  for (int step = 0; step <= 40; ++step) {
    x.zero_grad();
    const Real L = loss();
    backward(L);
    if (step % 10 == 0) fmt::print("step {:2}  L = {:9.6f}  |grad| = {:.0e}\n", step, L.value().item(), norm(x.grad()));
    for (int k = 0; k < unknowns; ++k) x.value().data()[k] -= 0.015 * x.grad().data()[k];  // x <- x - η grad(x)
  }

  fmt::print("{:<14} {}\n", "truth", "found (b has noise of size 0.1)");
  for (int k = 0; k < unknowns; ++k) {
    const C t = truth.value().data()[k], f = x.value().data()[k];
    fmt::print("{:+.2f} {:+.2f}i   {:+.2f} {:+.2f}i\n", t.real(), t.imag(), f.real(), f.imag());
  }
}
