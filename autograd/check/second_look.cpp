#include "autograd/check/second_look.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "autograd/check/function/noisy_slope.h"
#include "core/arithmetic.h"

namespace argand {
namespace {

constexpr std::size_t most_outputs = 4096;
constexpr int ladder = 18;           // steps from 0.1 down, each smaller by a factor of π
constexpr int points = 128;          // number of nearby points at which slopes are taken
constexpr double most_noise = 1e-9;  // largest noise of values at which slopes are still meaningful
constexpr double near = 1e-5;        // distance of these points, in units of max(1, |x|)

struct Range {
  double low = 0, high = 0;
  void take(double slope) { low = std::min(low, slope), high = std::max(high, slope); }
  double distance(double slope) const { return std::max({low - slope, slope - high, 0.0}); }
};

/// The derivative along one real coordinate, output by output.
class Coordinate {
 public:
  Coordinate(const ScalarProjection& projected, const ElementCheck& e, bool imaginary, std::uint64_t seed)
      : projected_(projected), e_(e), imaginary_(imaginary), seed_(seed) {
    const ComplexValues W = projected.random_weights(seed, e.projection);
    for (std::size_t k = 0; k < W.size(); ++k) {
      parts_.push_back({{{k, W[k].real()}}});
      if (projected.output_is_complex()) parts_.push_back({{{k, std::complex(0.0, W[k].imag())}}});
    }
    size_ = std::max(1.0, std::abs(x(e.input, e.element)));
  }

  /// The sum of the absolute values of f's outputs.
  double seen() const {
    double sum = 0;
    for (const std::complex<double> y : projected_.output()) sum += std::abs(y);
    return sum;
  }

  /// A lower bound on the rounding errors of both derivatives. A gradient element may be computed from terms as large as its
  /// neighbours. If f is `flat`, large values may cancel or saturate near x, so values and gradients far from x count too.
  /// Infinite if the last bits of x change f noticeably.
  double resolution(bool flat) const {
    double moved_most = 0, largest = 0, furthest = 1;
    for (std::size_t i = 0; i < projected_.inputs().size(); ++i)
      for (std::int64_t k = 0; k < projected_.input_size(i); ++k) furthest = std::max(furthest, x(i, k));
    const std::vector<double> distances = flat ? std::vector{0.1, -0.1, 1.0, -1.0, 3.0, -3.0} : std::vector{0.1, -0.1};
    for (const double by : distances)
      for (std::uint64_t k = 0; k < 2; ++k) moved_most = std::max(moved_most, moved(displaced(k, by, 0)));
    if (last_bit_sensitivity(true) > 1e-6 * std::max(seen(), moved_most)) return HUGE_VAL;
    if (flat && moved_most <= 64 * double_epsilon * seen()) return 1e-10 + 1e-12 * furthest;  // f is constant up to rounding
    for (const double by : flat ? std::vector{0.0, 0.1, 1.0} : std::vector{0.0})
      for (const std::complex<double> g : gradient(displaced(0, by, 0)))
        if (std::isfinite(std::abs(g))) largest = std::max(largest, std::abs(g));
    const double last_bits = scatter();
    const double rounding = last_bits <= 1e-6 * largest ? 4 * last_bits : 0;  // a larger change is a jump at a kink
    return 64 * double_epsilon * (std::max(seen(), moved_most) / (0.1 * size_) + largest) + rounding +
           4 * last_bit_sensitivity(false) / (0.1 * size_);
  }

