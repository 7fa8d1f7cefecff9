#include "lab/lab_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/text/text_layout.h"

namespace argand {
namespace {

using C = std::complex<double>;

/// Names for z = x + iy and f = u + iv that are not variables of f.
struct PartLetters {
  std::string x, y, u, v;
};
PartLetters part_letters(const Expression& f) {
  using Pair = std::pair<std::string, std::string>;
  const auto free_of = [&](const std::vector<Pair>& pairs) {
    const auto taken = [&](const std::string& name) {
      return std::find(f.variables().begin(), f.variables().end(), name) != f.variables().end();
    };
    const auto found = std::find_if(pairs.begin(), pairs.end(), [&](const Pair& p) { return !taken(p.first) && !taken(p.second); });
    return found == pairs.end() ? pairs.back() : *found;
  };
  const auto [x, y] = free_of({{"x", "y"}, {"s", "t"}, {"α", "β"}});
  const auto [u, v] = free_of({{"u", "v"}, {"p", "q"}, {"μ", "ν"}});
  return {x, y, u, v};
}

std::string verdict_word(const LabPoint& p, const LabFigure& figure, const Style& style) {
  if (figure.verdict == Verdict::Pass) return style.green(fmt::format("agree to {:.0e}", figure.tolerance()));
  if (figure.verdict == Verdict::Fail) return style.red("DIFFER");
  return p.gaps.empty() ? "inconclusive" : "not judged";
}

std::string bar(double error) { return fmt::format("± {:.0e}", error); }

/// Whether the differences give a meaningful value here.
bool has_numerical(const LabFigure& figure) {
  return figure.verdict != Verdict::Kink && figure.verdict != Verdict::BranchCut && std::isfinite(figure.error);
}
/// A numerical derivative; a part whose error bar includes 0 is shown as 0.
std::string numerical_text(const LabFigure& figure, bool is_complex, int digits = 10) {
  if (figure.verdict == Verdict::Kink || figure.verdict == Verdict::BranchCut) return "none";
  if (!std::isfinite(figure.error)) return "unknown";
  const auto part = [&](double x) { return std::abs(x) <= figure.error ? 0 : x; };
  return complex_text({part(figure.numerical.real()), part(figure.numerical.imag())}, is_complex, digits);
}
std::string bar_of(const LabFigure& figure) { return has_numerical(figure) ? bar(figure.error) : ""; }

std::string figure_line(const std::string& label, const LabPoint& p, const LabFigure& figure, const Style& style) {
  return fmt::format("  {}{}{}{}{}\n", padded(label, 12), padded(complex_text(figure.tape), 30),
                     padded(numerical_text(figure, true), 30), padded(bar_of(figure), 9), verdict_word(p, figure, style));
}

/// Explains what the tape cannot determine, and whether differences can.
std::string gaps_text(const LabPoint& p) {
  return fmt::format("Not judged: {}. From this step on, the tape returns a convention, not a derivative{}.", joined(p.gaps, "; "),
                     p.has_numerical() ? "; the numerical one is shown beside it" : "");
}

/// Explains why the error bars are too wide.
std::string width_text(const LabPoint& p) {
  const double size = std::max(std::abs(p.dz.tape), std::abs(p.dzbar.tape)), rounding = std::max(p.dz.rounding, p.dzbar.rounding);
  if (rounding <= 1e-3 * size || rounding <= p.dz.error) return "the error bars are too wide to tell";
  return fmt::format("rounding may have moved the tape's derivatives by {:.0e}", rounding);
}

/// What the numerical residuals show at this point, and what the kinds of ops imply about its surroundings.
std::string cauchy_riemann_text(const Expression& f, const LabPoint& p) {
  const std::string z = f.variables()[p.variable];
  constexpr const char* too_wide = "inconclusive: the error bars are too wide.";
  if (!p.gaps.empty()) return "not judged: the tape has no derivative to compare with.";
  if (!p.conclusive()) return p.is_singular() ? "inconclusive: there is no derivative to compare with." : too_wide;
  switch (p.verdict) {
    case CauchyRiemann::Holomorphic:
      return p.holomorphic_ops
                 ? fmt::format("they hold, ∂f/∂{}̄ = 0: f is holomorphic here, and so is every op on its tape.", z)
                 : fmt::format(
                       "they hold at this point, ∂f/∂{}̄ = 0. Not every op on the tape is holomorphic, so look at other "
                       "points before calling f holomorphic.",
                       z);
    case CauchyRiemann::Antiholomorphic:
      return fmt::format("they do not hold: ∂f/∂{0} = 0 and ∂f/∂{0}̄ is not, so f is antiholomorphic here.", z);
    case CauchyRiemann::RealValued:
      return fmt::format("they do not hold: f is real, so ∂f/∂{0}̄ = conj(∂f/∂{0}), and that is not 0.", z);
    case CauchyRiemann::General: return fmt::format("they do not hold: f depends on both {0} and {0}̄.", z);
    case CauchyRiemann::Inconclusive: break;
  }
  return too_wide;
}

/// Describes the image of a small circle, from |a| and |b|.
std::string ellipse_text(const std::string& z, const LabPoint& p) {
  const LabEllipse e = ellipse_of(p.dz.tape, p.dzbar.tape);
  const auto number = [](double x) { return complex_text(x, false, 7); };
  const std::string letters = fmt::format("a = ∂f/∂{0}, b = ∂f/∂{0}̄", z);
  if (e.longer <= 2 * p.dz.rounding) return fmt::format("  A small circle becomes a point, to first order: {} are 0\n", letters);
  if (p.real) return fmt::format("  A small circle becomes a segment, {}: half-length |a| + |b| = {}\n", letters, number(e.longer));
  return fmt::format("  A small circle becomes an ellipse, {}: det J = |a|² - |b|² = {},\n", letters, number(e.determinant)) +
         fmt::format("  half-axes |a| + |b| = {} and ||a| - |b|| = {}\n", number(e.longer), number(e.shorter));
}

std::string jacobian_text(const Expression& f, const LabPoint& p) {
  const std::string z = f.variables()[p.variable];
  const auto [x, y, u, v] = part_letters(f);
  std::string text = fmt::format("\n  Jacobian, {} = {} + i{}{}\n", z, x, y, p.real ? "" : fmt::format(", f = {} + i{}", u, v));
  const std::vector<std::string> rows = p.real ? std::vector<std::string>{"f"} : std::vector<std::string>{u, v};
  for (std::size_t part = 0; part < rows.size(); ++part) {
    text += "  ";
    for (const std::size_t axis : {0, 1}) {
      const LabFigure& entry = p.jacobian[part][axis];
      const std::string label = fmt::format("∂{}/∂{} = {}", rows[part], axis == 0 ? x : y, complex_text(entry.tape, false));
      const std::string numerical = numerical_text(entry, false, 4), bar = bar_of(entry);
      text += padded(fmt::format("{} ({}{}{})", padded(label, 24), numerical, bar.empty() ? "" : " ", bar), 49);
    }
    while (text.back() == ' ') text.pop_back();
    text += "\n";
  }
  return p.conclusive() ? text + ellipse_text(z, p) : text;
}

std::string conventions_text(const Expression& f, const LabPoint& p) {
  const std::string z = f.variables()[p.variable];
  std::string text = p.real ? std::string("\n  Gradient of L = f\n")
                            : std::string("\n  Gradient of L = Re f (only a real number has a gradient, and f is complex)\n");
  const auto rows = convention_rows(f, p);
  if (rows.size() == 1) {
    text += fmt::format("  {}{}   {}\n", padded(rows[0].framework, 12), rows[0].call, complex_text(rows[0].value));
    return text + "    At such a point frameworks choose freely; others need not return this.\n";
  }
  std::size_t width = 0;
  for (const ConventionRow& row : rows) width = std::max(width, display_width(row.call) + 3);
  for (const ConventionRow& row : rows)
    text += fmt::format("  {}{}{}\n", padded(row.framework, 12), padded(row.call, width), complex_text(row.value));
  const PartLetters l = part_letters(f);
  text +=
      fmt::format("    argand, PyTorch, TensorFlow: ∂L/∂{1} + i ∂L/∂{2} = 2 ∂L/∂{0}̄, steepest ascent; {0} -= lr * grad descends\n",
                  z, l.x, l.y);
  text += fmt::format("    JAX: ∂L/∂{1} - i ∂L/∂{2} = 2 ∂L/∂{0}, its conjugate; {0} -= lr * conj(grad) descends\n", z, l.x, l.y);
  if (rows.size() > 4)
    text += fmt::format("    JAX, holomorphic=True: f'({0}) = ∂f/∂{0}; the gradients above are conj(f'), JAX's f' itself\n", z);
  else if (!p.real && p.conclusive())
    text += "    jax.grad(f, holomorphic=True) returns the same without a warning, though f' does not exist here\n";
  return text;
}

}  // namespace

std::string_view verdict_of(const LabPoint& p, const LabFigure& figure) {
  return figure.verdict == Verdict::Inconclusive && !p.gaps.empty() ? "not judged" : verdict_name(figure.verdict);
}

std::vector<ConventionRow> convention_rows(const Expression& f, const LabPoint& p) {
  const std::string z = f.variables()[p.variable];
  std::string arguments, which;
  for (const std::string& v : f.variables()) arguments += (arguments.empty() ? "" : ", ") + v;
  if (p.variable > 0) which = fmt::format(", argnums={}", p.variable);
  const C g = p.gradient.tape;
  const std::string jax = p.real ? fmt::format("jax.grad(f{})({})", which, arguments)
                                 : fmt::format("jax.grad(lambda {0}: f({0}).real{1})({0})", arguments, which);
  std::vector<ConventionRow> rows = {{"argand", fmt::format("backward({}); {}.grad()", p.real ? "f" : "real(f)", z), g},
                                     {"PyTorch", fmt::format("{}.backward(); {}.grad", p.real ? "f" : "f.real", z), g},
                                     {"TensorFlow", fmt::format("tape.gradient({}, {})", p.real ? "f" : "tf.math.real(f)", z), g},
                                     {"JAX", jax, std::conj(g)}};
  if (p.is_singular() && !p.failed())
    rows.resize(1);  // the values of other frameworks at singular points are not known
  else if (!p.real && p.verdict == CauchyRiemann::Holomorphic)
    rows.push_back({"", fmt::format("jax.grad(f{}, holomorphic=True)({})", which, arguments), p.dz.tape});
  return rows;
}

std::string point_text(const Expression& f, const LabPoint& p, const Style& style) {
  const std::string z = f.variables()[p.variable];
  std::string place;
  for (std::size_t k = 0; k < p.at.size(); ++k)
    place += fmt::format("{}{} = {}", k == 0 ? "" : ", ", f.variables()[k], complex_text(p.at[k]));
  std::string text = style.bold(fmt::format("At {}", place));
  if (p.at.size() > 1) text += fmt::format(", with respect to {}", z);
  text += fmt::format("\n\n  {}{}\n", padded("f", 12), complex_text(p.value, !p.real));
  if (p.has_limit) text += fmt::format("  {}{}\n", padded("around", 12), complex_text(p.limit, !p.real));
  text += style.dim(fmt::format("\n  {}{}{}\n", padded("", 12), padded("by the tape", 30), "numerically"));
  text += figure_line(fmt::format("∂f/∂{}", z), p, p.dz, style);
  text += figure_line(fmt::format("∂f/∂{}̄", z), p, p.dzbar, style);
  if (!p.conclusive()) {
    text += "\n";
    if (!p.gaps.empty()) text += fmt::format("  {}\n", indented(gaps_text(p), 2));
    if (p.failed()) text += fmt::format("  {}\n", style.red("The numerical derivatives contradict the tape."));
    const std::string why = p.trouble.empty() ? width_text(p) : p.trouble;
    if (!p.failed() && (p.gaps.empty() || !p.trouble.empty()))
      text += fmt::format("  {}\n", indented("Not decided numerically: " + why + ".", 2));
    if (!p.singular.empty()) text += "  Ops on the tape that have singular points:\n";
    for (const LabSingularity& s : p.singular)
      text += fmt::format("    {}\n", indented(fmt::format("{}({}): {}", s.op, s.at, s.text), 6));
  }
  text += jacobian_text(f, p);
  const auto [x, y, u, v] = part_letters(f);
  text += fmt::format("\n  Cauchy-Riemann equations ∂{2}/∂{0} = ∂{3}/∂{1}, ∂{2}/∂{1} = -∂{3}/∂{0}\n", x, y, u, v);
  text += fmt::format("    {}\n", indented(cauchy_riemann_text(f, p), 4));
  if (p.conclusive()) {
    const auto residual = [](const Estimate& e) {
      return fmt::format("{:.4g} {}", std::abs(e.value) <= e.error ? 0 : e.value, bar(e.error));
    };
    text += fmt::format("    numerically ∂{2}/∂{0} - ∂{3}/∂{1} = {4}, ∂{2}/∂{1} + ∂{3}/∂{0} = {5}\n", x, y, u, v,
                        residual(p.residuals[0]), residual(p.residuals[1]));
  }
  return text + conventions_text(f, p);
}

nlohmann::json point_json(const Expression& f, const LabPoint& p) {
  const auto pair = [](C z) { return nlohmann::json::array({z.real(), z.imag()}); };
  const auto figure = [&](const LabFigure& x) {
    constexpr double none = std::numeric_limits<double>::quiet_NaN();  // becomes null in JSON
    return nlohmann::json{{"tape", pair(x.tape)},
                          {"numerical", pair(has_numerical(x) ? x.numerical : C(none, none))},
                          {"error", has_numerical(x) ? x.error : none},
                          {"tolerance", x.tolerance()},
                          {"verdict", verdict_of(p, x)}};
  };
  nlohmann::json json{{"by", f.variables()[p.variable]},
                      {"value", pair(p.value)},
                      {"real", p.real},
                      {"dz", figure(p.dz)},
                      {"dzbar", figure(p.dzbar)},
                      {"gradient", figure(p.gradient)},
                      {"cauchy_riemann", cauchy_riemann_name(p.conclusive() ? p.verdict : CauchyRiemann::Inconclusive)},
                      {"gaps", p.gaps},
                      {"trouble", p.trouble}};
  if (p.has_limit) json["limit"] = pair(p.limit);
  const LabEllipse e = ellipse_of(p.dz.tape, p.dzbar.tape);
  json["ellipse"] = {{"half_axes", {e.longer, e.shorter}}, {"determinant", e.determinant}};
  for (std::size_t k = 0; k < p.at.size(); ++k) json["at"][f.variables()[k]] = pair(p.at[k]);
  for (const std::size_t part : {0, 1})
    for (const std::size_t axis : {0, 1}) json["jacobian"][part][axis] = p.jacobian[part][axis].tape.real();
  for (const ConventionRow& row : convention_rows(f, p))
    json["conventions"].push_back({{"framework", row.framework}, {"call", row.call}, {"value", pair(row.value)}});
  return json;
}

}  // namespace argand
