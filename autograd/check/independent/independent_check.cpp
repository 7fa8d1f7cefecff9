#include "autograd/check/independent/independent_check.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "autograd/check/independent/incoming_check.h"
#include "autograd/check/independent/taylor.h"
#include "core/arithmetic.h"

namespace argand {
namespace {

/// The derivative along a direction, computed from the gradient under test.
struct SlopeAlong {
  double value = 0;
  double size = 0;      ///< √ of the sum of its terms' squares: the size of a slope whose terms do not cancel
  double rounding = 0;  ///< bound on its rounding error
  double relative_error(double other) const {
    const double largest = std::max(std::abs(value), std::abs(other));
    return largest == 0 ? 0 : std::abs(value - other) / largest;
  }
};

class IndependentChecks {
 public:
  IndependentChecks(const ScalarProjection& projected, double tolerance, std::uint64_t seed)
      : projected_(projected), tolerance_(tolerance), W_(projected.random_weights(seed, 0)), functionals_{Functional::of(W_)} {
    const std::vector<ComplexValues> g = projected.analytic(W_);
    rounding_ = projected.rounding_of(g, W_);
    for (std::size_t i = 0; i < g.size(); ++i) {
      v_.push_back(random_numbers(Random(seed, 100 + i), g[i].size(), projected.input_is_complex(i)));
      for (std::size_t k = 0; k < g[i].size(); ++k) {
        const double share = real_of(conj_mul(g[i][k], v_[i][k]));
        slope_.value += share;
        slope_.size += share * share;
        slope_.rounding += std::abs(v_[i][k]) * (rounding_[i][k] + 1e-12 * std::abs(g[i][k]));
      }
    }
    slope_.size = std::sqrt(slope_.size);
  }

  IndependentCheck adjoint() const {
    const auto& tangent = projected_.function().tangent;
    if (!tangent) return silent("adjoint", "there is no forward derivative");
    return run_check("adjoint", [&] {
      return compared("adjoint", weighted(numbers_of_output(tangent(projected_.inputs(), direction()))).real());
    });
  }

  IndependentCheck taylor() const {
    const Changes changes = projected_.changes_along(v_, functionals_);
    return run_check("taylor", [&] {
      const auto change = [&](double t) {
        Change c;
        changes(t, {&c, 1});
        return c;
      };
      return judged(taylor_remainder(change, slope_.value, tolerance_ * std::abs(slope_.value) + slope_.rounding));
    });
  }

  IndependentCheck complex_step() const {
    const auto& extended = projected_.function().extended;
    for (std::size_t i = 0; i < v_.size(); ++i)
      if (projected_.input_is_complex(i)) return silent("complex step", "an input is complex already");
    if (projected_.output_is_complex()) return silent("complex step", "the value is complex");
    if (!extended) return silent("complex step", "f takes real numbers only");
    return run_check("complex step", [&] {
      if (const std::string fault = not_analytic(); !fault.empty()) return silent("complex step", fault);
      const auto by_step = [this](double h) { return at(std::complex(0.0, h)).imag() / h; };
      const double tiny = by_step(1e-20), small = by_step(1e-5);
      if (std::abs(tiny - small) > 1e-4 * std::max(std::abs(tiny), std::abs(small)))
        return silent("complex step", "f drops small imaginary parts");  // as products of three terms may: (a + b)(c + d) - ac - bd
      return compared("complex step", tiny);
    });
  }

  IndependentCheck linear(std::uint64_t seed) const {
    return run_check("linear", [&] {
      const ComplexValues V = random_numbers(Random(seed, 99), W_.size(), projected_.output_is_complex());
      return linear_check([this](std::span<const std::complex<double>> W) { return projected_.analytic(W); }, W_, V, rounding_,
                          tolerance_);
    });
  }

 private:
  static IndependentCheck silent(std::string name, std::string why) { return {std::move(name), Opinion::Silent, std::move(why)}; }

  /// Runs a check. If it throws, its opinion is Silent, with the error as the reason.
  template <class Question>
  static IndependentCheck run_check(const std::string& name, const Question& question) {
    try {
      return question();
    } catch (const std::exception& error) {
      return silent(name, error.what());
    }
  }

  IndependentCheck compared(const std::string& name, double derivative) const {
    const double error = std::abs(derivative - slope_.value);
    const double allowed = tolerance_ * std::max(std::abs(derivative), std::abs(slope_.value)) + slope_.rounding;
    if (!std::isfinite(slope_.value)) return {name, Opinion::Disagrees, "the gradient is not finite"};
    if (!std::isfinite(derivative)) return {name, Opinion::Disagrees, fmt::format("its derivative is {}", std::abs(derivative))};
    if (!std::isfinite(allowed)) return silent(name, "rounding hides the remainder");
    return {name, error <= allowed ? Opinion::Agrees : Opinion::Disagrees,
            fmt::format("relative error {:.0e}", slope_.relative_error(derivative))};
  }

