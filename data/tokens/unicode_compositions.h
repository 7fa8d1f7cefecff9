#pragma once
/// Canonical decompositions and compositions of characters. Hangul syllables follow a rule instead (normalization.cpp).

#include <span>
#include <string>
#include <string_view>

namespace argand {

struct Composition {
  char32_t whole, first, second;  ///< "é" is "e" and an accent
};

/// The one or two characters to which this one is canonically equivalent in Unicode 14; empty if it has no decomposition. They
/// may themselves have decompositions.
std::u32string decomposition(char32_t character);

/// The pairs that are written as one character in the form NFC, in order of `whole`.
std::span<const Composition> all_compositions();

}  // namespace argand
