#include "autograd/check/verdict.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace argand {

std::string_view verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::Pass: return "pass";
    case Verdict::Fail: return "fail";
    case Verdict::Inconclusive: return "inconclusive";
    case Verdict::Kink: return "kink";
    case Verdict::BranchCut: return "branch cut";
  }
  return "?";
}

int precedence(Verdict verdict) {
  switch (verdict) {
    case Verdict::Pass: return 0;
    case Verdict::Kink: return 1;
    case Verdict::BranchCut: return 2;
    case Verdict::Inconclusive: return 3;
    case Verdict::Fail: return 4;
  }
  return 0;
}

Judged::Judged(Verdict verdict, double bar)
    : verdict_(verdict == Verdict::Pass && !std::isfinite(bar) ? Verdict::Inconclusive : verdict), bar_(bar) {}

void Comparison::add(const Derivative& d, bool imaginary) {
  numerical += imaginary ? std::complex(0.0, d.central.value) : std::complex(d.central.value, 0.0);
  error = std::hypot(error, d.central.error);
  variation = std::max(variation, d.variation);
  magnitude = std::max(magnitude, d.magnitude);
  varies = varies || !d.flat;
  if ((d.jump && !jump) || (d.kink && !jump && !kink)) {
    seen = d;
    along_imaginary = imaginary;
  }
  kink = kink || d.kink;
  jump = jump || d.jump;
}

double Comparison::size() const {
  const double a = std::abs(analytic), n = std::abs(numerical);
  const bool converged = std::isfinite(n) && error <= 1e-3 * n && !kink && !jump;
  return std::max(std::isfinite(a) ? a : 0, converged ? n : 0);
}

void Comparison::allow_rounding(double largest) {
  rounding = std::max(rounding, 1e-12 * (magnitude > 0 ? std::min(largest, magnitude) : largest));
}

double Comparison::relative_error(double scale) const {
  const double size = std::max(scale, variation), difference = std::abs(analytic - numerical);
  return size > 0 && varies ? difference / size : difference;
}

Judged judge(const Comparison& c, double scale, double tolerance) {
  const double difference = std::abs(c.analytic - c.numerical);
  const double own = std::max(std::abs(c.analytic), std::abs(c.numerical)), equal = tolerance * own + c.rounding;
  const auto judged = [bar = equal + c.error](Verdict verdict) { return Judged(verdict, bar); };
  if (c.jump) return judged(Verdict::BranchCut);
  if (c.kink) return judged(Verdict::Kink);
  if (!std::isfinite(c.rounding)) return judged(Verdict::Inconclusive);
  if (!std::isfinite(difference))
    return judged(std::isfinite(c.error) && std::isfinite(std::abs(c.numerical)) ? Verdict::Fail : Verdict::Inconclusive);
  if (difference > equal + 10 * c.error) return judged(Verdict::Fail);
  if (difference > equal + c.error) return judged(Verdict::Inconclusive);
  // The gradient and the changes in L are just rounding: L does not depend on this element.
  const bool zero = std::abs(c.analytic) <= c.rounding;
  if (!c.varies) return judged(zero ? Verdict::Pass : Verdict::Inconclusive);
  // The error bar and the rounding must be small compared with the derivatives nearby, and the bar must separate a nonzero
  // derivative from 0.
  const double size = std::max(scale, c.variation);
  const bool narrow = c.error <= 0.5 * tolerance * size && c.rounding <= 1e-3 * size;
  const bool significant = zero || c.error <= 0.1 * own;
  return judged(narrow && significant ? Verdict::Pass : Verdict::Inconclusive);
}

std::string describe(const Comparison& c, Verdict verdict, bool is_complex) {
  const std::string along = is_complex ? (c.along_imaginary ? " along the imaginary axis" : " along the real axis") : "";
  const std::string both = fmt::format("gradient {}, numerical {} ± {:.1g}", number_name(c.analytic, is_complex),
                                       number_name(c.numerical, is_complex), std::abs(c.error));
  switch (verdict) {
    case Verdict::Kink:
      return fmt::format("a kink{}: the derivative is {:.6g} from the left and {:.6g} from the right; gradient {}", along,
                         c.seen.left.value, c.seen.right.value, number_name(c.analytic, is_complex));
    case Verdict::BranchCut:
      return fmt::format("a cut{}: the value jumps by {:.6g}; gradient {}", along, c.seen.jump_right.value - c.seen.jump_left.value,
                         number_name(c.analytic, is_complex));
    case Verdict::Inconclusive: return fmt::format("{}: inconclusive, the error bar is too wide", both);
    default: return both;
  }
}

std::string element_name(const Shape& shape, std::int64_t element) {
  const auto strides = strides_of(shape);
  std::vector<std::string> index;
  for (int axis = 0; axis < shape.rank(); ++axis)
    index.push_back(std::to_string(element / strides[static_cast<std::size_t>(axis)] % shape[axis]));
  return fmt::format("[{}]", joined(index, ", "));
}

std::string number_name(std::complex<double> z, bool is_complex) {
  // -0 becomes 0, and a NaN has no sign
  const auto plain = [](double x) { return std::isnan(x) ? std::numeric_limits<double>::quiet_NaN() : x + 0.0; };
  z = {plain(z.real()), plain(z.imag())};
  return is_complex ? fmt::format("{:.6g}{:+.6g}i", z.real(), z.imag()) : fmt::format("{:.6g}", z.real());
}

std::string joined(const std::vector<std::string>& words, std::string_view separator) {
  std::string text;
  for (std::size_t k = 0; k < words.size(); ++k) text += (k > 0 ? std::string(separator) : "") + words[k];
  return text;
}

}  // namespace argand
