#include "lab/exercise/draw.h"

#include <fmt/format.h>

namespace argand {

std::string written(std::complex<double> z) {
  // Adding 0 turns -0 into +0.
  const double x = z.real() + 0.0, y = z.imag() + 0.0;
  if (y == 0) return fmt::format("{:.10g}", x);
  const std::string sign = y < 0 ? "-" : x == 0 ? "" : "+";
  const std::string size = std::abs(y) == 1 ? "" : fmt::format("{:.10g}", std::abs(y));
  return (x == 0 ? "" : fmt::format("{:.10g}", x)) + sign + size + "i";
}

std::string within(std::complex<double> z) {
  const std::string text = written(z);
  return text.find_first_of("+-") == std::string::npos ? text : "(" + text + ")";
}

std::string monomial(int c, int n, int m) {
  std::string text;
  const auto times = [&](const std::string& factor) { text += (text.empty() ? "" : "*") + factor; };
  if (c != 1 || n + m == 0) times(std::to_string(c));
  if (n > 0) times(n == 1 ? "z" : fmt::format("z^{}", n));
  if (m > 0) times(m == 1 ? "z̄" : fmt::format("z̄^{}", m));
  return text;
}

}  // namespace argand
