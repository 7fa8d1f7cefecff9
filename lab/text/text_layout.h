#pragma once
/// Text in columns: widths as a terminal shows them, lines of a length, complex numbers of some digits.

#include <complex>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace argand {

/// Columns that UTF-8 text takes: one a character, none for a combining mark (the bar of z̄).
std::size_t display_width(std::string_view text);
/// With spaces behind it up to that width.
std::string padded(std::string text, std::size_t width);
/// "1 step", "2 steps".
std::string counted(std::int64_t n, std::string_view noun);
/// Broken at spaces into lines of at most `width` columns; longer words stand alone.
std::vector<std::string> wrapped(std::string_view text, std::size_t width);
/// The text's lines, each with `indent` spaces before it (but the first), broken at `columns`.
std::string indented(std::string_view text, std::size_t indent, std::size_t columns = 100);

/// For Markdown, with a backslash before each of the `marks`.
std::string with_backslashes(std::string_view text, std::string_view marks);

/// "1.5 - 2i", or "1.5" where it is not complex: `digits` significant digits of the larger part, the other part rounded to the
/// same place, so that rounding noise beside a number reads 0.
std::string complex_text(std::complex<double> z, bool is_complex = true, int digits = 10);

}  // namespace argand
