#include "lab/lab_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "autograd/wirtinger.h"
#include "core/text/text_layout.h"
#include "lab/lab_point.h"

namespace argand {
namespace {

using C = std::complex<double>;
using AnswerKind = LabAnswer::Kind;

/// The values at one point: the given one, the correct one, and that of the derivative it may be confused with (see take()).
struct AnswerPoint {
  std::vector<C> at;
  C given = 0, right = 0, other = 0;
  double bar = 0;  ///< the error bar of `right` and of `other`
};

bool has_value(C z) { return std::isfinite(z.real()) && std::isfinite(z.imag()); }
/// Whether a and b agree within the rounding of about ten ops. A non-finite number agrees with nothing.
bool alike(C a, C b, double bar = 0) {
  return has_value(a) && std::abs(a - b) <= 1e-10 * std::max({std::abs(a), std::abs(b), 1e-3}) + bar;
}

/// The given point and eight more, with phases all around the circle and moduli from 0.6 to 1.8, different for each variable.
std::vector<std::vector<C>> places(const std::vector<C>& at) {
  std::vector<std::vector<C>> all = {at};
  for (int n = 0; n < 8; ++n) {
    std::vector<C> point;
    for (std::size_t k = 0; k < at.size(); ++k) {
      const double turn = 0.37 + 0.7853 * n + 1.9 * static_cast<double>(k);
      point.push_back(std::polar(0.6 + 0.15 * ((3 * n + static_cast<int>(k)) % 8), turn));
    }
    all.push_back(std::move(point));
  }
  return all;
}

/// Stores the requested derivative as `right`, and the one it may be confused with as `other`: ∂f/∂z̄ for ∂f/∂z, and ∂f/∂z for ∂f/∂z̄
/// or the gradient.
void take(AnswerPoint& p, DerivativeKind asked, C dz, C dzbar) {
  p.right = asked == DerivativeKind::Dz ? dz : asked == DerivativeKind::Dzbar ? dzbar : std::conj(dz) + dzbar;
  p.other = asked == DerivativeKind::Dzbar ? dz : asked == DerivativeKind::Dz ? dzbar : dz;
}

/// Finds the correct derivative at p.at from the tape, or from differences where the tape has a gap. Returns false if there is none
/// to compare with. If `first`, p is the given point, and `note` records what was done.
bool find_right(const Expression& f, std::size_t variable, DerivativeKind asked, bool first, AnswerPoint& p, std::string& note) {
  std::vector<AnyTensor> inputs;
  for (const C z : p.at) inputs.push_back(Tensor<C>({1}, {z}));
  const TapeWirtinger d = tape_wirtinger(f, inputs, variable);
  take(p, asked, d.dz[0], d.dzbar[0]);
  const TapeRounding rounding = tape_rounding(f, p.at, variable);
  if (rounding.gaps.empty()) {
    p.bar = std::min(2 * rounding.derivative(), 1e-3 * (std::abs(d.dz[0]) + std::abs(d.dzbar[0])));
    return has_value(d.value[0]) && has_value(p.right);
  }
  const LabPoint here = lab_point(f, p.at, variable);
  const double size = std::max(std::abs(here.dz.numerical), std::abs(here.dzbar.numerical));
  const bool known = here.has_numerical() && here.dz.error <= 1e-6 * size;
  const C tape = p.right;
  take(p, asked, here.dz.numerical, here.dzbar.numerical);
  p.bar = 10 * (here.dz.error + here.dzbar.error);
  if (first && known)
    note = fmt::format("the tape's value, {}, is a convention: {}; judged by differences, {} ± {:.0e}", complex_text(tape),
                       joined(rounding.gaps, "; "), complex_text(p.right, true, 6), p.bar);
  else if (first)
    note = fmt::format("not judged here: {}, and differences find no derivative", joined(rounding.gaps, "; "));
  return known;
}

/// The names that answers may use: f's variables, and x and y for the variable's parts unless f already has either name.
std::vector<std::string> letters_of_answers(const Expression& f) {
  std::vector<std::string> letters = f.variables();
  for (const char* part : {"x", "y"})
    if (std::find(letters.begin(), letters.end(), part) != letters.end()) return f.variables();
  letters.insert(letters.end(), {"x", "y"});
  return letters;
}

C value_of(const Expression& answer, const std::vector<C>& place, std::size_t variable) {
  std::vector<AnyVar> constants;
  for (const C z : place) constants.emplace_back(constant(Tensor<C>({1}, {z})));
  if (answer.variables().size() > place.size())
    for (const double part : {place[variable].real(), place[variable].imag()})
      constants.emplace_back(constant(Tensor<double>({1}, {part})));
  return std::visit([](const auto& v) { return C(v.value().data()[0]); }, answer(constants));
}

std::vector<AnswerPoint> compare(const Expression& f, const std::vector<C>& at, std::size_t variable, DerivativeKind asked,
                                 const Expression& answer, std::string& note) {
  std::vector<AnswerPoint> points;
  const std::vector<std::vector<C>> all = places(at);
  for (const std::vector<C>& place : all) {
    const bool first = &place == &all.front();
    AnswerPoint p{.at = place};
    p.given = value_of(answer, place, variable);
    if (!find_right(f, variable, asked, first, p, note)) continue;
    if (first && !has_value(p.given)) {  // a correct formula may be undefined at isolated points
      note = fmt::format("the answer is undefined here, where the derivative is {}", complex_text(p.right, true, 6));
      continue;
    }
    points.push_back(std::move(p));
  }
  return points;
}

/// The constant c with given = c · of(point) at every point, if there is one; 1 if both vanish everywhere.
template <class Of>
std::optional<C> common_factor(const std::vector<AnswerPoint>& points, const Of& of) {
  const auto largest = std::max_element(
      points.begin(), points.end(), [&](const AnswerPoint& a, const AnswerPoint& b) { return std::abs(of(a)) < std::abs(of(b)); });
  const C factor = of(*largest) == 0.0 ? C(1) : largest->given / of(*largest);
  const bool fits = std::all_of(points.begin(), points.end(),
                                [&](const AnswerPoint& p) { return alike(p.given, factor * of(p), std::abs(factor) * p.bar); });
  return fits && factor != 0.0 && std::isfinite(std::abs(factor)) ? std::optional(factor) : std::nullopt;
}

/// Removes rounding, so that 2 is shown as 2.
C tidy(C c) {
  const auto part = [](double x) { return std::abs(x - std::round(x * 1e6) / 1e6) < 1e-9 ? std::round(x * 1e6) / 1e6 : x; };
  return {part(c.real()), part(c.imag())};
}

void diagnose(LabAnswer& answer, const std::vector<AnswerPoint>& points) {
  const auto right = [](const AnswerPoint& p) { return p.right; };
  const auto other = [](const AnswerPoint& p) { return p.other; };
  const auto conjugate = [](const AnswerPoint& p) { return std::conj(p.right); };
  const auto is = [&](AnswerKind kind, C by) { answer.kind = kind, answer.by = tidy(by); };
  if (std::all_of(points.begin(), points.end(), [](const AnswerPoint& p) { return alike(p.given, p.right, p.bar); }))
    return is(AnswerKind::Right, 1);
  if (const auto c = common_factor(points, conjugate); c && alike(*c, 1)) return is(AnswerKind::Conjugated, 1);
  if (const auto c = common_factor(points, other); c && alike(*c, 1)) return is(AnswerKind::Swapped, 1);
  if (const auto c = common_factor(points, right)) return is(AnswerKind::Factor, *c);
  if (const auto c = common_factor(points, conjugate)) return is(AnswerKind::Conjugated, *c);
  const C offset = points[0].given - points[0].right;
  if (std::all_of(points.begin(), points.end(), [&](const AnswerPoint& p) { return alike(p.given, p.right + offset, p.bar); }))
    return is(AnswerKind::Offset, offset);
  answer.kind = AnswerKind::Wrong;
}

std::string asked_name(DerivativeKind asked, const std::string& z) {
  if (asked == DerivativeKind::Gradient) return "gradient";
  return fmt::format("∂f/∂{}{}", z, asked == DerivativeKind::Dzbar ? "̄" : "");
}

std::string number_text(C c) { return complex_text(c, c.imag() != 0, 6); }

}  // namespace

LabAnswer judge_answer(const Expression& f, const std::vector<C>& at, std::size_t variable, DerivativeKind asked,
                       const std::string& text) {
  const std::vector<std::string> letters = letters_of_answers(f);
  const Expression given(text, letters);
  require(given.variables() == letters || given.variables() == f.variables(), "answer", "\"{}\" must have the same variables as {}",
          text, f.equation());
  std::string note;
  const std::vector<AnswerPoint> points = compare(f, at, variable, asked, given, note);
  LabAnswer answer{
      .asked = asked, .text = given.text(), .points = points.size(), .at = at, .asked_at = at, .note = std::move(note)};
  if (points.size() < 3) return answer;
  diagnose(answer, points);
  const auto off = std::find_if(points.begin(), points.end(), [](const AnswerPoint& p) { return !alike(p.given, p.right, p.bar); });
  const AnswerPoint& shown = off == points.end() ? points.front() : *off;
  answer.at = shown.at, answer.given = shown.given, answer.right = shown.right;
  return answer;
}

bool same_answer(const Expression& f, const std::vector<C>& at, std::size_t variable, const std::string& one,
                 const std::string& other) {
  const std::vector<std::string> letters = letters_of_answers(f);
  const Expression a(one, letters), b(other, letters);
  const std::vector<std::vector<C>> all = places(at);
  return std::all_of(all.begin(), all.end(), [&](const std::vector<C>& place) {
    return alike(value_of(a, place, variable), value_of(b, place, variable));
  });
}

std::string answer_verdict(const LabAnswer& answer) {
  const auto times = [](C by) {
    if (by == C(2)) return std::string("twice ");
    if (by == C(0.5)) return std::string("half of ");
    if (by == C(-1)) return std::string("minus ");
    return number_text(by) + " times ";
  };
  switch (answer.kind) {
    case AnswerKind::Right: return "right";
    case AnswerKind::Swapped:
      return answer.asked == DerivativeKind::Gradient ? "swapped: this is ∂f/∂z" : "swapped: this is the other derivative";
    case AnswerKind::Conjugated:
      return answer.by == C(1) ? "conjugated: the conjugate of the right answer"
                               : fmt::format("conjugated, and more: this is {}the conjugate of the right one", times(answer.by));
    case AnswerKind::Factor:
      if (answer.by == C(2) || answer.by == C(0.5)) return fmt::format("{}the right one", times(answer.by));
      if (answer.by == C(-1)) return "the sign is wrong: minus the right answer";
      return fmt::format("off by a factor: this is {}the right one", times(answer.by));
    case AnswerKind::Offset: return fmt::format("off by a constant: this is the right one plus {}", number_text(answer.by));
    case AnswerKind::Wrong: return "wrong";
    case AnswerKind::Unknown: return "not judged: f has no derivative at most points";
  }
  return "?";
}

std::string answers_text(const Expression& f, std::size_t variable, const std::vector<LabAnswer>& answers, const Style& style) {
  std::size_t width = 0;
  for (const LabAnswer& a : answers) width = std::max(width, display_width(a.text));
  std::string text;
  for (const LabAnswer& a : answers) {
    const std::string verdict = answer_verdict(a), name = asked_name(a.asked, f.variables()[variable]);
    text += fmt::format("  {}{}  {}\n", padded(name, 12), padded(a.text, width),
                        a.is_right() ? style.green(verdict) : style.red(verdict));
    const auto place_of = [&](const std::vector<C>& at) {
      std::string place;
      for (std::size_t k = 0; k < at.size(); ++k)
        place += fmt::format("{}{} = {}", k == 0 ? "" : ", ", f.variables()[k], number_text(tidy(at[k])));
      return place;
    };
    if (!a.note.empty())
      text += fmt::format("  {}{}\n", padded("", 12), indented(fmt::format("at {} {}", place_of(a.asked_at), a.note), 14));
    if (a.is_right() || a.kind == AnswerKind::Unknown) continue;
    const std::string place = place_of(a.at);
    text += fmt::format("  {}at {} it is {}, should be {}\n", padded("", 12), place, number_text(a.given), number_text(a.right));
  }
  return text;
}

nlohmann::json answer_json(const LabAnswer& a) {
  static const std::vector<std::string> asked = {"dz", "dzbar", "gradient"};
  static const std::vector<std::string> kinds = {"right", "swapped", "factor", "conjugated", "offset", "wrong", "unknown"};
  nlohmann::json json{{"asked", asked[static_cast<std::size_t>(a.asked)]},
                      {"answer", a.text},
                      {"kind", kinds[static_cast<std::size_t>(a.kind)]},
                      {"verdict", answer_verdict(a)},
                      {"by", {a.by.real(), a.by.imag()}},
                      {"points", a.points}};
  if (!a.note.empty()) json["note"] = a.note;
  return json;
}

}  // namespace argand
