#include "autograd/check/independent/incoming_check.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace argand {
namespace {

using Gradients = std::vector<ComplexValues>;

ComplexValues multiplied(ComplexValues values, double factor) {
  for (auto& v : values) v *= factor;
  return values;
}

Gradients multiplied(Gradients g, double factor) {
  for (ComplexValues& input : g) input = multiplied(std::move(input), factor);
  return g;
}

Gradients summed(Gradients a, const Gradients& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t k = 0; k < a[i].size(); ++k) a[i][k] += b[i][k];
  return a;
}

double largest_modulus(const ComplexValues& values) {
  double size = 0;
  for (const auto& v : values) size = std::isnan(std::abs(v)) ? HUGE_VAL : std::max(size, std::abs(v));
  return size;
}

double largest_modulus(const Gradients& g) {
  double size = 0;
  for (const ComplexValues& input : g) size = std::max(size, largest_modulus(input));
  return size;
}

/// The distance between gradients beyond rounding, relative to the largest element of each input's gradient.
class GradientDistance {
 public:
  /// `sizes`: gradients that set the scale of the terms added.
  GradientDistance(const std::vector<const Gradients*>& sizes, const std::vector<std::vector<double>>& rounding)
      : rounding_(rounding) {
    double all = 0;
    scales_.resize(rounding.size());
    for (const Gradients* g : sizes)
      for (std::size_t i = 0; i < g->size(); ++i) {
        scales_[i] = std::max(scales_[i], largest_modulus((*g)[i]));
        all = std::max(all, scales_[i]);
      }
    // A thousandth of anything smaller than this is subnormal and has lost digits.
    floor_ = std::max(1e-12 * all, 1e3 * std::numeric_limits<double>::min());
  }
  double operator()(const Gradients& a, const Gradients& b) const {
    double worst = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
      for (std::size_t k = 0; k < a[i].size(); ++k) {
        const double off = std::abs(a[i][k] - b[i][k]) - 8 * rounding_[i][k] - floor_;
        if (off > 0) worst = std::max(worst, off / scales_[i]);
      }
    return worst;
  }

 private:
  const std::vector<std::vector<double>>& rounding_;
  std::vector<double> scales_;
  double floor_ = 0;
};

IndependentCheck decided(std::string name, Opinion opinion, std::string finding) {
  return {.name = std::move(name), .opinion = opinion, .finding = std::move(finding), .decides = true};
}

}  // namespace

IndependentCheck linear_check(const GradientsFor& gradients, const ComplexValues& W, const ComplexValues& V,
                              const std::vector<std::vector<double>>& rounding, double tolerance) {
  const std::string name = "linear";
  const Gradients g = gradients(W);
  if (!std::isfinite(largest_modulus(g))) return decided(name, Opinion::Silent, "the gradient is not finite");
  double worst = 0;
  // Rounding errors scatter, but mistakes do not: the scatter is measured with nearby factors that are not powers of two.
  const auto scatter = [&](double factor, const Gradients& there, const GradientDistance& distance) {
    double noise = 0;
    for (const double nearby : {0.7, 0.9})
      noise = std::max(noise, distance(multiplied(gradients(multiplied(W, factor * nearby)), 1 / (factor * nearby)), there));
    return std::min(noise, 0.01);
  };
  const auto differs = [&](double error, double noise) { return error > tolerance + 32 * noise; };
  for (const double factor : {1e3, 1e-3}) {
    const Gradients scaled = multiplied(gradients(multiplied(W, factor)), 1 / factor);
    if (!std::isfinite(largest_modulus(scaled)))
      return decided(name, Opinion::Silent, fmt::format("not finite for incoming gradients times {:g}", factor));
    const GradientDistance distance({&g}, rounding);
    const double error = distance(scaled, g);
    worst = std::max(worst, error);
    if (error <= tolerance) continue;
    const double noise = std::max(scatter(1, g, distance), scatter(factor, scaled, distance));
    if (!differs(error, noise)) return decided(name, Opinion::Silent, fmt::format("the gradient varies by {:.0e}", noise));
    return decided(name, Opinion::Disagrees,
                   fmt::format("not linear in the incoming gradient: multiplying that by {:g} does not give {:g} times the "
                               "gradient; relative error {:.1g}",
                               factor, factor, error));
  }
  const Gradients h = gradients(V);
  ComplexValues both = W;
  for (std::size_t k = 0; k < both.size(); ++k) both[k] += V[k];
  const Gradients together = gradients(both);
  if (!std::isfinite(largest_modulus(together)))
    return decided(name, Opinion::Silent, "not finite for a sum of incoming gradients");
  const GradientDistance distance({&g, &h}, rounding);
  const double error = distance(together, summed(g, h));
  worst = std::max(worst, error);
  if (error > tolerance) {
    const double noise = scatter(1, g, GradientDistance({&g}, rounding));
    if (!differs(error, noise)) return decided(name, Opinion::Silent, fmt::format("the gradient varies by {:.0e}", noise));
    return decided(
        name, Opinion::Disagrees,
        fmt::format(
            "not linear in the incoming gradient: the gradient for a sum is not the sum of the gradients; relative error {:.1g}",
            error));
  }
  return decided(name, Opinion::Agrees, fmt::format("relative error {:.0e}", worst));
}

IndependentCheck adds_check(const std::function<Gradients(const Gradients& c, std::span<const std::complex<double>> W)>& added,
                            const ComplexValues& W, const Gradients& g, const std::vector<std::vector<double>>& rounding,
                            double tolerance) {
  const std::string name = "adds";
  if (!std::isfinite(largest_modulus(g))) return decided(name, Opinion::Silent, "the gradient is not finite");
  Gradients c = g;
  for (std::size_t i = 0; i < c.size(); ++i) {
    const double size = largest_modulus(g[i]) > 0 ? largest_modulus(g[i]) : 1;
    const Random random(0xADD, i);
    for (std::size_t k = 0; k < c[i].size(); ++k) c[i][k] = size * (0.5 + random.uniform(k));
  }
  const GradientDistance distance({&g, &c}, rounding);
  const double error = distance(added(c, W), summed(c, g));
  if (error <= tolerance) return decided(name, Opinion::Agrees, fmt::format("relative error {:.0e}", error));
  return decided(name, Opinion::Disagrees,
                 fmt::format("the gradient is not accumulated into an existing one: relative error {:.1g}", error));
}

}  // namespace argand
