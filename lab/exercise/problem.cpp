#include "lab/exercise/problem.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "lab/expression/expression_point.h"
#include "lab/lab_point.h"

namespace argand {
namespace {

using C = std::complex<double>;

/// An answer given to four significant digits counts as correct.
bool same_number(C a, C b) { return std::abs(a - b) <= 1e-3 * std::max(std::abs(b), 1e-2); }

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) text.replace(at, from.size(), to);
  return text;
}

/// "x + iy" as people write it: separates i from a following x, y or z.
std::string with_factors(const std::string& text) {
  const auto is_letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  std::string made;
  for (std::size_t k = 0; k < text.size(); ++k) {
    made += text[k];
    const bool alone = text[k] == 'i' && (k == 0 || !is_letter(text[k - 1])) && k + 1 < text.size() &&
                       (k + 2 == text.size() || !is_letter(text[k + 2]));
    if (alone && std::string_view("xyz").find(text[k + 1]) != std::string_view::npos) made += '*';
  }
  return made;
}

/// Cleans up typed input: drops quotation marks and dollar signs, reads ** as ^ and ½ as 0.5.
std::string cleaned(std::string text) {
  for (const auto& [from, to] : std::vector<std::pair<std::string_view, std::string_view>>{{"**", "^"},
                                                                                           {"½", "0.5"},
                                                                                           {"“", ""},
                                                                                           {"”", ""},
                                                                                           {"\"", ""},
                                                                                           {"'", ""},
                                                                                           {"`", ""},
                                                                                           {"$", ""},
                                                                                           {"\u00a0", " "},
                                                                                           {"\t", " "}})
    text = replaced(std::move(text), from, to);
  const std::size_t begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? "" : with_factors(text.substr(begin, text.find_last_not_of(' ') - begin + 1));
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

AnswerJudgement judge_formula(const Question& question, const std::string& text) {
  const Expression f(question.f);
  const LabAnswer answer = judge_answer(f, question.at, 0, question.asked, text);
  using Kind = LabAnswer::Kind;
  if (!answer.is_right())
    for (const auto& [formula, what, near] : question.mistakes)
      if (same_answer(f, question.at, 0, text, formula))
        return {near ? AnswerJudgement::Kind::Near : AnswerJudgement::Kind::Wrong, what};
  switch (answer.kind) {
    case Kind::Right: return {AnswerJudgement::Kind::Right, "right"};
    case Kind::Swapped: return {AnswerJudgement::Kind::Near, "the other derivative: ∂/∂z and ∂/∂z̄ are swapped"};
    case Kind::Conjugated:
      if (answer.by == C(1)) return {AnswerJudgement::Kind::Near, "conjugated"};
      return {AnswerJudgement::Kind::Wrong, "conjugated, and off by a factor"};
    case Kind::Factor:
      return {AnswerJudgement::Kind::Near, answer.by == C(-1) ? "the sign is wrong" : "right except for a constant factor"};
    case Kind::Offset: return {AnswerJudgement::Kind::Wrong, "off by a constant"};
    case Kind::Wrong: return {AnswerJudgement::Kind::Wrong, "wrong"};
    case Kind::Unknown: return {AnswerJudgement::Kind::Wrong, "undefined at most points"};
  }
  return {AnswerJudgement::Kind::Wrong, "wrong"};
}

/// Whether the text has decimal commas, as in "1,5+2i".
bool has_decimal_comma(const std::string& text) {
  for (std::size_t k = 1; k + 1 < text.size(); ++k)
    if (text[k] == ',' && std::isdigit(static_cast<unsigned char>(text[k - 1])) != 0 &&
        std::isdigit(static_cast<unsigned char>(text[k + 1])) != 0)
      return text.find('(') == std::string::npos;
  return false;
}

AnswerJudgement judge_number(const Question& question, const std::string& text) {
  if (has_decimal_comma(text)) return {AnswerJudgement::Kind::Unreadable, "use a decimal point, as in 1.5-2i, not a comma"};
  const Expression given(text, {});
  if (!given.variables().empty()) return {AnswerJudgement::Kind::Unreadable, "must be a number, without variables"};
  const C value = std::visit([](const auto& v) { return C(v.value().item()); }, given({}));
  if (!std::isfinite(value.real()) || !std::isfinite(value.imag())) return {AnswerJudgement::Kind::Wrong, "this is not finite"};
  if (same_number(value, question.numbers.front().value)) return {AnswerJudgement::Kind::Right, "right"};
  for (std::size_t k = 1; k < question.numbers.size(); ++k)
    if (const auto& [number, what, near] = question.numbers[k]; same_number(value, number))
      return {near ? AnswerJudgement::Kind::Near : AnswerJudgement::Kind::Wrong, what};
  if (std::abs(value - question.numbers.front().value) <= 2e-2 * std::abs(question.numbers.front().value))
    return {AnswerJudgement::Kind::Wrong, "close; give four digits"};
  return {AnswerJudgement::Kind::Wrong, "wrong"};
}

AnswerJudgement judge_word(const Question& question, std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto is_mark = [](char c) { return std::string_view(".)( ").find(c) != std::string_view::npos; };
  while (!text.empty() && is_mark(text.back())) text.pop_back();
  while (!text.empty() && is_mark(text.front())) text.erase(0, 1);
  if (text == question.right) return {AnswerJudgement::Kind::Right, "right"};
  if (std::find(question.words.begin(), question.words.end(), text) != question.words.end())
    return {AnswerJudgement::Kind::Wrong, "wrong"};
  return {AnswerJudgement::Kind::Unreadable, fmt::format("must be one of these words: {}", fmt::join(question.words, ", "))};
}

}  // namespace