  SecondLook look(double gradient) const {
    const std::vector<Derivative> derivatives = projected_.numerical(e_.input, e_.element, imaginary_, parts_, {});
    std::vector<Range> ranges;
    const std::vector<Range> sides = persistent_kinks();
    double slack = e_.values.rounding;
    bool kink = false;
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      const Derivative& d = derivatives[p];
      if (d.jump) return SecondLook::Kink;
      Range range{d.central.value, d.central.value};
      if (d.kink) range = {std::min(d.left.value, d.right.value), std::max(d.left.value, d.right.value)};
      if (!sides.empty() && sides[p].low < sides[p].high) range.take(sides[p].low), range.take(sides[p].high), kink = true;
      kink = kink || d.kink;
      slack += 10 * (d.kink ? d.left.error + d.right.error : d.central.error);
      ranges.push_back(range);
    }
    if (!std::isfinite(slack)) return SecondLook::Unresolved;
    if (std::isnan(gradient)) return SecondLook::Stands;
    if (within(gradient, ranges, slack, 1e-6)) return SecondLook::Kink;
    // A kink can be invisible along the axis: |x + y| - |x - y| at 0.
    const bool is_seen = kink;
    for (std::uint64_t k = 0; k < 8 && !kink; ++k) kink = has_kink_nearby(k, ranges);
    if (!kink) return has_unresolved_kink(gradient, ranges, slack) ? SecondLook::Kink : SecondLook::Stands;
    for (std::uint64_t k = 0; k < points; ++k) {
      const std::vector<Slope> slopes = slopes_nearby(k, near);
      for (std::size_t p = 0; p < parts_.size(); ++p)
        if (std::isfinite(slopes[p].value)) ranges[p].take(slopes[p].value);
    }
    if (within(gradient, ranges, slack, 1e-3) || (!is_seen && has_unresolved_kink(gradient, ranges, slack)))
      return SecondLook::Kink;
    return SecondLook::Stands;
  }

  /// Whether a polynomial fitted to f's noisy values is consistent with this gradient, allowing a kink where there may be one.
  bool consistent_with_noise(double gradient) const {
    std::vector<Functional> whole(1);
    for (const Functional& part : parts_) whole[0].terms.insert(whole[0].terms.end(), part.terms.begin(), part.terms.end());
    const Changes along = projected_.changes_along(displaced(0, 0, 1), whole);
    const NoisySlope fit = fitted_slopes(along, 1)[0];
    return std::isfinite(fit.slope.error) && std::abs(gradient - fit.slope.value) <= fit.kink + fit.slope.error;
  }

 private:
  double x(std::size_t input, std::int64_t element) const {
    const auto k = static_cast<std::size_t>(element);
    return std::visit([k](const auto& t) { return std::abs(t.data()[k]); }, projected_.inputs()[input]);
  }

  static Range total(const std::vector<Range>& ranges) {
    Range sum;
    for (const Range& r : ranges) sum.low += r.low, sum.high += r.high;
    return sum;
  }

  static bool within(double gradient, const std::vector<Range>& ranges, double slack, double relative) {
    const Range sum = total(ranges);
    slack += relative * std::max(std::abs(sum.low), std::abs(sum.high));
    return gradient >= sum.low - slack && gradient <= sum.high + slack;
  }

  /// A random step in all coordinates, in units of max(1, |x|), plus a step in this coordinate.
  std::vector<ComplexValues> displaced(std::uint64_t k, double by, double step) const {
    std::vector<ComplexValues> v;
    for (std::size_t i = 0; i < projected_.inputs().size(); ++i) {
      const auto n = static_cast<std::size_t>(projected_.input_size(i));
      v.push_back(by != 0 ? random_numbers(Random(seed_ + 101 * k, 7 + i), n, projected_.input_is_complex(i)) : ComplexValues(n));
      for (std::size_t j = 0; j < n && by != 0; ++j) v[i][j] *= by * std::max(1.0, x(i, static_cast<std::int64_t>(j)));
    }
    v[e_.input][static_cast<std::size_t>(e_.element)] += imaginary_ ? std::complex(0.0, step) : std::complex(step, 0.0);
    return v;
  }

  /// How much this element of the gradient varies between points near x that differ in their last bits: its rounding error. A
  /// gradient that differs only at x itself is wrong there.
  double scatter() const {
    const auto k = static_cast<std::size_t>(e_.element);
    double most = 0;
    std::complex<double> first;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      std::vector<ComplexValues> v = displaced(seed, 2 * double_epsilon, 0);
      for (std::size_t i = 0; i < v.size(); ++i)
        for (std::size_t j = 0; j < v[i].size(); ++j) v[i][j] *= std::min(1.0, x(i, static_cast<std::int64_t>(j)));
      const ComplexValues beside = gradient(v);
      if (k >= beside.size()) return 0;
      if (seed == 1) first = beside[k];
      most = std::max(most, std::abs(beside[k] - first));
    }
    return std::isfinite(most) ? most : 0;
  }

