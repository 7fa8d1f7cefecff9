#pragma once
/// Lower case beyond ASCII.

#include <string>
#include <string_view>

namespace argand {

/// The text with every capital replaced by its small letter, by Unicode's simple case mapping as the C library knows it: one
/// character for one. Python's str.lower() differs in two characters only: it makes two of İ, and maps a Σ that ends a word to ς.
/// Throws Error when the text is not UTF-8.
std::string lowercase(std::string_view text);

}  // namespace argand
