#pragma once
/// The character classes at which tokenizers split text.

namespace argand {

/// Letters: general category L in Unicode 17.
bool is_letter(char32_t character);
/// Numbers: general category N in Unicode 17, i.e. digits of every script, fractions, Roman numerals.
bool is_number(char32_t character);
/// The Unicode property White_Space.
bool is_space(char32_t character);
/// The canonical combining class in Unicode 14: 0 for base characters; marks of different classes on the same character are sorted
/// by class.
int combining_class(char32_t character);

}  // namespace argand