int Problem::points() const {
  return std::accumulate(questions.begin(), questions.end(), 0, [](int n, const Question& q) { return n + q.points; });
}

const ProblemFamily* find_problem_family(const std::string& name) {
  const auto& all = problem_families();
  const auto found = std::find_if(all.begin(), all.end(), [&](const ProblemFamily& f) { return f.name == name; });
  return found == all.end() ? nullptr : &*found;
}

AnswerJudgement judge(const Question& question, const std::string& answer) {
  constexpr std::size_t longest = 2000;
  const std::string text = cleaned(answer);
  if (text.empty() || text == "?" || text == "-") return {};
  if (text.size() > longest)
    return {AnswerJudgement::Kind::Unreadable, fmt::format("an answer has at most {} characters", longest)};
  try {
    switch (question.kind) {
      case Question::Kind::Formula: return judge_formula(question, text);
      case Question::Kind::Number: return judge_number(question, text);
      case Question::Kind::Word: return judge_word(question, text);
    }
  } catch (const Error& error) {
    return {AnswerJudgement::Kind::Unreadable, first_line(error.what())};
  }
  return {};
}

Slopes slopes_at(const std::string& f, const std::vector<C>& at, std::size_t variable) {
  const LabPoint point = lab_point(Expression(f), at, variable);
  if (!point.conclusive()) throw Redraw();
  return {point.dz.tape, point.dzbar.tape, point.value};
}

Question ask_formula(std::string text, int points, const std::string& f, DerivativeKind asked, const std::string& right,
                     std::vector<NamedFormula> mistakes, const std::vector<C>& at) {
  Question question{.text = std::move(text),
                    .points = points,
                    .kind = Question::Kind::Formula,
                    .f = f,
                    .at = at,
                    .asked = asked,
                    .mistakes = std::move(mistakes),
                    .right = right};
  const LabAnswer answer = judge_answer(Expression(f), at, 0, asked, right);
  require(answer.is_right(), "exercise", "the expected answer to a problem about {}, {}, is wrong: {}", f, right,
          answer_verdict(answer));
  return question;
}

Question ask_number(std::string text, int points, C right, std::vector<NamedNumber> mistakes) {
  if (!std::isfinite(std::abs(right)) || std::abs(right) < 0.02 || std::abs(right) > 2e4) throw Redraw();
  const std::vector<NamedNumber> usual = {{-right, "the sign is wrong"},
                                          {-std::conj(right), "conjugated, and the sign is wrong", false},
                                          {right / 2.0, "right except for a factor"},
                                          {right * 2.0, "right except for a factor"},
                                          {std::conj(right) / 2.0, "conjugated, and off by a factor", false},
                                          {std::conj(right) * 2.0, "conjugated, and off by a factor", false}};
  mistakes.insert(mistakes.end(), usual.begin(), usual.end());
  std::vector<NamedNumber> numbers = {{right, "right"}};
  mistakes.insert(mistakes.begin(), {std::conj(right), "conjugated"});
  for (NamedNumber& one : mistakes)
    if (!same_number(one.value, right)) numbers.push_back(std::move(one));
  const double size = std::abs(right);
  const auto tidy = [&](double part) { return std::abs(part) < 1e-9 * size ? 0.0 : std::stod(fmt::format("{:.6g}", part)); };
  return {.text = std::move(text),
          .points = points,
          .kind = Question::Kind::Number,
          .numbers = std::move(numbers),
          .right = written({tidy(right.real()), tidy(right.imag())})};
}

Question ask_gradient(std::string text, int points, C right, std::vector<NamedNumber> mistakes) {
  const double smaller = std::min(std::abs(right.real()), std::abs(right.imag()));
  if (smaller < 0.05 * std::abs(right)) throw Redraw();
  return ask_number(std::move(text), points, right, std::move(mistakes));
}

Question ask_word(std::string text, int points, std::vector<std::string> words, const std::string& right) {
  require(std::find(words.begin(), words.end(), right) != words.end(), "exercise", "\"{}\" is not one of the choices", right);
  return {.text = std::move(text), .points = points, .kind = Question::Kind::Word, .words = std::move(words), .right = right};
}

}  // namespace argand
