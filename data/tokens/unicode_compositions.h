#pragma once
/// Which characters are made of others. Hangul syllables follow a rule instead (normalization.cpp).

#include <span>
#include <string>
#include <string_view>

namespace argand {

struct Composition {
  char32_t whole, first, second;  ///< "é" is "e" and an accent
};

/// The one or two characters that this one is canonically equal to, of Unicode 14; empty for one that is not made of others. They
/// may be made of others again.
std::u32string decomposition(char32_t character);

/// The pairs that are written as one character in the form NFC, in order of `whole`.
std::span<const Composition> all_compositions();

}  // namespace argand
