#pragma once
/// Text in columns: display widths, line breaking, and complex numbers to a given number of digits.

#include <complex>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace argand {

/// Terminal columns of UTF-8 text: one per character, none for a combining mark (the bar of z̄).
std::size_t display_width(std::string_view text);
/// The text, padded with spaces to `width` columns.
std::string padded(std::string text, std::size_t width);
/// "1 step", "2 steps", "2 batches".
std::string counted(std::int64_t n, std::string_view noun);
/// The text broken at spaces into lines of at most `width` columns; longer words get their own line.
std::vector<std::string> wrapped(std::string_view text, std::size_t width);
/// The text's lines, broken at `columns`, each but the first preceded by `indent` spaces.
std::string indented(std::string_view text, std::size_t indent, std::size_t columns = 100);

/// Escapes the `marks` with backslashes, for Markdown.
std::string with_backslashes(std::string_view text, std::string_view marks);

/// "1.5 - 2i", or "1.5" if it is not complex: `digits` significant digits of the larger part, with the other part rounded to the
/// same decimal place, so that rounding noise next to a number reads 0.
std::string complex_text(std::complex<double> z, bool is_complex = true, int digits = 10);

}  // namespace argand
