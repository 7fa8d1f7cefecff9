#include "core/text/text_layout.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace argand {

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const auto c = static_cast<unsigned char>(text[k]);
    const bool continues = (c & 0xC0) == 0x80, combining = c == 0xCC || c == 0xCD;  // U+0300 ... U+037F begin with these
    width += continues || combining ? 0 : 1;
  }
  return width;
}

std::string counted(std::int64_t n, std::string_view noun) {
  return fmt::format("{} {}{}", n, noun, n == 1 ? "" : noun.ends_with("ch") ? "es" : "s");
}

std::string padded(std::string text, std::size_t width) {
  const std::size_t taken = display_width(text);
  return taken < width ? text.append(width - taken, ' ') : text;
}

std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  std::string line;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word(text.substr(begin, end - begin));
    if (!line.empty() && display_width(line) + 1 + display_width(word) > width) {
      lines.push_back(std::move(line));
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
    begin = end + 1;
  }
  lines.push_back(std::move(line));
  return lines;
}

std::string indented(std::string_view text, std::size_t indent, std::size_t columns) {
  std::string result;
  for (const std::string& line : wrapped(text, columns - indent))
    result += (result.empty() ? "" : "\n" + std::string(indent, ' ')) + line;
  return result;
}

std::string with_backslashes(std::string_view text, std::string_view marks) {
  std::string result;
  for (const char c : text) {
    if (marks.find(c) != marks.npos) result += '\\';
    result += c;
  }
  return result;
}

std::string complex_text(std::complex<double> z, bool is_complex, int digits) {
  const double larger = std::max(std::abs(z.real()), is_complex ? std::abs(z.imag()) : 0.0);
  const auto part = [&](double x) {
    if (std::isnan(x)) return std::string("nan");  // a NaN's sign has no meaning
    x += 0.0;                                      // -0 becomes 0
    const double place = std::isfinite(larger) && larger > 1e-290 ? std::floor(std::log10(larger)) + 1 - digits : 0;
    if (larger > 1e-290 && std::isfinite(larger) && std::abs(x) < 0.5 * std::pow(10, place)) x = 0;
    if (!std::isfinite(x) || larger <= 1e-290) return fmt::format("{:.{}g}", x, digits);
    const int shown = x == 0 ? 1 : static_cast<int>(std::floor(std::log10(std::abs(x))) - place) + 1;
    return fmt::format("{:.{}g}", x, std::clamp(shown, 1, digits));
  };
  if (!is_complex) return part(z.real());
  const std::string re = part(z.real()), im = part(std::abs(z.imag()));
  const bool minus = std::signbit(z.imag()) && !std::isnan(z.imag()) && im != "0";
  return fmt::format("{} {} {}{}i", re, minus ? "-" : "+", im, std::isfinite(z.imag()) ? "" : " ");
}

}  // namespace argand
