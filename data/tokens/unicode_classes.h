#pragma once
/// The classes of characters at which tokenizers split text.

namespace argand {

/// General category L of Unicode 17.
bool is_letter(char32_t character);
/// General category N of Unicode 17: digits of every script, fractions, Roman numerals.
bool is_number(char32_t character);
/// Unicode's property White_Space.
bool is_space(char32_t character);
/// Canonical combining class, of Unicode 14: 0 for what marks stand on; marks of different classes stand in the order of their
/// classes.
int combining_class(char32_t character);

}  // namespace argand
