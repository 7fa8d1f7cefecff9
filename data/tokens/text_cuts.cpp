#include "data/tokens/text_cuts.h"

#include <algorithm>

#include "data/files/utf8.h"
#include "data/tokens/unicode_classes.h"

namespace argand {
namespace {

constexpr std::string_view gpt2_regex = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
constexpr std::string_view gpt4_regex =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view qwen2_regex =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

constexpr std::string_view contractions[] = {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"};

/// The length in bytes of the text's leading run of characters of one class, counting at most `most` characters.
template <class Class>
std::size_t run_of(const Class& in_class, std::string_view text, std::size_t most = std::string_view::npos) {
  std::string_view rest = text;
  for (std::string_view next = rest; most > 0 && !next.empty() && in_class(take_character(next)); rest = next) --most;
  return text.size() - rest.size();
}

bool is_sign(char32_t c) { return !is_space(c) && !is_letter(c) && !is_number(c); }
bool is_line_end(char32_t c) { return c == '\r' || c == '\n'; }

/// \s+(?!\S)|\s+: the last of several spaces belongs to the word after them.
std::size_t spaces(std::string_view text) {
  const std::size_t all = run_of(is_space, text);
  if (all == text.size()) return all;
  std::size_t last = all - 1;
  while ((text[last] & '\xC0') == '\x80') --last;
  return last > 0 ? last : all;
}

std::size_t gpt2_word(std::string_view text) {
  for (const std::string_view ending : contractions)
    if (text.starts_with(ending)) return ending.size();
  const std::size_t space = text.starts_with(' ') ? 1 : 0;
  for (bool (*const in_class)(char32_t) : {is_letter, is_number, is_sign})
    if (const std::size_t length = run_of(in_class, text.substr(space)); length > 0) return space + length;
  return spaces(text);
}

/// (?i:'s|'t|'re|'ve|'m|'ll|'d), or 0; besides these letters, only the long s (ſ) matches when case is ignored.
std::size_t contraction_in_any_case(std::string_view text) {
  if (text.starts_with("'\u017F")) return 3;
  const auto same = [](char a, char b) { return a == b || (a >= 'A' && a <= 'Z' && a + ('a' - 'A') == b); };
  for (const std::string_view ending : contractions)
    if (text.size() >= ending.size() &&
        std::equal(ending.begin(), ending.end(), text.begin(), [&](char b, char a) { return same(a, b); }))
      return ending.size();
  return 0;
}

std::size_t gpt4_word(std::string_view text, std::size_t most_digits) {
  if (const std::size_t length = contraction_in_any_case(text); length > 0) return length;
  if (const std::size_t length = run_of(is_letter, text); length > 0) return length;
  if (const std::size_t length = run_of(is_number, text, most_digits); length > 0) return length;
  // One character before the letters, of any kind except a line break, becomes part of their word.
  const std::size_t first = run_of([](char32_t c) { return !is_line_end(c); }, text, 1);
  if (first > 0)
    if (const std::size_t length = run_of(is_letter, text.substr(first)); length > 0) return first + length;
  const std::size_t space = text.starts_with(' ') ? 1 : 0;
  if (std::size_t length = run_of(is_sign, text.substr(space)); length > 0) {
    length += space;
    return length + run_of(is_line_end, text.substr(length));
  }
  const std::size_t line_end = text.substr(0, run_of(is_space, text)).find_last_of("\r\n");
  return line_end != text.npos ? line_end + 1 : spaces(text);
}

}  // namespace

std::size_t first_part(TextCut cut, std::string_view text) {
  switch (cut) {
    case TextCut::Gpt2: return gpt2_word(text);
    case TextCut::Gpt4: return gpt4_word(text, 3);
    case TextCut::Qwen2: return gpt4_word(text, 1);
    case TextCut::Digits:
    case TextCut::EachDigit: break;
  }
  const std::size_t digits = run_of(is_number, text, cut == TextCut::EachDigit ? 1 : text.npos);
  return digits > 0 ? digits : run_of([](char32_t c) { return !is_number(c); }, text);
}

std::optional<TextCut> cut_of_regex(std::string_view regex) {
  if (regex == gpt2_regex) return TextCut::Gpt2;
  if (regex == gpt4_regex) return TextCut::Gpt4;
  if (regex == qwen2_regex) return TextCut::Qwen2;
  return std::nullopt;
}

}  // namespace argand
