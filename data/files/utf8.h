#pragma once
/// Validates UTF-8 and makes external text printable.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace argand {

/// The position of the first byte that is not part of well-formed UTF-8 (Unicode 15, table 3-7: no overlong forms, no surrogates,
/// nothing above U+10FFFF), if any.
std::optional<std::size_t> first_invalid_utf8(std::string_view text);

/// Removes and returns the first character of a non-empty text; for invalid UTF-8, returns U+FFFD and removes one byte.
char32_t take_character(std::string_view& text);

/// Replaces every byte that is not part of well-formed UTF-8 by U+FFFD.
std::string valid_utf8(std::string_view text);

/// Encodes the character in UTF-8.
std::string utf8_of(char32_t character);

/// Quotes the text for an error message, with control characters and invalid UTF-8 as \xNN, cut to about 64 bytes.
std::string in_quotes(std::string_view text);

/// Puts the text on one line for display: invalid UTF-8 becomes U+FFFD; control characters (including line breaks) and Unicode's
/// line and paragraph separators become spaces.
std::string on_one_line(std::string_view text);

}  // namespace argand
