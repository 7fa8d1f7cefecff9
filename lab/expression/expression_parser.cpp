#include "lab/expression/expression_parser.h"

#include <algorithm>
#include <cctype>
#include <numbers>
#include <optional>
#include <utility>

#include "core/machine/number.h"
#include "core/text/keys.h"
#include "core/text/text_layout.h"
#include "data/files/utf8.h"

namespace argand {
namespace {

using Action = ExpressionStep::Action;

struct Constant {
  std::string name;
  std::complex<double> value;
};
const std::vector<Constant>& constants() {
  static const std::vector<Constant> all = {{"i", {0, 1}}, {"pi", std::numbers::pi}, {"e", std::numbers::e}};
  return all;
}

/// Characters that books, browsers and word processors use instead of those of the grammar.
constexpr std::pair<std::string_view, char> written_otherwise[] = {{"−", '-'}, {"–", '-'},      {"·", '*'},     {"⋅", '*'},
                                                                   {"×", '*'}, {"\\cdot", '*'}, {"\u00a0", ' '}};
constexpr std::string_view superscripts[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// One recursive function per level of precedence:
///
///     sum      product { (+|-) product }
///     product  unary { (*|/) unary }
///     unary    (-|+) unary  |  power
///     power    primary [ ^* ] [ ^ unary | superscript ]  so that a^b^c = a^(b^c), -z^2 = -(z^2) and 2^-z needs no parentheses
///            | number power                   2z and 2(z + 1): a number before a name or a parenthesis, 2z^2 = 2*(z^2)
///     primary  number  |  name  |  name(sum, ...)  |  (sum)  |  {sum}  |  "|" sum "|"  |  \bar primary
///
/// After / and ^ a product must be written with *, because 1/2z is ambiguous. The same holds before a bar: where an operand should
/// begin, a bar opens a modulus; anywhere else it closes one.
class Parser {
 public:
  Parser(std::string_view text, const std::vector<std::string>& default_variables)
      : parsed_{.text = on_one_line(text), .name = "f", .variables = default_variables, .steps = {}} {}

  ParsedExpression parse() {
    if (parsed_.text.find('=') != std::string::npos) header();
    sum();
    if (peek() != '\0') fail_trailing();
    return std::move(parsed_);
  }

 private:
  static constexpr int deepest = 100;  // a limit because the parser recurses once per level

  /// The next character that is not a space, of `width_` bytes; '\0' at the end.
  char peek() {
    for (;; at_ += width_) {
      const std::string_view rest = std::string_view(parsed_.text).substr(at_);
      if (rest.empty()) return '\0';
      char c = rest[0];
      width_ = 1;
      for (const auto& [text, means] : written_otherwise)
        if (rest.starts_with(text)) c = means, width_ = text.size();
      if (std::isspace(static_cast<unsigned char>(c)) == 0) return c;
    }
  }
  bool take(char c) {
    if (peek() != c) return false;
    at_ += width_;
    remember_token(at_ - width_, at_);
    return true;
  }
  bool take_text(std::string_view text) {
    if (!std::string_view(parsed_.text).substr(at_).starts_with(text)) return false;
    at_ += text.size();
    return true;
  }
  /// Remembers the last token, for hints in error messages.
  void remember_token(std::size_t begin, std::size_t end) { last_ = parsed_.text.substr(begin, end - begin); }
  [[noreturn]] void wrong(const std::string& message) const { wrong(at_, message); }
  [[noreturn]] void wrong(std::size_t at, const std::string& message) const { expression_fail(parsed_.text, at, message); }

  std::string identifier() {
    peek();
    const std::size_t begin = at_;
    if (at_ < parsed_.text.size() && is_letter(parsed_.text[at_]))
      while (at_ < parsed_.text.size() && (is_letter(parsed_.text[at_]) || is_digit(parsed_.text[at_]))) ++at_;
    if (at_ > begin) remember_token(begin, at_);
    return parsed_.text.substr(begin, at_ - begin);
  }

  /// The token at this position: a whole number, a name or a single character.
  std::string token() {
    if (peek() == '\0') return "the end";
    const std::string& text = parsed_.text;
    std::size_t end = at_ + 1;
    if (text[at_] == '\\') {
      while (end < text.size() && is_letter(text[end])) ++end;
      if (end < text.size() && text[end] == '{') end = std::min(text.find('}', end), text.size() - 1) + 1;
      if (end + 1 < text.size() && text[end] == ' ' && is_letter(text[end + 1])) end += 2;
    } else if (is_letter(text[at_]) || is_digit(text[at_]))
      while (end < text.size() && (is_letter(text[end]) || is_digit(text[end]) || text[end] == '.')) ++end;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) ++end;  // the rest of a UTF-8 character
    return text.substr(at_, end - at_);
  }

  bool is_pi() const { return std::string_view(parsed_.text).substr(at_).starts_with("π"); }

  /// The bar over a letter, as in z̄: a combining macron or overline.
  bool take_bar() { return take_text("\u0304") || take_text("\u0305"); }

  /// The number written as a superscript, as in z² or z⁻¹.
  std::optional<double> superscript() {
    peek();
    const std::size_t begin = at_;
    const bool negative = take_text("⁻");
    double value = 0;
    const std::size_t digits = at_;
    for (bool more = true; more;) {
      more = false;
      for (std::size_t digit = 0; digit < std::size(superscripts) && !more; ++digit)
        if (take_text(superscripts[digit])) value = 10 * value + static_cast<double>(digit), more = true;
    }
    if (at_ == begin) return std::nullopt;
    if (at_ == digits) wrong("an exponent is missing");
    return negative ? -value : value;
  }

  /// Parses the header "f(z, w) =" if there is one.
  void header() {
    const std::string rule = "the left-hand side must be a name with its variables, as in f(z) = ... or f(z, w) = ...";
    has_header_ = true;
    parsed_.name = identifier();
    if (parsed_.name.empty() || !take('(')) wrong(rule);
    parsed_.variables.clear();
    do {
      peek();
      const std::size_t begin = at_;
      const std::string name = identifier();
      if (name.empty()) wrong(rule);
      if (is_constant(name)) wrong(begin, name + " is a constant and cannot be a variable");
      if (find_expression_function(name) != nullptr) wrong(begin, name + " is a function and cannot be a variable");
      if (variable(name) < parsed_.variables.size()) wrong(begin, name + " is given twice");
      parsed_.variables.push_back(name);
    } while (take(','));
    if (!take(')') || !take('=')) wrong(rule);
  }

  std::size_t sum() {
    const std::size_t begin = product();
    for (char c = peek(); c == '+' || c == '-'; c = peek()) {
      take(c);
      product();
      call(expression_operator(c), begin);
    }
    return begin;
  }

  std::size_t product() {
    const std::size_t begin = unary();
    for (char c = peek(); c == '*' || c == '/'; c = peek()) {
      take(c);
      if (c == '*' && peek() == '*') wrong("write a power with ^");
      unary(c == '/' ? c : '\0');
      call(expression_operator(c), begin);
    }
    return begin;
  }

  /// Parses a unary expression. `after` is the preceding / or ^, or '\0' if there is none.
  std::size_t unary(char after = '\0') {
    const char c = peek();
    if (c != '-' && c != '+') return power(after);
    const std::size_t begin = at_;
    take(c);
    enter();
    unary(after);
    --depth_;
    if (c == '-') call(expression_operator('~'), begin);
    return begin;
  }

  std::size_t power(char after) {
    const bool number = is_digit(peek()) || peek() == '.';
    const std::size_t begin = primary();
    bool raised = take('^');
    if (raised && take('*')) {  // z^* is the conjugate
      call(*find_expression_function("conj"), begin);
      remember_token(begin, at_);
      raised = take('^');
    }
    if (raised) {
      enter();
      unary('^');
      --depth_;
      parsed_.steps.push_back({.action = Action::Power, .begin = begin});
    } else if (const std::size_t above = at_; const auto exponent = superscript()) {
      parsed_.steps.push_back({.action = Action::Number, .number = *exponent, .begin = above});
      parsed_.steps.push_back({.action = Action::Power, .begin = begin});
      remember_token(begin, at_);
    } else if (const char next = peek(); number && (is_letter(next) || next == '(' || next == '\\' || is_pi())) {
      if (after != '\0') fail_ambiguous(after);
      enter();
      power('\0');
      --depth_;
      call(expression_operator('*'), begin);
    }
    return begin;
  }

  /// Rejects ambiguous products such as 1/2z and 2^2z.
  [[noreturn]] void fail_ambiguous(char after) {
    const std::string next = token();
    wrong(fmt::format("ambiguous; write {0}({1}*{2}{3} or {0}{1}*{2}", after, last_, next, next == "(" ? "...))" : ")"));
  }

  std::size_t primary() {
    const char c = peek();
    const std::size_t begin = at_;
    if (is_digit(c) || c == '.') {
      number();
    } else if (is_letter(c)) {
      name();
    } else if (take_text("π") || take_text("\\pi")) {
      remember_token(begin, at_);
      parsed_.steps.push_back({.action = Action::Number, .number = std::numbers::pi, .begin = begin});
    } else if (take_text("\\bar") || take_text("\\overline")) {
      enter();
      primary();
      --depth_;
      call(*find_expression_function("conj"), begin);
      remember_token(begin, at_);
    } else if (take('(') || take('{')) {
      const char closing = c == '(' ? ')' : '}';
      enter();
      sum();
      if (peek() == ',') wrong("a comma can only separate the arguments of a function; a pair (1, 2) is written 1+2i");
      if (!take(closing)) fail_trailing(fmt::format("\"{}\" is missing before {}", closing, quoted(token())));
      --depth_;
      remember_token(begin, at_);
    } else if (take('|')) {
      enter();
      sum();
      if (!take('|')) fail_trailing("the second \"|\" of a modulus is missing before " + quoted(token()));
      --depth_;
      call(*find_expression_function("abs"), begin);
      remember_token(begin, at_);
    } else if (c == '\\') {
      wrong("TeX is limited to \\bar{z}, z^*, \\cdot and \\pi; write a quotient as a/b and a function as sin(z)");
    } else {
      wrong(fmt::format("expected a number, a variable, a function or \"(\" here, found {}", quoted(token())));
    }
    return begin;
  }

  /// Parses a number: 2, 1.5e-3, .5, or one of these followed by i or the engineers' j.
  void number() {
    const std::string& text = parsed_.text;
    const std::size_t begin = at_;
    double value = 0;
    const auto [end, error] = number_from(text.data() + at_, text.data() + text.size(), value);
    if (error == std::errc::result_out_of_range) wrong("this number overflows double precision");
    if (error != std::errc()) wrong("a decimal point alone is not a number");
    at_ = static_cast<std::size_t>(end - text.data());
    const bool more = at_ + 1 < text.size() && (is_letter(text[at_ + 1]) || is_digit(text[at_ + 1]));
    const bool imaginary = at_ < text.size() && (text[at_] == 'i' || is_unit_j(text.substr(at_, 1))) && !more;
    if (imaginary) ++at_;
    remember_token(begin, at_);
    parsed_.steps.push_back(
        {.action = Action::Number, .number = imaginary ? std::complex(0.0, value) : std::complex(value, 0.0), .begin = begin});
  }

  void name() {
    const std::size_t begin = at_;
    const std::string word = identifier();
    const ExpressionFunction* function = find_expression_function(word);
    const bool called = peek() == '(';
    if (const std::size_t index = variable(word); index < parsed_.variables.size()) {
      if (called) wrong(fmt::format("{} is a variable, not a function; write {}*(", word, word));
      parsed_.steps.push_back({.action = Action::Variable, .index = index, .begin = begin});
      if (take_bar()) call(*find_expression_function("conj"), begin), remember_token(begin, at_);
    } else if (is_constant(word) || is_unit_j(word)) {
      parsed_.steps.push_back({.action = Action::Number, .number = constant(is_unit_j(word) ? "i" : word), .begin = begin});
    } else if (word == "pow" && called) {
      wrong(begin, "write a power as a^b");
    } else if (function != nullptr && called) {
      arguments(*function, begin);
    } else if (function != nullptr) {
      wrong(begin, fmt::format("{} is a function; write {}({})", word, word, function->parameters));
    } else {
      unknown(word, begin, called);
    }
  }

  void arguments(const ExpressionFunction& function, std::size_t begin) {
    const std::string word = last_;
    take('(');
    enter();
    std::size_t count = 0;
    if (peek() != ')') {
      do {
        sum();
        ++count;
      } while (take(','));
    }
    if (!take(')')) fail_trailing(fmt::format("\")\" of {}( is missing before {}", word, quoted(token())));
    --depth_;
    if (count != function.takes.size())
      wrong(begin, fmt::format("{} takes {} argument{}, {}({}), but was given {}", word, function.takes.size(),
                               function.takes.size() == 1 ? "" : "s", word, function.parameters, count));
    call(function, begin);
    remember_token(begin, at_);
  }

  /// Whether the word is "zbar", "z_conj", ..., names that other programs use for a conjugate.
  bool looks_like_conjugate(const std::string& word) const {
    for (const std::string end : {"bar", "_bar", "conj", "_conj", "star", "_star", "b", "c"})
      if (word.ends_with(end) && variable(word.substr(0, word.size() - end.size())) < parsed_.variables.size()) return true;
    return false;
  }

  [[noreturn]] void unknown(const std::string& word, std::size_t begin, bool called) const {
    std::vector<std::string> known;
    if (called) {
      for (const ExpressionFunction& f : expression_functions()) {
        known.push_back(f.name);
        known.insert(known.end(), f.aliases.begin(), f.aliases.end());
      }
      wrong(begin, fmt::format("unknown function {}{}", word, did_you_mean(word, known)));
    }
    if (parsed_.variables.empty()) wrong(begin, fmt::format("{} is not a number; write one as 1+2i, pi or exp(i*pi/4)", word));
    if (looks_like_conjugate(word)) wrong(begin, "write a conjugate as conj(z) or z̄");
    std::string given;
    for (const std::string& v : parsed_.variables) given += (given.empty() ? "" : ", ") + v;
    if (!has_header_ && parsed_.variables.size() > 1) wrong(begin, fmt::format("unknown variable {}; there are {}", word, given));
    wrong(begin,
          fmt::format("unknown variable {}; variables are named on the left: {}({}, {}) = ...", word, parsed_.name, given, word));
  }

  /// Reports unexpected text after the end of the expression, a parenthesis or an argument.
  [[noreturn]] void fail_trailing(const std::string& otherwise = "") {
    const char c = peek();
    const std::string next = token();
    if (is_letter(c) || is_digit(c) || c == '.' || c == '(' || c == '\\')
      wrong(fmt::format("a product needs a * sign: write {}*{}", last_, next));
    if (c == '|') wrong("a modulus has a \"|\" on either side, as in 2*|z|");
    if (c == '\'') wrong("write a conjugate as conj(z)");
    if (c == '=') wrong("only one = is allowed");
    if (!otherwise.empty()) wrong(otherwise);
    if (c == ')' || c == '}') wrong(fmt::format("unmatched \"{}\"", c));
    if (c == ',') wrong("a comma can only separate the arguments of a function");
    wrong(fmt::format("expected an operator (+ - * / ^) or the end here, found {}", quoted(next)));
  }

  static std::string quoted(const std::string& token) { return token == "the end" ? token : "\"" + token + "\""; }

  void enter() {
    if (++depth_ > deepest) wrong(fmt::format("nested more than {} deep", deepest));
  }
  void call(const ExpressionFunction& function, std::size_t begin) {
    parsed_.steps.push_back({.action = Action::Call, .function = &function, .begin = begin});
  }
  std::size_t variable(const std::string& name) const {
    const auto& all = parsed_.variables;
    return static_cast<std::size_t>(std::find(all.begin(), all.end(), name) - all.begin());
  }
  /// j means i unless it is a variable.
  bool is_unit_j(const std::string& name) const { return name == "j" && variable(name) == parsed_.variables.size(); }
  static bool is_constant(const std::string& name) {
    return std::any_of(constants().begin(), constants().end(), [&](const Constant& c) { return c.name == name; });
  }
  static std::complex<double> constant(const std::string& name) {
    return std::find_if(constants().begin(), constants().end(), [&](const Constant& c) { return c.name == name; })->value;
  }

  ParsedExpression parsed_;
  std::size_t at_ = 0, width_ = 1;
  std::string last_;
  int depth_ = 0;
  bool has_header_ = false;
};

}  // namespace

void expression_fail(const std::string& text, std::size_t at, const std::string& message) {
  input_fail("expression", "{}\n  {}\n  {:>{}}", message, text, "^", display_width(text.substr(0, at)) + 1);
}

ParsedExpression parse_expression(std::string_view text, const std::vector<std::string>& default_variables) {
  return Parser(text, default_variables).parse();
}

}  // namespace argand
