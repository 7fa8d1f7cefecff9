#pragma once
/// Numerical derivatives that know how wrong they are: difference quotients at shrinking steps, extrapolated to step 0
/// (Richardson), the extrapolation chosen by its own error estimate (Ridders, "Accurate computation of F'(x) and F'(x) F''(x)",
/// Advances in Engineering Software 4, 1982). Knows nothing of tensors.

#include <functional>
#include <limits>
#include <span>
#include <vector>

namespace argand {

/// value ± error. An infinite error: nothing is known.
struct Estimate {
  double value = 0;
  double error = std::numeric_limits<double>::infinity();
};

struct RiddersOptions {
  double first_step = 0.1;  ///< the largest step, in units of max(1, |x|)
  /// Ratio of a step to the next. Not a power of 2, lest every step be a whole number of periods of some sine and all
  /// difference quotients agree on 0.
  double contraction = 1.8;
  int levels = 22;  ///< at most this many steps: from 0.1 down to 4e-7
};

/// The limit for h -> 0 of a quantity  T(h) = T(0) + c₁ h^p + c₂ h^(p+s) + c₃ h^(p+2s) + ...  sampled at h, h/c, h/c², ...
/// Neville's triangle cancels one power a column: T_j(h) = T_{j-1}(h) + (T_{j-1}(h) − T_{j-1}(c h)) / (c^(p+(j-1)s) − 1).
/// An entry's error is the largest distance to its three neighbours (both parents and the same column one step earlier), plus
/// the rounding of the samples carried through the same recurrence. The entry with the least error is the answer, wherever it
/// stands: entries made of later samples only are untouched by a kink or cut that the large steps jumped over.
class Extrapolation {
 public:
  /// `power` is p, `spacing` is s.
  Extrapolation(int power, int spacing, double contraction) : power_(power), spacing_(spacing), contraction_(contraction) {}
  /// The next sample and how far rounding may have moved it. A sample that is not finite starts a new triangle.
  void add(double value, double rounding);
  const Estimate& best() const { return best_; }

 private:
  static constexpr std::size_t columns = 9;  // more only amplifies rounding
  struct Entry {
    double value, rounding;
  };
  int power_, spacing_;
  double contraction_;
  std::vector<Entry> row_;
  Estimate best_;
};

/// What the neighbourhood of a point shows of one function of a real variable.
struct Derivative {
  Estimate central;                ///< extrapolated (f(x+h) − f(x−h)) / 2h: the derivative, if there is one
  Estimate left, right;            ///< one-sided derivatives
  Estimate jump_left, jump_right;  ///< f(x−0) − f(x) and f(x+0) − f(x): not zero on the edge of a cut
  double scale = 0;                ///< largest derivative of the functions that were differentiated together
  bool kink = false;               ///< the one-sided derivatives differ beyond their errors
  bool jump = false;               ///< the value itself is discontinuous
};

/// A change f(t) − f(x) and the rounding in it if f is computed as well as its type allows. What noise f has beyond that is
/// measured.
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
