/// L-BFGS on 100 |w - z²|² + |1 - z|², Rosenbrock's valley with two complex unknowns. Prints the loss after a given number of
/// evaluations, compared with AdamW's, and the product sᴴy of a step s and the change y in the gradient.

#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/elementwise/complex_parts.h"
#include "autograd/ops/elementwise/power.h"
#include "autograd/tape.h"
#include "optim/adamw.h"
#include "optim/lbfgs.h"

using namespace argand;
using C = std::complex<double>;

int main() {
  Complex z = variable(Tensor<C>::scalar(C(-1.2, 0.5))), w = variable(Tensor<C>::scalar(C(1, -1)));
  const auto valley = [&] { return abs2(w - square(z)) * 100.0 + abs2(1.0 - z); };

  Lbfgs<double> lbfgs({{"z", z}, {"w", w}}, {});
  int evaluations = 0;
  fmt::print("L-BFGS: evaluations            L                     sᴴy\n");
  for (int k = 1; k <= 5; ++k) {
    const LbfgsReport report = lbfgs.minimise(valley, 15);
    const OptimizerState<double> state = lbfgs.state();
    C product = 0;
    for (const std::string name : {"z", "w"}) {
      const auto of = [&](const char* what) {
        return std::get<Tensor<C>>(state.tensor(fmt::format("{}.0.{}", what, name))).item();
      };
      product += std::conj(of("s")) * of("y");
    }
    fmt::print("{:>19}{:>13.1e}{:>14.1e} {:+.1e}i\n", evaluations += report.evaluations, report.loss, product.real(),
               product.imag());
  }

  z.value() = Tensor<C>::scalar(C(-1.2, 0.5)), w.value() = Tensor<C>::scalar(C(1, -1));
  AdamW<double> adamw({{"z", z}, {"w", w}}, {.weight_decay = 0});
  fmt::print("AdamW: evaluations             L\n");
  for (int step = 1; step <= 4000; ++step) {
    z.zero_grad(), w.zero_grad();
    const Real loss = valley();
    backward(loss);
    adamw.step(0.02);
    if (step % 1000 == 0) fmt::print("{:>19}{:>13.1e}\n", step, loss.value().item());
  }
}
