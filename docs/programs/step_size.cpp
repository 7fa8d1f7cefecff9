/// How wrong are difference quotients? f(x) = 1/(1 + x²) at x = 1/2, whose derivative -2x/(1 + x²)² is -0.64.

#include <fmt/core.h>

#include <cmath>
#include <complex>

#include "autograd/check/numerical.h"

int main() {
  const auto f = [](auto x) { return 1.0 / (1.0 + x * x); };
  const double x = 0.5, truth = -0.64;

  fmt::print("{:>5}  {:>9}  {:>9}  {:>12}\n", "h", "one-sided", "central", "complex step");
  double h = 0.1;
  for (int k = 1; k <= 15; ++k, h /= 10) {
    const double one_sided = (f(x + h) - f(x)) / h;
    const double central = (f(x + h) - f(x - h)) / (2 * h);
    const double complex_step = f(std::complex<double>(x, h)).imag() / h;
    fmt::print("1e-{:02}  {:9.0e}  {:9.0e}  {:12.0e}\n", k, std::abs(one_sided - truth), std::abs(central - truth),
               std::abs(complex_step - truth));
  }
  const argand::Derivative d = argand::differentiate(f, x);
  fmt::print("Ridders: {:.12f}, error bar {:.0e}, true error {:.0e}\n", d.central.value, d.central.error,
             std::abs(d.central.value - truth));
}
