#pragma once
/// Lower-casing beyond ASCII.

#include <string>
#include <string_view>

namespace argand {

/// Replaces every upper-case letter by its lower-case one, with Unicode's simple one-to-one case mapping in the C library. Python's
/// str.lower() differs in two characters only: it turns İ into two, and a word-final Σ into ς. Throws Error when the text is not
/// UTF-8.
std::string lowercase(std::string_view text);

}  // namespace argand
