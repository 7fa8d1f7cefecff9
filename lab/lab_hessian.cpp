#include "lab/lab_hessian.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "autograd/check/numerical.h"
#include "autograd/hessian.h"
#include "autograd/tape.h"
#include "core/text/text_layout.h"
#include "lab/expression/expression_point.h"
#include "lab/lab_numbers.h"
#include "lab/tape_rounding.h"

namespace argand {
namespace {

using C = std::complex<double>;
using Rows = std::vector<std::vector<double>>;

std::vector<C> gradient_at(const Expression& f, const std::vector<C>& at) {
  Tape tape;
  std::vector<AnyVar> z;
  for (const C number : at) z.emplace_back(variable(Tensor<C>({1}, {number})));
  const Real L = loss_of(f(z));
  if (L.requires_grad()) tape.backward(L);
  std::vector<C> gradient;
  for (const AnyVar& v : z) gradient.push_back(std::get<Complex>(v).grad().data()[0]);
  return gradient;
}

/// Moves the real part (even k) or the imaginary part (odd k) of variable k / 2.
std::vector<C> moved_along(const std::vector<C>& at, std::size_t k, double t) {
  std::vector<C> moved = at;
  moved[k / 2] += t * (k % 2 == 0 ? C(1, 0) : C(0, 1));
  return moved;
}

/// Whether the tape's gradient is a true derivative, not just a convention, on both sides of the point along axis `column`.
bool gradient_is_known(const Expression& f, const std::vector<C>& at, std::size_t column) {
  const double step = 1e-3 * std::max(1.0, std::abs(at[column / 2]));
  for (const double t : {-step, step})
    for (std::size_t k = 0; k < at.size(); ++k)
      if (!tape_rounding(f, moved_along(at, column, t), k).gaps.empty()) return false;
  return true;
}

/// Differentiates the gradient along x_k or y_k, column by column. `rounding` is the gradient's rounding error.
void differentiate_gradient(const Expression& f, double rounding, LabHessian& h) {
  const std::size_t n = 2 * h.at.size();
  h.numerical = h.error = Rows(n, std::vector<double>(n));
  for (std::size_t column = 0; column < n; ++column) {
    const Changes changes = [&](double t, std::span<Change> out) {
      const std::vector<C> there = gradient_at(f, moved_along(h.at, column, t));
      for (std::size_t k = 0; k < there.size(); ++k) {
        const C change = there[k] - h.gradient[k];
        const double own = std::max(8 * double_epsilon * (std::abs(there[k]) + std::abs(h.gradient[k])), rounding);
        out[2 * k] = {change.real(), own};
        out[2 * k + 1] = {change.imag(), own};
      }
    };
    const std::vector<Derivative> derivatives = differentiate(changes, 0, n);
    const bool known = h.gaps.empty() || gradient_is_known(f, h.at, column);
    for (std::size_t row = 0; row < n; ++row) {
      const Derivative& d = derivatives[row];
      const bool jumps = d.jump && std::abs(d.jump_left.value - d.jump_right.value) > d.jump_left.error + d.jump_right.error;
      h.numerical[row][column] = d.central.value;
      h.error[row][column] = known && !jumps && !d.kink ? d.central.error : std::numeric_limits<double>::infinity();
      h.variation = std::max(h.variation, d.variation);
    }
  }
}

/// The Hessian from the tape.
Tensor<double> hessian_at(const Expression& f, const std::vector<C>& at) {
  ParameterList<double> variables;
  std::vector<AnyVar> z;
  for (std::size_t k = 0; k < at.size(); ++k) {
    z.emplace_back(variable(Tensor<C>({1}, {at[k]})));
    variables.push_back({f.variables()[k], z.back()});
  }
  return hessian<double>([&] { return loss_of(f(z)); }, variables);
}

/// The larger number; NaN if either is NaN.
double larger(double a, double b) { return std::isnan(a) || a >= b ? a : b; }

/// If tape and differences disagree, f may change within the smallest step, where differences cannot see it. If the tape's second
/// derivatives do change there, the bars are set to infinity.
void account_for_unresolved_changes(const Expression& f, LabHessian& h) {
  if (h.verdict() != Verdict::Fail) return;
  double apart = 0, changes = 0;
  for (std::size_t column = 0; column < h.real.size(); ++column) {
    const Tensor<double> there = hessian_at(f, moved_along(h.at, column, 4e-11 * std::max(1.0, std::abs(h.at[column / 2]))));
    for (std::size_t row = 0; row < h.real.size(); ++row) {
      apart = std::max(apart, std::abs(h.real[row][column] - h.numerical[row][column]));
      const double change =
          std::abs(there(static_cast<std::int64_t>(row), static_cast<std::int64_t>(column)) - h.real[row][column]);
      changes = larger(changes, change);
    }
  }
  if (changes <= 0.1 * apart) return;
  for (auto& row : h.error) std::fill(row.begin(), row.end(), std::numeric_limits<double>::infinity());
}

/// Computes the gradient's length, using differences where the tape has a gap.
void measure_slope(const Expression& f, double rounding, LabHessian& h) {
  double variance = 0;
  for (std::size_t k = 0; k < h.at.size(); ++k) {
    if (h.gaps.empty()) {
      h.slope = std::hypot(h.slope, std::abs(h.gradient[k]));
      continue;
    }
    const LabNumbers numbers = lab_numbers(f, h.at, k, 0);
    for (const Derivative& d : numbers.partials[0]) {
      h.slope = std::hypot(h.slope, d.central.value);
      variance = std::hypot(variance, d.kink || d.jump ? std::numeric_limits<double>::infinity() : d.central.error);
    }
  }
  h.slope_error = h.gaps.empty() ? rounding * std::sqrt(static_cast<double>(h.at.size())) : variance;
}

/// The largest modulus; NaN if any entry is NaN.
double largest_of(const Rows& rows) {
  double largest = 0;
  for (const auto& row : rows)
    for (const double x : row) largest = larger(largest, std::abs(x));
  return largest;
}

double largest_gradient(const LabHessian& h) {
  double largest = 0;
  for (const C g : h.gradient) largest = std::max(largest, std::abs(g));
  return largest;
}

std::string block_text(const Expression& f, const std::vector<std::vector<C>>& block, bool second_conjugated) {
  std::string text;
  const auto& names = f.variables();
  for (std::size_t j = 0; j < block.size(); ++j) {
    text += "  ";
    for (std::size_t k = 0; k < block.size(); ++k)
      text +=
          padded(fmt::format("∂²L/∂{}∂{}{} = {}", names[j], names[k], second_conjugated ? "̄" : "", complex_text(block[j][k])), 42);
    while (text.back() == ' ') text.pop_back();
    text += "\n";
  }
  return text;
}

}  // namespace

Rows LabHessian::best_estimate() const {
  if (gaps.empty()) return real;
  Rows rows = numerical;
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t k = 0; k < rows.size(); ++k) rows[i][k] = (numerical[i][k] + numerical[k][i]) / 2;
  return rows;
}

