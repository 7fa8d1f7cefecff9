/// Does AdamW depend on the directions of the axes? It minimises |z² + 1|² from 1 + 0.5i, and then the same function rotated by an
/// angle, from the rotated start. Prints the points that it reaches, rotated back.

#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/elementwise/complex_parts.h"
#include "autograd/ops/elementwise/power.h"
#include "autograd/tape.h"
#include "optim/adamw.h"

using namespace argand;
using C = std::complex<double>;

int main() {
  for (const ComplexMoments moments : {ComplexMoments::Two, ComplexMoments::Modulus}) {
    fmt::print("{}\n{:>8}{:>22}{:>22}\n", moments == ComplexMoments::Two ? "two second moments" : "one, of |g|", "turned by",
               "after 1 step", "after 20 steps");
    for (const int degrees : {0, 30, 45, 90}) {
      const C turn = std::polar(1.0, degrees * 3.14159265358979324 / 180);
      Complex z = variable(Tensor<C>::scalar(turn * C(1.0, 0.5)));
      AdamW<double> optimizer({{"z", z}}, {.weight_decay = 0, .complex_moments = moments});
      fmt::print("{:>8}", degrees);
      for (int step = 1; step <= 20; ++step) {
        z.zero_grad();
        backward(abs2(square(z * std::conj(turn)) + 1.0));
        optimizer.step(0.05);
        const C place = z.value().item() * std::conj(turn);
        if (step == 1 || step == 20) fmt::print("{:>13.6f} {:+.6f}i", place.real(), place.imag());
      }
      fmt::print("\n");
    }
  }
}
