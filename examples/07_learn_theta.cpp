/// 7. Which numbers are these? Learns the angle θ of a QIC product from examples.
///
/// QIC numbers are a + bJ with J² = κ(θ) = -1 + sin 2θ: the complex numbers for θ = 0, the dual numbers (J² = 0) for θ = π/4.
/// From pairs x, y = w x (with noise) the program finds both the factor w and the algebra of the product:
///
///     y_a = w_a x_a + κ w_b x_b,    y_b = w_a x_b + w_b x_a,        L = mean |ŷ - y|²
///     dL/dθ = 2 cos 2θ Σ (dL/dŷ_a) w_b x_b                          since dκ/dθ = 2 cos 2θ
///
/// Note two things. κ is the same for θ and π/2 - θ, so from above π/4 the angle converges to the mirror image of the truth. And
/// at π/4 itself cos 2θ = 0, so the gradient is 0 for any data, and the angle does not move.
///
/// Run:       build/examples/07_learn_theta
/// Try next:  start at 0.7853 and at 0.785398: after how many steps does θ leave π/4? Then w = 0.8 + 0J: can θ still be found?

#include <numbers>

#include "autograd/ops.h"
#include "autograd/tape.h"
#include "core/qic_algebra.h"
#include "core/random.h"

using namespace argand;
using Number = std::complex<double>;  // the pair (a, b) of a + bJ
constexpr double pi = std::numbers::pi;

int main() {
  const double true_theta = 0.2;
  const Number true_w(0.8, 0.5);
  const QicAlgebra<double> algebra(true_theta);
  const Tensor<Number> x = randn<Number>({200, 1}, Random(1));
  Tensor<Number> y = randn<Number>({200, 1}, Random(2), /*std=*/0.02);  // the noise; the product is added below
  for (std::int64_t n = 0; n < x.dim(0); ++n) y(n, 0) += algebra.product(true_w, x(n, 0));
  fmt::print("truth         theta {:.3f}   kappa {:.3f}   w {:.3f} + {:.3f}J\n", true_theta, kappa(true_theta), true_w.real(),
             true_w.imag());

  for (const double start : {0.0, pi / 6, 1.2, pi / 4}) {
    Real theta = variable(Tensor<double>({1}, {start}));
    Complex w = variable(Tensor<Number>({1, 1}, {Number(0.1, 0.1)}));
    double first_slope = 0;
    for (int step = 0; step < 500; ++step) {
      theta.zero_grad();
      w.zero_grad();
      const Real loss = mean(abs2(qic_linear(constant(x), w, theta) - constant(y)));  // |·|² is the squared length of the pair
      backward(loss);
      if (step == 0) first_slope = theta.grad().item();
      theta.value()(0) -= 0.1 * theta.grad()(0);
      w.value()(0, 0) -= 0.1 * w.grad()(0, 0);
    }
    const double found = theta.value().item();
    const Number v = w.value().item();
    fmt::print("from {:.3f} to theta {:.2f}    kappa {:.2f}    w {:.2f} + {:.2f}J    {}\n", start, found, kappa(found), v.real(),
               v.imag(),
               std::abs(first_slope) < 1e-12 ? "stays: dkappa/dtheta = 0"
               : found > pi / 4              ? "the mirror image"
                                             : "found");
  }
}
