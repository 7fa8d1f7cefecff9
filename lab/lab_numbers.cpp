#include "lab/lab_numbers.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace argand {
namespace {

using C = std::complex<double>;

bool is_finite(C z) { return std::isfinite(z.real()) && std::isfinite(z.imag()); }

/// The values of f along the real and the imaginary axis of one variable.
class AlongAxes {
 public:
  AlongAxes(const Expression& f, const std::vector<C>& at, std::size_t variable, double rounding)
      : f_(f), at_(at), variable_(variable), centre_(value(at[variable])) {
    // Assume the usual rounding error of a function, unless the measured one is far larger: cancellation in intermediate values may
    // hide every change of f.
    if (!(rounding <= 1e3 * double_epsilon * std::abs(centre_))) rounding_ = rounding;
  }

  C centre() const { return centre_; }
  bool real() const { return real_; }

  /// The derivatives of Re f and Im f, using `base` as the value at the point.
  std::vector<Derivative> derivatives(bool imaginary, C base) {
    const C z = at_[variable_];
    const auto moved = [&](double t) { return imaginary ? C(z.real(), t) : C(t, z.imag()); };
    // A function that does not depend on this coordinate has no rounding error.
    const C probed = value(moved(std::numeric_limits<double>::quiet_NaN()));
    bool reached = std::isnan(probed.real()) || std::isnan(probed.imag());
    const Changes changes = [&](double t, std::span<Change> out) {
      const C w = value(moved(t));
      reached = reached || w != base;
      const double rounding = reached ? std::max(double_epsilon * std::max(std::abs(w), std::abs(base)), rounding_) : 0;
      const C change = reached ? w - base : 0;
      out[0] = {change.real(), rounding};
      out[1] = {change.imag(), real_ ? 0 : rounding};
    };
    return differentiate(changes, imaginary ? z.imag() : z.real(), 2);
  }

  /// The limit of f from all four sides, if they agree.
  std::optional<C> limit() {
    const C base = is_finite(centre_) ? centre_ : 0;
    std::array<Estimate, 2> limits;
    for (const bool imaginary : {false, true}) {
      const std::vector<Derivative> d = derivatives(imaginary, base);
      double size = std::abs(base);
      for (const Derivative& of : d)
        size = std::max({size, std::abs(of.jump_left.value), std::abs(of.jump_right.value), 0.01 * of.variation});
      for (const std::size_t part : {0, 1})
        for (const Estimate& side : {d[part].jump_left, d[part].jump_right}) {
          Estimate& found = limits[part];
          if (!(side.error <= 1e-8 * size)) return std::nullopt;
          if (std::isfinite(found.error) && std::abs(side.value - found.value) > side.error + found.error) return std::nullopt;
          if (side.error < found.error) found = side;
        }
    }
    return base + C(limits[0].value, limits[1].value);
  }

 private:
  C value(C z) {
    std::vector<AnyVar> arguments;
    for (std::size_t k = 0; k < at_.size(); ++k) arguments.emplace_back(constant(Tensor<C>({1}, {k == variable_ ? z : at_[k]})));
    const AnyVar w = f_(arguments);
    real_ = w.index() == 0;
    return std::visit([](const auto& v) { return C(v.value().data()[0]); }, w);
  }

  const Expression& f_;
  const std::vector<C>& at_;
  std::size_t variable_;
  bool real_ = false;
  double rounding_ = 0;
  C centre_;
};

}  // namespace

LabNumbers lab_numbers(const Expression& f, const std::vector<C>& at, std::size_t variable, double rounding) {
  AlongAxes along(f, at, variable, rounding);
  LabNumbers found{.value = along.centre(), .real = along.real()};
  const auto differentiate_from = [&](C base) {
    for (const bool imaginary : {false, true}) {
      const std::vector<Derivative> d = along.derivatives(imaginary, base);
      for (const std::size_t part : {0, 1}) found.partials[part][imaginary ? 1 : 0] = d[part];
    }
  };
  const auto any_jump = [&] {
    return std::any_of(found.partials.begin(), found.partials.end(), [](const auto& row) { return row[0].jump || row[1].jump; });
  };
  differentiate_from(found.value);
  if (is_finite(found.value) && !any_jump()) return found;
  if (const std::optional<C> limit = along.limit()) {
    found.has_limit = true;
    found.limit = *limit;
    differentiate_from(found.limit);
    // The limit has an error, which one-sided slopes would mistake for a jump or a kink.
    for (auto& row : found.partials)
      for (Derivative& d : row) {
        const double apart = std::abs(d.right.value - d.left.value), bars = d.left.error + d.right.error;
        d.jump = false;
        d.kink = apart > 10 * bars && apart > 1e-3 * d.scale;
      }
  }
  return found;
}

}  // namespace argand
