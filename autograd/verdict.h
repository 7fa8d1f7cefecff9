#pragma once
/// One analytic derivative beside one numerical derivative: which of five verdicts, and how to say it.

#include <complex>
#include <string>
#include <string_view>
#include <vector>

#include "autograd/numerical.h"
#include "core/shape.h"

namespace argand {

enum class Verdict {
  Pass,
  Fail,          ///< analytic and numerical differ by more than the tolerance and ten error bars
  Inconclusive,  ///< the error bar is too wide to tell
  Kink,          ///< the one-sided derivatives differ: there is nothing to compare with
  BranchCut,     ///< the value itself jumps here
};
std::string_view verdict_name(Verdict verdict);

/// dL/dx + i dL/dy of one element, both ways.
struct Comparison {
  std::complex<double> analytic = 0, numerical = 0;
  double error = 0;                 ///< bar of `numerical`
  bool kink = false, jump = false;  ///< seen on either axis
  bool along_imaginary = false;     ///< the axis it was seen on
  Derivative seen = {};             ///< there: one-sided derivatives and jumps

  /// Takes in the derivative along the real or the imaginary axis.
  void add(const Derivative& d, bool imaginary);
  /// The larger gradient of the two, for the tensor's scale: a numerical one that did not converge does not count, lest one bad
  /// element make the others' tolerance wide.
  double size() const;
};

/// Pass: |analytic − numerical| <= tolerance · scale with an error bar of at most a tenth of that. `scale` is the largest
/// |gradient| of the tensor. A NaN where the numerical derivative exists fails.
Verdict judge(const Comparison& c, double scale, double tolerance);

/// Below this multiple of (size of the output) / (size of the input), a gradient is rounding.
inline constexpr double rounding_floor = 1e-11;

/// "analytic 1.2+3i, numerical 1.2-3i ± 2e-12", "a kink: the derivative is 0 from the left and 1 from the right; analytic 0", ...
std::string describe(const Comparison& c, Verdict verdict, bool is_complex);

/// "[1, 2]" for the element at this place of a row-major tensor; "[]" for a scalar.
std::string element_name(const Shape& shape, std::int64_t element);
/// "1.5", "1.5-2i"
std::string number_name(std::complex<double> z, bool is_complex);
std::string joined(const std::vector<std::string>& words, std::string_view separator);

}  // namespace argand
