#include "lab/lab_point.h"

#include <algorithm>
#include <cmath>

#include "core/text/text_layout.h"
#include "lab/lab_numbers.h"

namespace argand {
namespace {

using C = std::complex<double>;
const C i(0, 1);

constexpr double relative_tolerance = 1e-8;  // gradcheck's tolerance

std::vector<AnyTensor> tensors_of(const std::vector<C>& at) {
  std::vector<AnyTensor> tensors;
  for (const C z : at) tensors.push_back(Tensor<C>({1}, {z}));
  return tensors;
}

/// Describes what prevents a derivative from existing, in gradcheck's words.
std::string describe_trouble(const LabPoint& point, const std::array<std::array<Derivative, 2>, 2>& partials) {
  const bool finite = std::isfinite(point.value.real()) && std::isfinite(point.value.imag());
  if (point.has_limit)
    return fmt::format("{}, and f tends to {} along both axes",
                       finite ? "the value differs from the limit around it" : "the value is not finite",
                       complex_text(point.limit, !point.real));
  if (!finite) return "the value is not finite";
  for (const bool jump : {true, false})
    for (const std::size_t part : {0, 1})
      for (const std::size_t axis : {0, 1}) {
        const Derivative& d = partials[part][axis];
        if (!(jump ? d.jump : d.kink && !d.jump)) continue;
        const char* of = point.real ? "f" : part == 0 ? "Re f" : "Im f";
        const char* along = axis == 0 ? "real" : "imaginary";
        if (jump)
          return fmt::format("{} has a cut here: along the {} axis it jumps by {:.6g}", of, along,
                             d.jump_right.value - d.jump_left.value);
        return fmt::format("{} has a kink here: along the {} axis its derivative is {:.6g} from one side, {:.6g} from the other",
                           of, along, d.left.value, d.right.value);
      }
  return "";
}

/// |∂f/∂z| + |∂f/∂z̄| on smaller and smaller circles: if it keeps growing, at least logarithmically, there is no derivative.
std::string divergence_of(const Expression& f, const std::vector<C>& at, std::size_t variable) {
  const std::vector<double> distances = {1e-2, 1e-4, 1e-6, 1e-8};
  std::vector<double> largest;
  for (const double r : distances) {
    constexpr std::int64_t directions = 8;
    std::vector<AnyTensor> around;
    for (std::size_t k = 0; k < at.size(); ++k) {
      Tensor<C> points = Tensor<C>::full({directions}, at[k]);
      for (std::int64_t n = 0; k == variable && n < directions; ++n)
        points.data()[n] += std::polar(r, 0.3 + 0.7 * static_cast<double>(n));
      around.push_back(std::move(points));
    }
    const TapeWirtinger there = tape_wirtinger(f, around, variable);
    double most = 0;
    for (std::size_t n = 0; n < there.dz.size(); ++n) most = std::max(most, ellipse_of(there.dz[n], there.dzbar[n]).longer);
    largest.push_back(most);
  }
  const bool grows = largest[1] > largest[0] && largest[2] - largest[1] > 0.9 * (largest[1] - largest[0]) &&
                     largest[3] - largest[2] > 0.9 * (largest[2] - largest[1]) && largest[3] > 1.5 * largest[0];
  if (!grows || !std::isfinite(largest[3])) return "";
  return fmt::format(
      "the derivative grows without bound towards this point: |∂f/∂{0}| + |∂f/∂{0}̄| reaches {1:.3g} at a distance of 0.01, {2:.3g} "
      "at "
      "1e-4, {3:.3g} at 1e-6",
      f.variables()[variable], largest[0], largest[1], largest[2]);
}

/// Whether f changes so close to the point that few or no steps of the differences can resolve the change: the tape's derivatives
/// change by more than a tenth of `apart`, and converge to those at the point as the distance goes to 0, as far as rounding allows.
bool changes_within_steps(const Expression& f, const std::vector<C>& at, std::size_t variable, const TapeWirtinger& tape,
                          double apart, double rounding) {
  const double size = std::abs(at[variable]);
  double changes[] = {0, 0};
  for (const bool closest : {false, true}) {
    const double distance = closest ? (size > 0 ? 8 * double_epsilon * size : 1e-300) : 1e-7 * std::max(1.0, size);
    constexpr std::int64_t directions = 8;
    std::vector<AnyTensor> around;
    for (std::size_t k = 0; k < at.size(); ++k) {
      Tensor<C> points = Tensor<C>::full({directions}, at[k]);
      for (std::int64_t n = 0; k == variable && n < directions; ++n)
        points.data()[n] += std::polar(distance * (n % 2 == 0 ? 1 : 0.7), 0.3 + 0.7 * static_cast<double>(n));
      around.push_back(std::move(points));
    }
    const TapeWirtinger there = tape_wirtinger(f, around, variable);
    for (std::size_t n = 0; n < there.dz.size(); ++n) {
      const double change = std::hypot(std::abs(there.dz[n] - tape.dz[0]), std::abs(there.dzbar[n] - tape.dzbar[0]));
      if (!(change <= changes[closest ? 1 : 0]))
        changes[closest ? 1 : 0] = std::isnan(change) ? std::numeric_limits<double>::infinity() : change;
    }
  }
  return changes[0] > 0.1 * apart && (changes[1] < 0.5 * changes[0] || changes[1] < 0.1 * apart || rounding > 0.01 * apart);
}

/// Whether both one-sided derivatives equal the central one. (The central one alone would call log |x| smooth at 0.) Required of
/// differences that nothing else confirms.
bool one_sided_agree(const std::array<std::array<Derivative, 2>, 2>& partials) {
  double size = 0;
  for (const auto& row : partials)
    for (const Derivative& d : row) size = std::max({size, std::abs(d.central.value), d.variation});
  for (const auto& row : partials)
    for (const Derivative& d : row)
      for (const Estimate& side : {d.left, d.right})
        if (!(side.error <= 1e-3 * size) || std::abs(side.value - d.central.value) > 10 * (side.error + d.central.error))
          return false;
  return true;
}

/// Classifies f by the tape's derivatives, treating values within rounding as 0; used for derivatives confirmed numerically.
CauchyRiemann cauchy_riemann_of(const LabPoint& p) {
  const auto vanishes = [&](C derivative) { return std::abs(derivative) <= p.dz.rounding; };
  if (vanishes(p.dzbar.tape)) return CauchyRiemann::Holomorphic;
  if (p.real) return CauchyRiemann::RealValued;
  if (vanishes(p.dz.tape)) return CauchyRiemann::Antiholomorphic;
  return vanishes(p.dzbar.tape - std::conj(p.dz.tape)) ? CauchyRiemann::RealValued : CauchyRiemann::General;
}

}  // namespace

bool LabPoint::failed() const {
  const auto fails = [](const LabFigure& figure) { return figure.verdict == Verdict::Fail; };
  return fails(dz) || fails(dzbar) || fails(gradient);
}

bool LabPoint::conclusive() const {
  const auto passes = [](const LabFigure& figure) { return figure.verdict == Verdict::Pass; };
  return passes(dz) && passes(dzbar) && passes(gradient);
}

bool LabPoint::is_singular() const {
  if (conclusive()) return false;
  // If the error bar excludes 0, the derivative exists: the ops have singular points, but not here.
  const bool known = dz.error <= 0.1 * std::max(std::abs(dz.numerical), std::abs(dzbar.numerical));
  return !gaps.empty() || !trouble.empty() || (!singular.empty() && !known);
}

bool LabPoint::has_numerical() const {
  const auto has = [](const LabFigure& figure) {
    return figure.verdict != Verdict::Kink && figure.verdict != Verdict::BranchCut && std::isfinite(figure.error);
  };
  return has(dz) && has(dzbar) && has(gradient);
}

double LabFigure::tolerance() const {
  return relative_tolerance * std::max(std::abs(tape), std::abs(numerical)) + rounding + error;
}

LabEllipse ellipse_of(C dz, C dzbar) {
  const double a = std::abs(dz), b = std::abs(dzbar);
  return {a + b, std::abs(a - b), (a - b) * (a + b)};
}

std::array<std::array<double, 2>, 2> jacobian_of(C dz, C dzbar) {
  // f(z + h) = f(z) + ∂f/∂z h + ∂f/∂z̄ h̄ + ...: the columns are the results for h = 1 and h = i.
  const C x = dz + dzbar, y = i * (dz - dzbar);
  return {{{x.real(), y.real()}, {x.imag(), y.imag()}}};
}

LabPoint lab_point(const Expression& f, const std::vector<C>& at, std::size_t variable) {
  const TapeWirtinger tape = tape_wirtinger(f, tensors_of(at), variable);
  TapeRounding rounding = tape_rounding(f, at, variable);
  // If the rounding error of f has no bound here, use the bound at a nearby point.
  std::vector<C> beside = at;
  beside[variable] += 1e-3 * C(0.6, 0.8) * std::max(1.0, std::abs(at[variable]));
  const double value_rounding = rounding.gaps.empty() ? rounding.value : tape_rounding(f, beside, variable).value;
  const LabNumbers numbers = lab_numbers(f, at, variable, value_rounding);
  const auto& partials = numbers.partials;
  LabPoint point{.at = at, .variable = variable, .value = numbers.value, .real = numbers.real};
  point.has_limit = numbers.has_limit, point.limit = numbers.limit;
  point.gaps = std::move(rounding.gaps), point.holomorphic_ops = rounding.holomorphic_ops;

  Comparison flags;  // the flags of all four partial derivatives
  for (const std::size_t part : {0, 1})
    for (const std::size_t axis : {0, 1}) flags.add(partials[part][axis], axis == 1);
  const C x(partials[0][0].central.value, partials[1][0].central.value),
      y(partials[0][1].central.value, partials[1][1].central.value);
  const auto bar = [&](std::size_t part, std::size_t axis) { return partials[part][axis].central.error; };
  const double bar_x = std::hypot(bar(0, 0), bar(1, 0)), bar_y = std::hypot(bar(0, 1), bar(1, 1));

  // Errors are judged relative to the larger of the two derivatives.
  const double scale = std::max(std::abs(tape.dz[0]), std::abs(tape.dzbar[0]));
  const auto jacobian = jacobian_of(tape.dz[0], tape.dzbar[0]);
  double apart = 0;  // the largest distance between tape and differences where they disagree
  for (const std::size_t part : {0, 1})
    for (const std::size_t axis : {0, 1}) {
      const double distance = std::abs(jacobian[part][axis] - partials[part][axis].central.value);
      if (distance > bar(part, axis) + relative_tolerance * scale) apart = std::max(apart, distance);
    }
  const bool blind = point.gaps.empty() ? apart > 0 && std::isfinite(apart) &&
                                              changes_within_steps(f, at, variable, tape, apart, rounding.derivative())
                                        : !one_sided_agree(partials);
  const auto seen = [&](double error) { return blind ? std::numeric_limits<double>::infinity() : error; };
  if (!std::isfinite(scale) && point.gaps.empty()) point.gaps.push_back("an intermediate derivative overflows");
  const auto judged = [&](C analytic, C numerical, double error, double tape_error, bool kink, bool jump) {
    Comparison c = flags;
    c.analytic = analytic, c.numerical = numerical, c.error = seen(error), c.kink = kink, c.jump = jump;
    c.rounding = tape_error + 4 * double_epsilon * scale;
    LabFigure result{analytic, numerical, c.error, c.rounding, judge(c, scale, relative_tolerance)};
    if (kink || jump) return result;
    // If f is constant, only its value sets the scale.
    const bool wide =
        !c.varies && result.tolerance() > 1e-6 * std::max(1.0, std::abs(point.value)) / std::max(1.0, std::abs(at[variable]));
    if (!point.gaps.empty() || wide) result.verdict = Verdict::Inconclusive;
    return result;
  };
  const auto figure = [&](C analytic, C numerical, double error, double tape_error) {
    return judged(analytic, numerical, error, tape_error, flags.kink, flags.jump);
  };
  point.dz = figure(tape.dz[0], (x - i * y) * 0.5, std::hypot(bar_x, bar_y) / 2, rounding.derivative());
  point.dzbar = figure(tape.dzbar[0], (x + i * y) * 0.5, std::hypot(bar_x, bar_y) / 2, rounding.derivative());
  point.gradient =
      figure(std::conj(tape.dz[0]) + tape.dzbar[0], C(x.real(), y.real()), std::hypot(bar(0, 0), bar(0, 1)), rounding.parts[0]);
  for (const std::size_t part : {0, 1})
    for (const std::size_t axis : {0, 1})
      point.jacobian[part][axis] = judged(jacobian[part][axis], partials[part][axis].central.value, bar(part, axis),
                                          rounding.parts[part], partials[part][axis].kink, partials[part][axis].jump);
  point.residuals = {Estimate{x.real() - y.imag(), std::hypot(bar(0, 0), bar(1, 1))},
                     Estimate{y.real() + x.imag(), std::hypot(bar(0, 1), bar(1, 0))}};

  if (point.conclusive()) {
    point.verdict = cauchy_riemann_of(point);
    return point;
  }
  point.singular = std::move(rounding.singular);
  point.trouble = describe_trouble(point, partials);
  if (point.trouble.empty() && blind && point.gaps.empty())
    point.trouble = "f changes closer to this point than the smallest step of the differences";
  if (point.trouble.empty()) point.trouble = divergence_of(f, at, variable);
  return point;
}

}  // namespace argand
