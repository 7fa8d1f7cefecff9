/// Eight ways in which a gradient check can mislead. Prints argand's verdict next to that of a naive check: a central difference
/// with h = 1e-6 that must agree to 1e-4.

#include <algorithm>
#include <cmath>

#include "autograd/check/planted_fault.h"
#include "autograd/gradcheck.h"
#include "autograd/ops/elementwise/activation.h"
#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/elementwise/complex_parts.h"
#include "autograd/ops/elementwise/exponential.h"
#include "autograd/ops/elementwise/trigonometric.h"
#include "autograd/ops/rows/reduction.h"
#include "autograd/ops/rows/softmax.h"
#include "autograd/tape.h"

using namespace argand;
using C = std::complex<double>;

namespace {

/// dL/dx + i dL/dy of element k of z by central differences.
template <class F, Scalar T>
T naive(const F& f, const Tensor<T>& z, std::size_t k) {
  const double h = 1e-6;
  const auto along = [&](T step) {
    Tensor<T> above = z.clone(), below = z.clone();
    above.data()[k] += step, below.data()[k] -= step;
    return (f(Var<T>(above)).value().item() - f(Var<T>(below)).value().item()) / (2 * h);
  };
  if constexpr (ComplexScalar<T>)
    return {along(h), along(C(0, h))};
  else
    return along(h);
}

/// Prints both verdicts on the gradient of the real function L = f(z); z has one element or several.
template <class F, Scalar T>
void both(const char* title, const F& f, const Tensor<T>& z) {
  Var<T> v = variable(z);
  backward(f(v));
  bool agree = true;
  for (std::size_t k = 0; k < static_cast<std::size_t>(z.size()); ++k)
    agree = agree && std::abs(v.grad().data()[k] - naive(f, z, k)) <= 1e-4;
  GradcheckOptions options;
  options.name = "argand";
  options.blame_ops = false;
  options.full_jacobian = true;  // no random weights, so that L itself is differentiated
  const Report result = gradcheck(options, f, z);
  fmt::print("{}\n  naive: {}\n  {}\n", title, agree ? "pass" : "FAIL", result.headline());
  if (const ElementCheck* e = result.worst(); !result.ok() && e != nullptr)
    fmt::print("    {}\n", describe(e->values, e->verdict, result.rows[0].is_complex()));
}

}  // namespace

int main() {
  using X = Tensor<double>;
  using Z = Tensor<C>;
  const auto modulus = [](auto x) { return sum(abs(x)); };
  both("1  |x| at 0, where there is no derivative", modulus, X({1}, {0.0}));
  both("2  |x| at 3e-7, nearer to the kink than the step is long", modulus, X({1}, {3e-7}));
  both(
      "3  x^2 + 10^8 at 0.3, a small change in a large number", [](auto x) { return sum(x * x) + 1e8; }, X({1}, {0.3}));
  both(
      "4  x computed through float32",
      [](auto x) {
        Tensor<double> rounding = x.value().clone();
        for (double& v : rounding) v = static_cast<double>(static_cast<float>(v)) - v;
        return sum(x + constant(rounding));
      },
      X({1}, {0.3}));
  both(
      "5  x times a detached x, which is what was meant", [](auto x) { return sum(x * x.detach()); }, X({1}, {0.7}));

  fmt::print("\nfrom here on the gradients of exp (conjugated), softmax and relu (doubled) are wrong\n");
  {
    const PlantedFault planted("exp", Fault::Conjugate);
    const auto energy = [](auto z) { return sum(abs2(exp(z) + 1.0)); };
    both("6  |e^z + 1|^2 at real numbers", energy, Z({2}, {{0.3, 0}, {-0.2, 0}}));
    both("   and beside the axis", energy, Z({2}, {{0.3, 0.4}, {-0.2, 0.7}}));
  }
  {
    const PlantedFault planted("softmax", Fault::Twice);
    const auto total = [](auto x) { return sum(softmax(x)); };
    both("7  the sum of softmax(x), which is always 1", total, X({3}, {0.1, 0.5, -0.2}));
    const auto weighted = [](auto x) { return sum(constant(Tensor<double>({3}, {0.9, -1.2, 0.6})) * softmax(x)); };
    both("   with random weights", weighted, X({3}, {0.1, 0.5, -0.2}));
  }
  const PlantedFault planted("relu", Fault::Twice);
  const auto rectified = [](auto x) { return sum(relu(x)); };
  both("8  relu where all inputs are negative", rectified, X({2}, {-0.3, -1.1}));
  both("   where one is positive", rectified, X({2}, {-0.3, 1.1}));
}
