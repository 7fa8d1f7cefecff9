#include "apps/lab/lab_point.h"

#include <algorithm>
#include <cmath>

#include "apps/terminal/text_layout.h"
#include "autograd/tape.h"

namespace argand {
namespace {

using C = std::complex<double>;
const C i(0, 1);

constexpr double tolerance = 1e-8;  // of gradcheck

std::vector<AnyTensor> tensors_of(const std::vector<C>& at) {
  std::vector<AnyTensor> tensors;
  for (const C z : at) tensors.push_back(Tensor<C>({1}, {z}));
  return tensors;
}

/// ∂Re f/∂x, ∂Re f/∂y, ∂Im f/∂x, ∂Im f/∂y.
std::array<std::array<Derivative, 2>, 2> partials_of(const Probe& probe, std::size_t variable) {
  const std::vector<Functional> parts = {{{{0, C(1, 0)}}}, {{{0, C(0, 1)}}}};
  std::array<std::array<Derivative, 2>, 2> partials;
  for (const bool imaginary : {false, true}) {
    const auto d = probe.numerical(variable, 0, imaginary, parts, {});
    for (std::size_t part = 0; part < 2; ++part) partials[part][imaginary ? 1 : 0] = d[part];
  }
  return partials;
}

/// What stands in the way of a derivative, as gradcheck says it.
std::string trouble_of(const LabPoint& point, const std::array<std::array<Derivative, 2>, 2>& partials) {
  if (!std::isfinite(std::abs(point.value))) return "the value is not finite";
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

/// |∂f/∂z| + |∂f/∂z̄| on smaller and smaller circles: where it goes on growing, at least like a logarithm, there is no derivative.
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

/// Notes the ops that have singular points and where they were evaluated; returns the largest modulus on the tape.
double look_at_ops(const Expression& f, const std::vector<C>& at, LabPoint& point) {
  const Tape tape;
  std::vector<AnyVar> vars;
  for (std::size_t k = 0; k < at.size(); ++k) {
    const Tensor<C> z({1}, {at[k]});
    vars.emplace_back(k == point.variable ? variable(z) : constant(z));
  }
  std::vector<TracedOp> trace;
  f.traced(vars, trace);
  point.holomorphic_ops = true;
  double largest = 0;
  for (std::size_t k = 0; k < trace.size(); ++k) {
    const OpText& text = tape.entries()[k].op->text();
    largest = std::max(largest, std::visit([](const auto& v) { return std::abs(v.value().data()[0]); }, trace[k].output));
    point.holomorphic_ops = point.holomorphic_ops && text.kind == Kind::Holomorphic;
    if (text.singular.starts_with("none")) continue;
    std::string operands;
    for (const AnyVar& x : trace[k].inputs)
      operands += (operands.empty() ? "" : ", ") +
                  std::visit([]<class T>(const Var<T>& v) { return complex_text(v.value().data()[0], ComplexScalar<T>); }, x);
    const LabSingularity found{text.name, operands, text.singular};
    const auto same = [&](const LabSingularity& s) { return s.op == found.op && s.at == found.at; };
    if (std::none_of(point.singular.begin(), point.singular.end(), same)) point.singular.push_back(found);
  }
  return largest;
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

bool LabPoint::singular_here() const {
  if (conclusive()) return false;
  // Where the bar tells the derivative from 0, there is one: ops may have singular points, but not here.
  const bool known = dz.error <= 0.1 * std::max(std::abs(dz.numerical), std::abs(dzbar.numerical));
  return !trouble.empty() || (!singular.empty() && !known);
}

LabEllipse ellipse_of(C dz, C dzbar) {
  const double a = std::abs(dz), b = std::abs(dzbar);
  return {a + b, std::abs(a - b), (a - b) * (a + b)};
}

std::array<std::array<double, 2>, 2> jacobian_of(C dz, C dzbar) {
  // f(z + h) = f(z) + ∂f/∂z h + ∂f/∂z̄ h̄ + ...: the columns are what h = 1 and h = i give.
  const C x = dz + dzbar, y = i * (dz - dzbar);
  return {{{x.real(), y.real()}, {x.imag(), y.imag()}}};
}

LabPoint lab_point(const Expression& f, const std::vector<C>& at, std::size_t variable) {
  const std::vector<AnyTensor> inputs = tensors_of(at);
  const Probe probe(f, inputs);
  const TapeWirtinger tape = tape_wirtinger(f, inputs, variable);
  LabPoint point{.at = at, .variable = variable, .value = probe.output()[0], .real = !probe.output_is_complex()};
  point.verdict = wirtinger(f, inputs, variable).verdict;

  const double largest = look_at_ops(f, at, point);
  const auto partials = partials_of(probe, variable);
  Comparison flags;  // of all four
  for (const std::size_t part : {0, 1})
    for (const std::size_t axis : {0, 1}) flags.add(partials[part][axis], axis == 1);
  const C x(partials[0][0].central.value, partials[1][0].central.value),
      y(partials[0][1].central.value, partials[1][1].central.value);
  const auto bar = [&](std::size_t part, std::size_t axis) { return partials[part][axis].central.error; };
  const double bar_x = std::hypot(bar(0, 0), bar(1, 0)), bar_y = std::hypot(bar(0, 1), bar(1, 1));

  // Judged beside the larger of the two derivatives. Both are made from the values on the tape and carry their rounding.
  const double scale = std::max(std::abs(tape.dz[0]), std::abs(tape.dzbar[0]));
  flags.rounding = 8 * std::numeric_limits<double>::epsilon() * largest / std::max(1.0, std::abs(at[variable]));
  flags.allow_rounding(scale);
  const auto judged = [&](C analytic, C numerical, double error, bool kink, bool jump) {
    Comparison c = flags;
    c.analytic = analytic, c.numerical = numerical, c.error = error, c.kink = kink, c.jump = jump;
    return LabFigure{analytic, numerical, error, std::isfinite(scale) ? judge(c, scale, tolerance) : Verdict::Inconclusive};
  };
  const auto figure = [&](C analytic, C numerical, double error) {
    return judged(analytic, numerical, error, flags.kink, flags.jump);
  };
  point.dz = figure(tape.dz[0], (x - i * y) * 0.5, std::hypot(bar_x, bar_y) / 2);
  point.dzbar = figure(tape.dzbar[0], (x + i * y) * 0.5, std::hypot(bar_x, bar_y) / 2);
  point.gradient = figure(std::conj(tape.dz[0]) + tape.dzbar[0], C(x.real(), y.real()), std::hypot(bar(0, 0), bar(0, 1)));
  const auto jacobian = jacobian_of(tape.dz[0], tape.dzbar[0]);
  for (const std::size_t part : {0, 1})
    for (const std::size_t axis : {0, 1})
      point.jacobian[part][axis] = judged(jacobian[part][axis], partials[part][axis].central.value, bar(part, axis),
                                          partials[part][axis].kink, partials[part][axis].jump);
  point.residuals = {Estimate{x.real() - y.imag(), std::hypot(bar(0, 0), bar(1, 1))},
                     Estimate{y.real() + x.imag(), std::hypot(bar(0, 1), bar(1, 0))}};

  if (point.conclusive()) {
    point.singular.clear();
    return point;
  }
  point.trouble = trouble_of(point, partials);
  if (point.trouble.empty()) point.trouble = divergence_of(f, at, variable);
  return point;
}

}  // namespace argand
