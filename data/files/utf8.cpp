#include "data/files/utf8.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace argand {
namespace {

/// Length of the well-formed character that starts at text[0]; 0 if there is none.
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto continues = [&](std::size_t i) { return (byte(i) & 0xC0) == 0x80; };
  const unsigned first = byte(0), second = byte(1);
  if (first < 0x80) return 1;
  if (first < 0xC2 || first > 0xF4 || !continues(1)) return 0;
  if (first < 0xE0) return 2;
  if (first == 0xE0 && second < 0xA0) return 0;  // overlong encoding
  if (first == 0xED && second > 0x9F) return 0;  // surrogates
  if (!continues(2)) return 0;
  if (first < 0xF0) return 3;
  if (first == 0xF0 && second < 0x90) return 0;  // overlong encoding
  if (first == 0xF4 && second > 0x8F) return 0;  // above U+10FFFF
  return continues(3) ? 4 : 0;
}

}  // namespace

std::optional<std::size_t> first_invalid_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = static_cast<unsigned char>(text[i]) < 0x80 ? 1 : character_length(text.substr(i));
    if (length == 0) return i;
    i += length;
  }
  return std::nullopt;
}

char32_t take_character(std::string_view& text) {
  const std::size_t length = character_length(text);
  const auto byte = [&](std::size_t i) { return static_cast<char32_t>(static_cast<unsigned char>(text[i])); };
  char32_t character = length == 0 ? 0xFFFD : length == 1 ? byte(0) : byte(0) & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) character = character << 6 | (byte(i) & 0x3F);
  text.remove_prefix(std::max<std::size_t>(length, 1));
  return character;
}

std::string utf8_of(char32_t c) {
  const auto byte = [](char32_t bits) { return static_cast<char>(bits); };
  const auto more = [&](int shift) { return byte(0x80 | ((c >> shift) & 0x3F)); };
  if (c < 0x80) return {byte(c)};
  if (c < 0x800) return {byte(0xC0 | c >> 6), more(0)};
  if (c < 0x10000) return {byte(0xE0 | c >> 12), more(6), more(0)};
  return {byte(0xF0 | c >> 18), more(12), more(6), more(0)};
}

std::string valid_utf8(std::string_view text) {
  std::string out;
  while (!text.empty()) out += utf8_of(take_character(text));
  return out;
}

std::string on_one_line(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(length, 1));
    const auto byte = static_cast<unsigned char>(character[0]);
    const bool is_control = byte < 0x20 || byte == 0x7F || (byte == 0xC2 && length == 2 && (character[1] & '\xE0') == '\x80');
    if (length == 0)
      out += "\xEF\xBF\xBD";
    else if (is_control || character == "\xE2\x80\xA8" || character == "\xE2\x80\xA9")
      out += ' ';
    else
      out += character;
    text.remove_prefix(character.size());
  }
  return out;
}

/// Characters without a visible form: control characters, line breaks, and marks that change the writing direction in a terminal.
static bool is_invisible(char32_t c) {
  const auto within = [c](char32_t first, char32_t last) { return first <= c && c <= last; };
  return c < 0x20 || within(0x7F, 0x9F) || within(0x200E, 0x200F) || within(0x2028, 0x202E) || within(0x2066, 0x2069);
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 64;
  std::string out = "\"";
  std::string_view rest = text;
  while (!rest.empty() && text.size() - rest.size() < longest) {
    const std::string_view before = rest;
    const char32_t character = take_character(rest);
    const std::string_view bytes = before.substr(0, before.size() - rest.size());
    const bool valid = bytes.size() > 1 || static_cast<unsigned char>(bytes[0]) < 0x80;
    if (valid && !is_invisible(character))
      out += bytes;
    else
      for (const char c : bytes) fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned char>(c));
  }
  return out + (rest.empty() ? "\"" : "…\"");
}

}  // namespace argand