  /// The gradient with respect to this input at x + v; empty if it cannot be computed there.
  ComplexValues gradient(const std::vector<ComplexValues>& v) const {
    std::vector<AnyTensor> moved;
    const std::vector<AnyTensor> steps = projected_.like_inputs(v);
    for (std::size_t i = 0; i < steps.size(); ++i)
      std::visit([&]<class T>(const Tensor<T>& x) { moved.emplace_back(x + std::get<Tensor<T>>(steps[i])); },
                 projected_.inputs()[i]);
    try {
      return projected_.function().gradients(moved, projected_.random_weights(seed_, e_.projection))[e_.input];
    } catch (const std::exception&) {
      return {};
    }
  }

  /// The change of f at x + v; 0 where f cannot be evaluated.
  double moved(const std::vector<ComplexValues>& v) const {
    double sum = 0;
    for (const Change& c : changes(v)) sum += std::abs(c.value);
    return std::isfinite(sum) ? sum : 0;
  }

  /// How much f changes when the last bits of this coordinate, or of all of them, change. By backward error analysis, f's own
  /// rounding has the same effect (Higham, Accuracy and Stability of Numerical Algorithms, chapter 1). A function that rounds x to
  /// fewer digits does not change.
  double last_bit_sensitivity(bool along_the_axis) const {
    double most = 0;
    for (std::uint64_t k = 1; k <= 8; ++k) {
      const double ulps = (k % 2 == 0 ? 1.0 : -1.0) * static_cast<double>(k) * double_epsilon;
      most = std::max(most, moved(along_the_axis ? displaced(0, 0, ulps * size_) : displaced(k, ulps, 0)));
    }
    return most;
  }

  std::vector<Change> changes(const std::vector<ComplexValues>& v) const {
    std::vector<Change> found(parts_.size());
    try {
      projected_.changes_along(v, parts_)(1, found);
    } catch (const std::exception&) {  // f cannot be evaluated there
      for (Change& c : found) c.value = std::nan("");
    }
    return found;
  }

  /// The two one-sided slopes of each output, where they differ by the same amount at three steps or more; empty ranges elsewhere.
  std::vector<Range> persistent_kinks() const {
    struct SidedSlopes {
      double left = 0, right = 0;
      bool seen = false;
      int times = 0;
    };
    std::vector<SidedSlopes> last(parts_.size());
    std::vector<Range> found(parts_.size());
    double h = 0.1 * size_;
    for (int level = 0; level < ladder; ++level, h /= std::numbers::pi) {
      const std::vector<Change> above = changes(displaced(0, 0, h)), below = changes(displaced(0, 0, -h));
      for (std::size_t p = 0; p < parts_.size(); ++p) {
        const double right = above[p].value / h, left = -below[p].value / h, apart = right - left;
        SidedSlopes& before = last[p];
        const bool seen = std::abs(apart) > 20 * (above[p].rounding + below[p].rounding) / h;
        const double ratio = apart / (before.right - before.left);
        before.times = seen && before.seen && ratio > 0.8 && ratio < 1.25 ? before.times + 1 : 0;
        if (before.times >= 3) {
          if (found[p].low == found[p].high) found[p] = {std::min(left, right), std::max(left, right)};
          found[p].take(left), found[p].take(right);
        }
        before = {left, right, seen, before.times};
      }
    }
    return found;
  }

  struct Slope {
    double value = 0, rounding = 0;
  };
  /// The slope of each output at a random point at this distance.
  std::vector<Slope> slopes_nearby(std::uint64_t k, double distance) const {
    const double step = 0.01 * distance * size_;
    const std::vector<Change> above = changes(displaced(k, distance, step)), below = changes(displaced(k, distance, -step));
    std::vector<Slope> slopes;
    for (std::size_t p = 0; p < parts_.size(); ++p)
      slopes.push_back({(above[p].value - below[p].value) / (2 * step), (above[p].rounding + below[p].rounding) / (2 * step)});
    return slopes;
  }

