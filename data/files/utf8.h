#pragma once
/// Text from outside: is it UTF-8, and how to show it in a message.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace argand {

/// The place of the first byte that is not part of well-formed UTF-8 (Unicode 15, table 3-7: no overlong forms, no surrogates,
/// nothing above U+10FFFF), or nothing.
std::optional<std::size_t> first_invalid_utf8(std::string_view text);

/// Takes the first character off a text that is UTF-8 and not empty; U+FFFD, and one byte, where it is not UTF-8 after all.
char32_t take_character(std::string_view& text);

/// The text with U+FFFD for every byte that is not part of well-formed UTF-8.
std::string valid_utf8(std::string_view text);

/// The character in UTF-8.
std::string utf8_of(char32_t character);

/// The text in quotation marks for an error message: control characters and what is not UTF-8 as \xNN, some 64 bytes of it.
std::string in_quotes(std::string_view text);

/// The text on one line, for programs that draw: what is not UTF-8 becomes U+FFFD, control characters (line ends among them) and
/// the line and paragraph separators of Unicode become spaces.
std::string on_one_line(std::string_view text);

}  // namespace argand
