#pragma once
/// Numerical derivatives with error estimates: difference quotients at shrinking steps, extrapolated to step 0 (Richardson), each
/// extrapolation with its own error estimate (Ridders, "Accurate computation of F'(x) and F'(x) F''(x)", Advances in Engineering
/// Software 4, 1982), and trusted only as far as all smaller steps confirm it. Independent of tensors.

#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <span>
#include <vector>

namespace argand {

/// The distance from 1 to the next double.
inline constexpr double double_epsilon = std::numeric_limits<double>::epsilon();

/// value ± error. An infinite error means that the value is unknown.
struct Estimate {
  double value = 0;
  double error = std::numeric_limits<double>::infinity();
};

struct RiddersOptions {
  double first_step = 0.1;  ///< the largest step, in units of max(1, |x|)
  /// Ratio of a step to the next. All powers of π are irrational, so no two steps are commensurable: no sine has a whole number of
  /// periods in both.
  double contraction = std::numbers::pi;
  int levels = 20;  ///< number of steps, from 0.1 down to 4e-11, with a few more where those do not suffice

  /// Twice as many steps in the same range, with ratio √π: for cases where the default is inconclusive.
  RiddersOptions finer() const {
    RiddersOptions options = *this;
    options.contraction = std::sqrt(contraction);
    options.levels = 2 * levels;
    return options;
  }
};

/// The limit as h -> 0 of a quantity T(h) = T(0) + c₁ h^p + c₂ h^2p + c₃ h^3p + ... sampled at steps h₀ > h₁ > h₂ > ... Neville's
/// tableau cancels one power per column; row k, column j uses the steps k − j to k:
///
///     T(k, j) = T(k, j−1) + (T(k, j−1) − T(k−1, j−1)) / ((h_{k−j} / h_k)^p − 1).
///
/// The error of an entry is the largest distance to its three neighbours (both parents and the same column one row earlier), plus
/// the rounding of its samples propagated through the same recurrence, plus noise: the scatter of the *smaller* steps. At small
/// steps a function is nearly a polynomial, so any misfit there is noise, which affects the larger steps as well.
class Extrapolation {
 public:
  struct Sample {
    double step, value;
    double rounding;  ///< bound on the rounding error of the value
    double leverage;  ///< effect on the value of noise of size 1 in the function
  };
  /// `power` is p: 1 or 2.
  explicit Extrapolation(int power) : power_(power) {}
  /// Adds the next, smaller step. Nothing is extrapolated across a value that is not finite.
  void add(const Sample& sample) { samples_.push_back(sample); }

  /// Goes from the smallest steps to the largest: an entry from larger steps may narrow the result of smaller ones but never
  /// contradict it. Where a function oscillates faster than the large steps resolve, or has a kink or a cut within their reach, the
  /// large steps may agree with each other on a wrong value, but not with the small ones.
  Estimate limit() const;

 private:
  static constexpr std::size_t most_columns = 7;  // more columns only amplify rounding
  struct Entry {
    double value, rounding, leverage;
  };
  struct Row {
    std::array<Entry, most_columns> entry;
    std::size_t columns = 0;
  };
  std::vector<Row> tableau() const;
  /// [k]: the noise seen at step k and at smaller steps. Two adjacent extrapolations differ by a high power of a small step, and by
  /// noise.
  std::vector<double> noise(const std::vector<Row>& rows) const;

  int power_;
  std::vector<Sample> samples_;
};

/// The local behaviour of one function of a real variable at a point.
struct Derivative {
  Estimate central;                ///< extrapolated (f(x+h) − f(x−h)) / 2h: the derivative, if there is one
  Estimate left, right;            ///< one-sided derivatives
  Estimate jump_left, jump_right;  ///< f(x−0) − f(x) and f(x+0) − f(x): nonzero at the edge of a cut
  double scale = 0;                ///< largest derivative of the functions that were differentiated together
  /// The largest |f(t) − f(x)| / |t − x|: the size of derivatives nearby, even if the derivative at x is 0.
  double variation = 0;
  double magnitude = 0;  ///< largest rounding / ε: the size of the values that depend on x
  bool flat = false;     ///< f does not change by more than rounding at any step: constant, or too coarse to tell
  bool kink = false;     ///< the one-sided derivatives differ beyond their errors
  bool jump = false;     ///< the value itself is discontinuous
};

/// A change f(t) − f(x) and its rounding error, assuming f is computed as precisely as its type allows: the error is nonzero even
/// if the change is too small to show. Any further noise of f is measured.
struct Change {
  double value = 0;
  double rounding = 0;
};
/// Writes the changes of several functions between x and t.
using Changes = std::function<void(double t, std::span<Change> changes)>;

/// Derivatives at x of `count` functions that are computed together.
std::vector<Derivative> differentiate(const Changes& changes, double x, std::size_t count, const RiddersOptions& options = {});
/// Derivative of one function.
Derivative differentiate(const std::function<double(double)>& f, double x, const RiddersOptions& options = {});

}  // namespace argand
