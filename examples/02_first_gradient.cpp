/// 2. A first gradient: finds a square root of -1 by descending L = |z² + 1|².
///
/// Run:       build/examples/02_first_gradient
/// Try next:  start at 1 - 0.5i, and at 1: on the real axis the gradient never points away from it, because L(z̄) = L(z).

#include <argand/argand.h>

using namespace argand;

int main() {
  Complex z = variable(Tensor<std::complex<double>>::scalar({1.0, 0.5}));
  for (int step = 0; step <= 60; ++step) {
    const Real loss = abs2(square(z) + 1.0);  // real: only a real number can be made smaller
    z.zero_grad();
    backward(loss);  // grad(z) = dL/dx + i dL/dy
    if (step % 15 == 0) fmt::print("step {:2}  z = {}  L = {}\n", step, z, loss);
    z.value() -= 0.05 * z.grad();
  }
}
