/// Gradient descent on |z² + 1|² with the gradient in three conventions: ours, half of it (∂L/∂z̄), and its conjugate (2 ∂L/∂z).

#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/elementwise/complex_parts.h"
#include "autograd/ops/elementwise/power.h"
#include "autograd/tape.h"

using namespace argand;
using C = std::complex<double>;

int main() {
  const auto descend = [](const char* name, auto convention) {
    Complex z = variable(Tensor<C>::scalar({1.0, 0.5}));
    fmt::print("{:<14}", name);
    for (int step = 0; step <= 30; ++step) {
      const Real loss = abs2(square(z) + 1.0);
      z.zero_grad();
      backward(loss);
      if (step % 10 == 0) fmt::print("{:12.6f}", loss.value().item());
      z.value().data()[0] -= 0.02 * convention(z.grad().item());
    }
    fmt::print("   z = {}\n", to_string(z.value()));
  };
  fmt::print("{:<14}{:>12}{:>12}{:>12}{:>12}\n", "step along", "L at 0", "10", "20", "30");
  descend("grad(z)", [](C g) { return g; });
  descend("dL/d conj(z)", [](C g) { return g / 2.0; });
  descend("2 dL/dz", [](C g) { return std::conj(g); });
}
