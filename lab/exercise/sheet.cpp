#include "lab/exercise/sheet.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <numeric>

#include "core/text/keys.h"
#include "core/text/text_layout.h"
#include "data/files/checksum.h"
#include "data/files/utf8.h"

namespace argand {
namespace {

/// Latin letters with accents, and those that are written as two without them.
struct Accented {
  char32_t first, last;
  const char* plain;
};
constexpr Accented accented[] = {
    {0xC0, 0xC5, "a"},     {0xC6, 0xC6, "ae"},    {0xC7, 0xC7, "c"},     {0xC8, 0xCB, "e"},     {0xCC, 0xCF, "i"},
    {0xD0, 0xD0, "d"},     {0xD1, 0xD1, "n"},     {0xD2, 0xD6, "o"},     {0xD8, 0xD8, "o"},     {0xD9, 0xDC, "u"},
    {0xDD, 0xDD, "y"},     {0xDE, 0xDE, "th"},    {0xDF, 0xDF, "ss"},    {0xE0, 0xE5, "a"},     {0xE6, 0xE6, "ae"},
    {0xE7, 0xE7, "c"},     {0xE8, 0xEB, "e"},     {0xEC, 0xEF, "i"},     {0xF0, 0xF0, "d"},     {0xF1, 0xF1, "n"},
    {0xF2, 0xF6, "o"},     {0xF8, 0xF8, "o"},     {0xF9, 0xFC, "u"},     {0xFD, 0xFD, "y"},     {0xFE, 0xFE, "th"},
    {0xFF, 0xFF, "y"},     {0x100, 0x105, "a"},   {0x106, 0x10D, "c"},   {0x10E, 0x111, "d"},   {0x112, 0x11B, "e"},
    {0x11C, 0x123, "g"},   {0x124, 0x127, "h"},   {0x128, 0x131, "i"},   {0x132, 0x133, "ij"},  {0x134, 0x135, "j"},
    {0x136, 0x138, "k"},   {0x139, 0x142, "l"},   {0x143, 0x14B, "n"},   {0x14C, 0x151, "o"},   {0x152, 0x153, "oe"},
    {0x154, 0x159, "r"},   {0x15A, 0x161, "s"},   {0x162, 0x167, "t"},   {0x168, 0x173, "u"},   {0x174, 0x175, "w"},
    {0x176, 0x178, "y"},   {0x179, 0x17E, "z"},   {0x1A0, 0x1A1, "o"},   {0x1AF, 0x1B0, "u"},   {0x218, 0x219, "s"},
    {0x21A, 0x21B, "t"},   {0x1EA0, 0x1EB7, "a"}, {0x1EB8, 0x1EC7, "e"}, {0x1EC8, 0x1ECB, "i"}, {0x1ECC, 0x1EE3, "o"},
    {0x1EE4, 0x1EF1, "u"}, {0x1EF2, 0x1EF9, "y"},
};

/// A Latin letter in lower case without its accent, or a digit; "" for anything else.
std::string plain_letter(char32_t letter) {
  if (letter < 128) {
    const int c = static_cast<int>(letter);
    return std::isalnum(c) != 0 ? std::string(1, static_cast<char>(std::tolower(c))) : "";
  }
  for (const auto& [first, last, plain] : accented)
    if (letter >= first && letter <= last) return plain;
  return "";
}

/// Of letters whose accent follows them as a character of its own.
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
      "# Write each answer behind its \"=\" and leave empty what you do not know. A formula: 2*z̄*(z^2 + 1), with conj(z) for z̄ if "
      "you like;\n"
      "# a number: 1.5-2i; a word: as the problem names it. What \"#\" begins is not read. Leave these three lines as they are:\n"
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
