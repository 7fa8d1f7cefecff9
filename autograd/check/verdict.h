#pragma once
/// Compares one analytic derivative with one numerical derivative: the five verdicts, and how a comparison is described.

#include <complex>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "autograd/check/numerical.h"
#include "core/shape.h"

namespace argand {

enum class Verdict {
  Pass,
  Fail,          ///< analytic and numerical differ by more than the tolerance and ten error bars
  Inconclusive,  ///< the error bar is too wide to decide
  Kink,          ///< the one-sided derivatives differ: there is nothing to compare with
  BranchCut,     ///< the value itself jumps here
};
std::string_view verdict_name(Verdict verdict);
/// The order in which verdicts prevail when the parts of a whole differ: fail, inconclusive, branch cut, kink, pass.
int precedence(Verdict verdict);

/// A verdict and the bar used for it. Without a finite bar, a pass becomes inconclusive.
class Judged {
 public:
  Judged() = default;  ///< nothing was compared: inconclusive
  /// `bar`: the allowed difference.
  Judged(Verdict verdict, double bar);

  Verdict verdict() const { return verdict_; }
  double bar() const { return bar_; }
  operator Verdict() const { return verdict_; }
  /// Another verdict with the same bar.
  Judged as(Verdict verdict) const { return {verdict, bar_}; }

 private:
  Verdict verdict_ = Verdict::Inconclusive;
  double bar_ = std::numeric_limits<double>::quiet_NaN();
};

/// dL/dx + i dL/dy of one element, computed both ways.
struct Comparison {
  std::complex<double> analytic = 0, numerical = 0;
  double error = 0;                 ///< error bar of `numerical`
  double rounding = 0;              ///< bound on the rounding error of `analytic`
  double variation = 0;             ///< size of derivatives nearby, even if this one is 0 (Derivative::variation)
  double magnitude = 0;             ///< size of the values that depend on this element (Derivative::magnitude)
  bool varies = false;              ///< L changes with this element by more than rounding, at some step
  bool kink = false, jump = false;  ///< found on either axis
  bool along_imaginary = false;     ///< the axis on which it was found
  Derivative seen = {};             ///< one-sided derivatives and jumps on that axis

  /// Adds the derivative along the real or the imaginary axis.
  void add(const Derivative& d, bool imaginary);
  /// The larger of the two gradients, for the scale of the tensor. A numerical one that did not converge is ignored, so one bad
  /// element does not widen the tolerance of the others.
  double size() const;
  /// Allows for the rounding error of a gradient computed from values as large as `largest`, the largest gradient of all inputs:
  /// 1e-12 of it, but at most 1e-12 of the values that depend on this element, whose size limits the terms that cancel in the
  /// gradient.
  void allow_rounding(double largest);
  /// |analytic − numerical| relative to `scale`, or to a larger known size of derivatives nearby; 0 where L is constant.
  double relative_error(double scale) const;
};

/// Every element is judged relative to its own size: with a and n the two gradients, e the bar of n, r the rounding of a,
///
///     Fail:  |a − n| > tolerance · max(|a|, |n|) + 10 e + r        Pass:  |a − n| <= tolerance · max(|a|, |n|) + e + r,
///
/// and to pass, e and r must be finite and small enough for the comparison to be meaningful. Everything else is inconclusive, as is
/// everything with an infinite r. A NaN where the numerical derivative exists fails. `scale` is the largest |gradient| of the
/// tensor; it decides how small e and r must be, not what counts as equal. The bar is the right side of Pass.
Judged judge(const Comparison& c, double scale, double tolerance);

/// "gradient 1.2+3i, numerical 1.2-3i ± 2e-12", "a kink: the derivative is 0 from the left and 1 from the right; gradient 0", ...
std::string describe(const Comparison& c, Verdict verdict, bool is_complex);

/// "[1, 2]" for the element at this position of a row-major tensor; "[]" for a scalar.
std::string element_name(const Shape& shape, std::int64_t element);
/// "1.5", "1.5-2i"
std::string number_name(std::complex<double> z, bool is_complex);
std::string joined(const std::vector<std::string>& words, std::string_view separator);

}  // namespace argand