  IndependentCheck judged(const TaylorRemainder& r) const {
    const auto said = [](Opinion opinion, std::string finding) { return IndependentCheck{"taylor", opinion, std::move(finding)}; };
    if (!std::isfinite(slope_.value)) return said(Opinion::Disagrees, "the gradient is not finite");
    if (r.bend.steps > 0 && r.bend.order < 1.5)
      return silent("taylor", r.bend.order < 0.5 ? "the value jumps"
                                                 : fmt::format("the remainder grows like t^{:.1f}, not t²", r.bend.order));
    const FittedOrder& fit = r.remainder;
    if (fit.steps == 0) {
      const TaylorRemainder::Step& first = r.steps.front();
      if (first.remainder <= 10 * first.floor && first.floor < 1e-6 * first.t * slope_.size)
        return said(Opinion::Agrees, fmt::format("no remainder at steps up to {:.1g}: f is linear there", first.t));
      return silent("taylor", r.noise > 0 && std::isfinite(first.floor)
                                  ? fmt::format("noise of {:.0e} hides the remainder", first.floor)
                                  : "too few steps show more than rounding");
    }
    const std::string finding = fmt::format("order {:.2f} at steps {:.0e} to {:.0e}", fit.order, fit.smallest, fit.largest);
    if (fit.order >= 1.8) return said(Opinion::Agrees, finding);
    if (fit.order >= 0.8 && fit.order <= 1.2) return said(Opinion::Disagrees, finding);
    return silent("taylor", finding + ": neither 1 nor 2");
  }

  /// The reason why L(x + t v) is not an analytic function of the complex number t; empty if it is. Uses means over a circle around
  /// 0: for an analytic L they equal ∂L/∂t and ∂L/∂t̄ = 0 except for terms in the seventh and higher derivatives.
  std::string not_analytic() const {
    constexpr int points = 8;
    constexpr double radius = 1e-2;
    std::complex<double> centre = 0, d = 0, dbar = 0;
    double largest = 0;
    for (int k = 0; k < points; ++k) {
      const std::complex<double> turn = std::polar(1.0, 2 * std::numbers::pi * (k + 0.5) / points);
      const std::complex<double> value = at(radius * turn);
      largest = std::max(largest, std::abs(value));
      centre += value / double{points};
      d += value * std::conj(turn) / (points * radius);
      dbar += value * turn / (points * radius);
    }
    const std::complex<double> here = weighted(projected_.output());
    if (!std::isfinite(largest)) return "f is not finite for nearby complex numbers";
    if (std::abs(centre - here) > 1e-6 * largest) return "f of complex numbers disagrees with f of real numbers";
    if (std::abs(dbar) > 1e-6 * std::max(std::abs(d), slope_.size) + 1e-12 * largest / radius)
      return fmt::format("f is not analytic within {:g}: ∂L/∂t̄ is {:.1g}, where ∂L/∂t is {:.1g}", radius, std::abs(dbar),
                         std::abs(d));
    return "";
  }

  /// L(x + t v) for complex t, with real W.
  std::complex<double> at(std::complex<double> t) const {
    std::vector<AnyTensor> z;
    const std::vector<AnyTensor> v = direction();
    for (std::size_t i = 0; i < v.size(); ++i)
      z.emplace_back(std::get<Tensor<double>>(projected_.inputs()[i]) + std::get<Tensor<double>>(v[i]) * t);
    const AnyTensor y = projected_.function().extended(z);
    require(y.index() == 1, "complex step", "f returns real numbers for complex inputs");
    return weighted(numbers_of_output(y));
  }

  std::vector<AnyTensor> direction() const { return projected_.like_inputs(v_); }

  ComplexValues numbers_of_output(const AnyTensor& y) const {
    ComplexValues numbers = std::visit([](const auto& t) { return ComplexValues(t.begin(), t.end()); }, y);
    require(numbers.size() == W_.size(), "gradcheck", "{} output values were returned, but f has {}", numbers.size(), W_.size());
    return numbers;
  }

  /// Σ conj(W) y.
  std::complex<double> weighted(const ComplexValues& y) const {
    std::complex<double> sum = 0;
    for (std::size_t k = 0; k < y.size(); ++k) sum += conj_mul(W_[k], y[k]);
    return sum;
  }

  const ScalarProjection& projected_;
  double tolerance_;
  ComplexValues W_;
  std::vector<Functional> functionals_;
  std::vector<ComplexValues> v_;
  std::vector<std::vector<double>> rounding_;  // rounding errors of the gradient
  SlopeAlong slope_;
};

}  // namespace

std::string_view opinion_name(Opinion opinion) {
  switch (opinion) {
    case Opinion::Agrees: return "agrees";
    case Opinion::Disagrees: return "disagrees";
    case Opinion::Silent: return "silent";
  }
  return "";
}

IndependentCheck differences_check(Verdict verdict, double relative_error) {
  switch (verdict) {
    case Verdict::Pass:
    case Verdict::Fail:
      return {"differences", verdict == Verdict::Pass ? Opinion::Agrees : Opinion::Disagrees,
              std::isfinite(relative_error) ? fmt::format("relative error {:.0e}", relative_error) : "the gradient is not finite"};
    case Verdict::Kink: return {"differences", Opinion::Silent, "there is a kink"};
    case Verdict::BranchCut: return {"differences", Opinion::Silent, "the value jumps"};
    case Verdict::Inconclusive: break;
  }
  return {"differences", Opinion::Silent, "the error bar is too wide"};
}

std::vector<IndependentCheck> independent_checks(const ScalarProjection& projected, double tolerance, std::uint64_t seed) {
  const IndependentChecks checks(projected, tolerance, seed);
  return {checks.adjoint(), checks.taylor(), checks.complex_step(), checks.linear(seed)};
}

bool any_disagrees(std::span<const IndependentCheck> checks) {
  return std::any_of(checks.begin(), checks.end(), [](const IndependentCheck& c) { return c.opinion == Opinion::Disagrees; });
}

}  // namespace argand