  /// Whether a nearby slope differs from those at x, and by as much at a thirtieth of the distance: a kink, not curvature.
  bool has_kink_nearby(std::uint64_t k, const std::vector<Range>& ranges) const {
    const std::vector<Slope> far = slopes_nearby(k, near), close = slopes_nearby(k, near / 30);
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      const double off = ranges[p].distance(close[p].value);
      if (off > 20 * close[p].rounding && off > 0.3 * ranges[p].distance(far[p].value)) return true;
    }
    return false;
  }

  /// The component of the gradient at x + v along this axis; NaN if it cannot be computed.
  double gradient_part(const std::vector<ComplexValues>& v) const {
    const ComplexValues all = gradient(v);
    const auto k = static_cast<std::size_t>(e_.element);
    if (k >= all.size()) return std::nan("");
    return imaginary_ ? all[k].imag() : all[k].real();
  }

  /// Whether there is a kink closer to x than differences can resolve. Then the gradients at points just as close span both the
  /// gradient and the slopes seen at x, and gradients further away agree with f's slopes. A gradient that is wrong throughout a
  /// neighbourhood fails the second condition; one that is wrong only at x fails the first.
  bool has_unresolved_kink(double gradient, const std::vector<Range>& ranges, double slack) const {
    const auto [low, high] = total(ranges);
    double least = HUGE_VAL, most = -HUGE_VAL;
    for (const double by : {1e-6, 1e-7, 1e-8})
      for (std::uint64_t k = 0; k < 12; ++k) {
        const double part = gradient_part(displaced(k, by, 0));
        if (std::isfinite(part)) least = std::min(least, part), most = std::max(most, part);
      }
    const double missed = 0.25 * (most - least);  // so few points rarely include the extremes
    if (least > std::min(gradient, low) + slack + missed || most < std::max(gradient, high) - slack - missed) return false;
    int right = 0;
    for (std::uint64_t k = 0; k < 9; ++k) {
      double slope = 0, rounding = 0;
      for (const Slope& s : slopes_nearby(k, 1e-3)) slope += s.value, rounding += s.rounding;
      const double part = gradient_part(displaced(k, 1e-3, 0));
      right += std::abs(part - slope) <= 10 * rounding + 1e-3 * std::abs(slope) ? 1 : 0;
    }
    return right >= 7;  // a kink may lie between any two points
  }

  const ScalarProjection& projected_;
  const ElementCheck& e_;
  bool imaginary_;
  std::uint64_t seed_;
  std::vector<Functional> parts_;
  double size_ = 1;
};

}  // namespace

SecondLook second_look(const ScalarProjection& projected, const ElementCheck& e, std::uint64_t seed, double noise) {
  const std::complex<double> g = e.values.analytic, apart = g - e.values.numerical;
  const bool kink = e.verdict == Verdict::Kink;
  if (projected.output().size() > most_outputs) return kink ? SecondLook::Unresolved : SecondLook::Stands;
  SecondLook opinion = kink ? SecondLook::Kink : SecondLook::Unresolved;
  for (const bool imaginary : {false, true}) {
    if (imaginary && !projected.input_is_complex(e.input)) break;
    const double off = std::abs(imaginary ? apart.imag() : apart.real());
    if (e.verdict == Verdict::Fail && off < 1e-3 * std::abs(apart)) continue;  // the other part is the one that seems wrong
    const Coordinate coordinate(projected, e, imaginary, seed);
    const double by_gradient = imaginary ? g.imag() : g.real();
    const bool flat = std::abs(off - std::abs(by_gradient)) <= 0.01 * off;
    if (e.verdict == Verdict::Fail && off <= 4 * noise * coordinate.seen() + coordinate.resolution(flat)) continue;
    if (noise > most_noise) {
      if (!coordinate.consistent_with_noise(by_gradient)) return SecondLook::Stands;
      continue;
    }
    const SecondLook part = coordinate.look(by_gradient);
    if (part == SecondLook::Stands) return part;
    if (part == SecondLook::Kink || kink) opinion = kink && opinion == SecondLook::Unresolved ? opinion : part;
  }
  return opinion;
}

std::string settle_kink(const ScalarProjection& projected, ElementCheck& e, std::uint64_t seed) {
  if (e.verdict != Verdict::Kink) return "";
  const bool finite = std::isfinite(std::abs(e.values.analytic));
  const SecondLook opinion = finite ? second_look(projected, e, seed) : SecondLook::Stands;
  e.between_slopes = opinion == SecondLook::Kink;
  if (opinion != SecondLook::Stands) return "";
  e.verdict = e.verdict.as(Verdict::Fail);
  return finite ? fmt::format("a kink, and the gradient is not between its one-sided derivatives, {:.6g} and {:.6g}",
                              e.values.seen.left.value, e.values.seen.right.value)
                : "the gradient is not finite";
}

}  // namespace argand
