#include "data/files/utf8.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace argand {
namespace {

/// Length of the well-formed character that starts at `text[0]`, 0 when there is none.
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto continues = [&](std::size_t i) { return (byte(i) & 0xC0) == 0x80; };
  const unsigned first = byte(0), second = byte(1);
  if (first < 0x80) return 1;
  if (first < 0xC2 || first > 0xF4 || !continues(1)) return 0;
  if (first < 0xE0) return 2;
  if (first == 0xE0 && second < 0xA0) return 0;  // overlong
  if (first == 0xED && second > 0x9F) return 0;  // surrogates
  if (!continues(2)) return 0;
  if (first < 0xF0) return 3;
  if (first == 0xF0 && second < 0x90) return 0;  // overlong
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

std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 64;
  std::string out = "\"";
  for (const char c : text.substr(0, longest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7F)
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", byte);
    else
      out += c;
  }
  return out + (text.size() > longest ? "…\"" : "\"");
}

}  // namespace argand
