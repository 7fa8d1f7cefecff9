#pragma once
/// Lower-casing for all of Unicode.

#include <string>
#include <string_view>

namespace argand {

/// Converts every upper-case letter to lower case, by the C library's simple one-to-one Unicode mapping. Python's str.lower()
/// differs only in that it turns İ into two characters and a word-final Σ into ς. Throws Error if the text is not UTF-8.
std::string lowercase(std::string_view text);

}  // namespace argand
