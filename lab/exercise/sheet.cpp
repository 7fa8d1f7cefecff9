#include "lab/exercise/sheet.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <numeric>

#include "core/text/keys.h"
#include "core/text/text_layout.h"
#include "data/files/checksum.h"
#include "data/files/utf8.h"
#include "data/tokens/unicode_compositions.h"

namespace argand {
namespace {

/// Latin letters that Unicode does not decompose into a plain letter and an accent, and their unaccented spellings.
constexpr std::pair<std::u32string_view, const char*> undecomposed[] = {
    {U"Ææ", "ae"}, {U"ÐðĐđ", "d"}, {U"Ħħ", "h"},  {U"ı", "i"}, {U"Ĳĳ", "ij"}, {U"ĸ", "k"},  {U"ĿŀŁł", "l"},
    {U"ŉŊŋ", "n"}, {U"Øø", "o"},   {U"Œœ", "oe"}, {U"ſ", "s"}, {U"ẞß", "ss"}, {U"Ŧŧ", "t"}, {U"Þþ", "th"},
};

/// A Latin letter in lower case without its accents, or a digit; "" for anything else.
std::string plain_letter(char32_t letter) {
  for (std::u32string parts; !(parts = decomposition(letter)).empty();) letter = parts.front();
  if (letter < 128) {
    const int c = static_cast<int>(letter);
    return std::isalnum(c) != 0 ? std::string(1, static_cast<char>(std::tolower(c))) : "";
  }
  for (const auto& [letters, plain] : undecomposed)
    if (letters.find(letter) != std::u32string_view::npos) return plain;
  return "";
}

/// Whether this is an accent that follows its letter as a separate character.
bool is_combining_accent(char32_t letter) { return letter >= 0x300 && letter <= 0x36F; }

std::uint64_t number_of(const std::string& text) {
  const std::string hex = checksum_of(text).substr(0, 16);
  std::uint64_t number = 0;
  std::from_chars(hex.data(), hex.data() + hex.size(), number, 16);
  return number;
}

/// Redraws parameters until they make a good question.
Problem draw_problem(const SheetPlan& plan, const std::string& name) {
  const ProblemFamily* family = find_problem_family(name);
  require(family != nullptr, "exercise", "unknown problem {}", name);
  const std::uint64_t seed = number_of(plan.seed + '\n' + plan.student), stream = number_of(name);
  for (std::uint64_t attempt = 0; attempt < 500; ++attempt) {
    Draw draw(seed + attempt, stream);
    try {
      return family->make(draw);
    } catch (const Redraw&) {
    }
  }
  fail("exercise", "500 draws produced no valid problem of the family {}", name);
}

std::string questions_text(const Problem& problem, std::size_t number, bool answers) {
  std::string text;
  for (std::size_t k = 0; k < problem.questions.size(); ++k) {
    const Question& q = problem.questions[k];
    text += fmt::format("**{}** ({}) {}\n\n", question_name(number, k), counted(q.points, "point"), q.text);
    if (answers) text += fmt::format("> `{}`\n\n", q.right);
  }
  return text;
}

}  // namespace

int Sheet::points() const {
  return std::accumulate(problems.begin(), problems.end(), 0, [](int n, const Problem& p) { return n + p.points(); });
}

std::string student_name(const std::string& given) {
  if (first_invalid_utf8(given)) input_fail("student", "{} is not UTF-8", in_quotes(given));
  std::string name;
  std::size_t characters = 0;
  for (std::string_view rest = given; !rest.empty();) {
    const char32_t c = take_character(rest);
    if (c == U' ' || c == U'\t' || c == U'\u00a0') {
      if (!name.empty() && name.back() != ' ') name += ' ', ++characters;
      continue;
    }
    if (c < 32 || (c >= 127 && c < 160) || c == U'\u2028' || c == U'\u2029')
      input_fail("student", "{} contains a control character", in_quotes(given));
    name += utf8_of(c), ++characters;
  }
  if (!name.empty() && name.back() == ' ') name.pop_back();
  if (name.empty()) input_fail("student", "a name is required; it determines the problems");
  if (characters > 100) input_fail("student", "{} has {} characters; a name may have at most 100", in_quotes(given), characters);
  return name;
}

std::vector<std::string> problem_names(const std::string& list) {
  std::vector<std::string> names, known;
  for (const ProblemFamily& family : problem_families()) known.push_back(family.name);
  std::string name;
  for (const char c : list + ",") {
    if (c == ' ') continue;
    if (c != ',') {
      name += c;
      continue;
    }
    if (find_problem_family(name) == nullptr)
      input_fail("problems", "unknown problem {}{}; `argand exercise list` shows them", in_quotes(name), did_you_mean(name, known));
    if (std::find(names.begin(), names.end(), name) != names.end()) input_fail("problems", "{} is given twice", name);
    names.push_back(std::move(name));
    name.clear();
  }
  return names;
}

std::vector<std::string> problem_names(int level) {
  std::vector<std::string> names;
  for (const ProblemFamily& family : problem_families())
    if (family.level == level) names.push_back(family.name);
  return names;
}

Sheet make_sheet(const SheetPlan& plan) {
  Sheet sheet{.plan = plan, .problems = {}, .mark = {}};
  std::string all = plan.student;
  for (const std::string& name : plan.problems) {
    sheet.problems.push_back(draw_problem(plan, name));
    const Problem& problem = sheet.problems.back();
    all += '\n' + problem.text;
    for (const Question& q : problem.questions) all += '\n' + q.text;
  }
  sheet.mark = checksum_of(all).substr(0, 8);
  return sheet;
}

std::string question_name(std::size_t problem, std::size_t question) {
  return std::to_string(problem + 1) + static_cast<char>('a' + question);
}

std::string sheet_text(const Sheet& sheet, bool answers) {
  const std::string name =
      with_backslashes(sheet.plan.student, "\\`*_{}[]<>()#+-.!|&$~^");  // escape every character that could be markup
  std::string text = fmt::format("# Problems for {}{}\n\n", name, answers ? ": the teacher's copy" : "");
  text += fmt::format(
      "{}, {}, sheet {}. The gradient of a real L is ∂L/∂x + i ∂L/∂y with z = x + iy. Formulas are written as `argand lab` reads "
      "them: `z̄` "
      "or `conj(z)`, `|z|`, `re(z)`, `2*z`. Give numbers exactly or with four digits.\n\n",
      counted(std::ssize(sheet.problems), "problem"), counted(sheet.points(), "point"), sheet.mark);
  for (std::size_t k = 0; k < sheet.problems.size(); ++k) {
    const Problem& problem = sheet.problems[k];
    text += fmt::format("## {}. {}\n\n{}\n\n{}", k + 1, problem.title, problem.text, questions_text(problem, k, answers));
  }
  text.pop_back();
  return text;
}

std::string answer_form(const Sheet& sheet) {
  std::string text = fmt::format(
      "# Write each answer after its \"=\"; leave answers you do not know empty. A formula: 2*z̄*(z^2 + 1), with conj(z) for z̄ if "
      "you like;\n"
      "# a number: 1.5-2i; a word: as the problem names it. Lines that begin with \"#\" are ignored. Leave these three as they "
      "are:\n"
      "student = {}\nproblems = {}\nsheet = {}\n",
      sheet.plan.student, fmt::join(sheet.plan.problems, ","), sheet.mark);
  for (std::size_t k = 0; k < sheet.problems.size(); ++k) {
    text += fmt::format("\n# {}. {}\n", k + 1, sheet.problems[k].title);
    for (std::size_t q = 0; q < sheet.problems[k].questions.size(); ++q) text += question_name(k, q) + " =\n";
  }
  return text;
}

std::string file_name(const std::string& student) {
  std::string name;
  for (std::string_view rest = student; !rest.empty() && name.size() < 60;) {
    const char32_t letter = take_character(rest);
    if (const std::string plain = plain_letter(letter); !plain.empty())
      name += plain;
    else if (!is_combining_accent(letter) && !name.empty() && name.back() != '-')
      name += '-';
  }
  while (!name.empty() && name.back() == '-') name.pop_back();
  return (name.empty() ? "student" : name) + "-" + checksum_of(student).substr(0, 4);
}

}  // namespace argand
