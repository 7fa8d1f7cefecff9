#pragma once
/// Canonical decompositions and compositions of characters. Hangul syllables follow a rule instead (normalization.cpp).

#include <span>
#include <string>
#include <string_view>

namespace argand {

struct Composition {
  char32_t whole, first, second;  ///< "é" is "e" followed by an accent
};

/// The one or two characters to which this one is canonically equivalent in Unicode 14, which may have decompositions themselves;
/// empty if it has no decomposition.
std::u32string decomposition(char32_t character);

/// The pairs that NFC writes as one character, sorted by `whole`.
std::span<const Composition> all_compositions();

}  // namespace argand