double LabHessian::tolerance() const { return 1e-6 * largest_of(real) + largest_of(error); }

Verdict LabHessian::verdict() const {
  const double scale = largest_of(real), bar = largest_of(error);
  if (!gaps.empty() || !std::isfinite(scale) || !std::isfinite(bar) || !std::isfinite(largest_of(numerical)))
    return Verdict::Inconclusive;
  double off = 0;
  for (std::size_t i = 0; i < real.size(); ++i)
    for (std::size_t k = 0; k < real.size(); ++k) {
      const double distance = std::abs(real[i][k] - numerical[i][k]);
      if (distance > 1e-6 * scale + 10 * error[i][k]) return Verdict::Fail;
      off = std::max(off, distance);
    }
  double distance_from_0 = 1;
  for (const C z : at) distance_from_0 = std::max(distance_from_0, std::abs(z));
  const double size = std::max({scale, variation, slope / distance_from_0});
  return off <= tolerance() && (bar <= 1e-4 * size || bar == 0) ? Verdict::Pass : Verdict::Inconclusive;
}

std::string LabHessian::kind() const {
  const double size = largest_of(best_estimate()), bar = largest_of(error);
  if (gaps.empty() && (!std::isfinite(slope) || !std::isfinite(size))) return "not finite";
  if (verdict() == Verdict::Fail || !std::isfinite(size) || !std::isfinite(slope_error)) return "undecided";
  // Points this close to a critical point cannot be distinguished from it when given with nine digits.
  double distance_from_0 = 1;
  for (const C z : at) distance_from_0 = std::max(distance_from_0, std::abs(z));
  if (slope > 10 * slope_error + 1e-9 * size * distance_from_0) return "not a critical point";
  if (!gaps.empty() && slope_error > 1e-4 * std::max(size, variation) * distance_from_0) return "undecided";
  if (!std::isfinite(bar) || (verdict() != Verdict::Pass && gaps.empty())) return "undecided";
  // Eigenvalues no larger than this count as 0. The tape's have only rounding errors; those from differences have error bars.
  const double zero = gaps.empty() ? 1e-9 * size : 10 * static_cast<double>(real.size()) * bar + 1e-6 * size;
  const bool up = eigenvalues.back() > zero, down = eigenvalues.front() < -zero;
  if (up && down) return "a saddle";
  if (std::any_of(eigenvalues.begin(), eigenvalues.end(), [&](double value) { return std::abs(value) <= zero; }))
    return gaps.empty() ? "degenerate" : "undecided";
  return up ? "a minimum" : "a maximum";
}

