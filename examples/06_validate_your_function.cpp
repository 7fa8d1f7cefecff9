/// 6. Your gradient, validated: checks plain C++ code against numerical differentiation, and catches a wrong gradient.
///
/// The function does not use argand; it measures how far the points z_k are from the unit circle, and from their neighbours:
///
///     L(z) = Σ_k (|z_k|² - 1)² + Σ_k |z_{k+1} - z_k|²
///
///     grad(z_k) = 2 ∂L/∂z̄_k = 4 (|z_k|² - 1) z_k + 2 (z_k - z_{k-1}) - 2 (z_{k+1} - z_k)
///
/// Every real and every imaginary part is perturbed by shrinking steps, the difference quotients are extrapolated to step 0, and
/// the error bar of the extrapolation alone decides the verdict.
///
/// Run:       build/examples/06_validate_your_function
/// Try next:  make mistakes (forget the second term; divide by 2) and read the diagnoses. Then check a function of your own.

#include "autograd/gradcheck.h"
#include "autograd/ops.h"
#include "core/kernels/elementwise.h"
#include "core/random.h"

using namespace argand;
using C = std::complex<double>;

double energy(const Tensor<C>& z) {
  double L = 0;
  for (std::int64_t k = 0; k < z.size(); ++k) {
    L += std::pow(std::norm(z(k)) - 1, 2);  // std::norm is |z|²
    if (k + 1 < z.size()) L += std::norm(z(k + 1) - z(k));
  }
  return L;
}

Tensor<C> gradient(const Tensor<C>& z) {
  Tensor<C> g = Tensor<C>::zeros(z.shape());
  for (std::int64_t k = 0; k < z.size(); ++k) {
    g(k) += 4 * (std::norm(z(k)) - 1) * z(k);
    if (k > 0) g(k) += 2.0 * (z(k) - z(k - 1));
    if (k + 1 < z.size()) g(k) -= 2.0 * (z(k + 1) - z(k));
  }
  return g;
}

/// The classic mistake: ∂L/∂z in place of ∂L/∂z̄.
Tensor<C> conjugated(const Tensor<C>& z) {
  Tensor<C> g = gradient(z);
  for (C& v : g) v = std::conj(v);
  return g;
}

/// Another mistake: the gradient omits each point's distance to the next one.
Tensor<C> forgetful(const Tensor<C>& z) {
  Tensor<C> g = gradient(z);
  for (std::int64_t k = 0; k + 1 < z.size(); ++k) g(k) += 2.0 * (z(k + 1) - z(k));
  return g;
}

int main() {
  const Tensor<C> z = randn<C>({6}, Random(3));
  const auto validate = [&](const std::string& name, const auto& by_hand) {
    const auto L = custom_op(
        name, [](const Tensor<C>& point) { return Tensor<double>::scalar(energy(point)); },
        [&](const Tensor<double>& dL, const Tensor<C>& point) {
          return map([s = dL.item()](C g) { return s * g; }, by_hand(point));
        });
    const Report result = gradcheck(GradcheckOptions{.name = name}, L, z);
    fmt::print("{}: {} of {} elements pass{}\n", name, result.count(Verdict::Pass), result.elements().size(),
               result.ok() ? ", worst relative error below 1e-9" : "");
    for (const ReportRow& row : result.rows)
      if (!row.diagnosis.empty()) fmt::print("  {}\n", row.diagnosis);
    return result.ok() && result.worst_error() < 1e-9;
  };
  const bool right = validate("gradient", gradient);
  const bool found = !validate("conjugated", conjugated) && !validate("forgetful", forgetful);
  fmt::print("the right one passes: {}; the wrong ones are found: {}\n", right ? "yes" : "no", found ? "yes" : "no");
}