LabHessian lab_hessian(const Expression& f, const std::vector<C>& at) {
  LabHessian h;
  h.at = at;
  h.gradient = gradient_at(f, at);
  {
    const NoGrad none;
    std::vector<AnyVar> z;
    for (const C number : at) z.emplace_back(constant(Tensor<C>({1}, {number})));
    h.of_real_part = f(z).index() == 1;
  }
  const Tensor<double> H = hessian_at(f, at);
  const std::size_t n = at.size();
  h.real = Rows(2 * n, std::vector<double>(2 * n));
  for (std::size_t row = 0; row < 2 * n; ++row)
    for (std::size_t column = 0; column < 2 * n; ++column)
      h.real[row][column] = H(static_cast<std::int64_t>(row), static_cast<std::int64_t>(column));
  double rounding = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const TapeRounding by_k = tape_rounding(f, at, k);
    if (by_k.gaps.empty() || !h.gaps.empty())
      rounding = std::max(rounding, by_k.parts[0]);
    else
      h.gaps = by_k.gaps;
  }
  if (!h.gaps.empty()) rounding = 0;
  // Assume the usual rounding error of a function, unless the measured one is far larger.
  const double foreseen = rounding > 1e3 * double_epsilon * largest_gradient(h) ? rounding : 0;
  differentiate_gradient(f, foreseen, h);
  measure_slope(f, rounding, h);
  account_for_unresolved_changes(f, h);
  const Rows rows = h.best_estimate();
  h.zz = h.zzbar = std::vector<std::vector<C>>(n, std::vector<C>(n));
  Tensor<double> matrix(H.shape());
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t k = 0; k < n; ++k) {
      // ∂/∂z = (∂/∂x - i ∂/∂y)/2, ∂/∂z̄ = (∂/∂x + i ∂/∂y)/2.
      const double xx = rows[2 * j][2 * k], xy = rows[2 * j][2 * k + 1], yx = rows[2 * j + 1][2 * k],
                   yy = rows[2 * j + 1][2 * k + 1];
      h.zz[j][k] = C(xx - yy, -xy - yx) / 4.0;
      h.zzbar[j][k] = C(xx + yy, xy - yx) / 4.0;
    }
  for (std::size_t row = 0; row < 2 * n; ++row)
    for (std::size_t column = 0; column < 2 * n; ++column)
      matrix(static_cast<std::int64_t>(row), static_cast<std::int64_t>(column)) = rows[row][column];
  h.eigenvalues = symmetric_eigenvalues(matrix);
  return h;
}

std::string hessian_text(const Expression& f, const LabHessian& h, const Style& style) {
  std::string text = style.bold(fmt::format("Second derivatives of L = {}{}", h.of_real_part ? "Re " : "", f.name())) + "\n";
  text += block_text(f, h.zz, false) + block_text(f, h.zzbar, true);
  text += "  the other two blocks are their conjugates, because L is real\n\n  the real Hessian, over (";
  for (std::size_t k = 0; k < f.variables().size(); ++k)
    text += fmt::format("{}Re {}, Im {}", k == 0 ? "" : ", ", f.variables()[k], f.variables()[k]);
  text += ")\n";
  const Rows rows = h.best_estimate();
  double off = 0;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    text += "   ";
    for (std::size_t column = 0; column < rows.size(); ++column) {
      text += fmt::format("  {:>14.8g}", rows[row][column] == 0 ? 0.0 : rows[row][column]);
      off = std::max(off, std::abs(h.real[row][column] - h.numerical[row][column]));
    }
    text += "\n";
  }
  const double bar = largest_of(h.error);
  if (!h.gaps.empty()) {
    text += fmt::format("    by differences of the gradient, ± {:.0e}: the tape is not judged\n", bar);
    text += fmt::format(
        "  {}\n",
        indented(fmt::format("Not judged: {}. From this step on, the tape returns a convention.", joined(h.gaps, "; ")), 2));
  } else {
    const Verdict verdict = h.verdict();
    text += fmt::format("    differences of the gradient are at most {:.0e} away, ± {:.0e}: {}\n", off, bar,
                        verdict == Verdict::Fail   ? style.red("they DIFFER")
                        : verdict == Verdict::Pass ? style.green(fmt::format("they agree to {:.0e}", h.tolerance()))
                                                   : "inconclusive");
  }
  text += "  eigenvalues";
  for (const double value : h.eigenvalues) text += fmt::format("  {:.8g}", value == 0 ? 0.0 : value);
  const std::string kind = h.kind();
  text += "\n  " + style.bold(kind);
  if (kind == "not a critical point") text += fmt::format(": the gradient is {:.4g} long", h.slope);
  if (kind == "degenerate") text += ": along some direction the curvature is 0, and higher derivatives decide";
  if (kind == "undecided") text += ": the error bars are too wide to classify this point";
  return text + "\n";
}

nlohmann::json hessian_json(const LabHessian& h) {
  const auto complex_rows = [](const std::vector<std::vector<C>>& rows) {
    nlohmann::json all = nlohmann::json::array();
    for (const auto& row : rows) {
      nlohmann::json line = nlohmann::json::array();
      for (const C z : row) line.push_back({z.real(), z.imag()});
      all.push_back(line);
    }
    return all;
  };
  return {{"zz", complex_rows(h.zz)},
          {"zzbar", complex_rows(h.zzbar)},
          {"real", h.real},
          {"numerical", h.numerical},
          {"error", h.error},
          {"eigenvalues", h.eigenvalues},
          {"kind", h.kind()},
          {"gaps", h.gaps},
          {"verdict", h.gaps.empty() ? verdict_name(h.verdict()) : "not judged"},
          {"tolerance", h.tolerance()}};
}

}  // namespace argand
