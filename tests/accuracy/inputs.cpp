#include "tests/accuracy/inputs.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "core/random.h"

namespace accuracy {
namespace {

using argand::RealScalar;
using argand::Tensor;

/// A sequence of random numbers.
class Draw {
 public:
  explicit Draw(std::uint64_t stream) : random_(2026, stream) {}
  double uniform(double low, double high) { return low + (high - low) * random_.uniform(next_++); }
  bool one_in(std::uint64_t n) { return random_.below(next_++, n) == 0; }

 private:
  argand::Random random_;
  std::uint64_t next_ = 0;
};

/// A random magnitude 2^e, computed without leaving the range of double; 0 is replaced by the smallest positive number.
template <RealScalar R>
R size(Range range, Draw& draw) {
  using L = std::numeric_limits<R>;
  constexpr double decade = 3.321928094887362;  // log2 10
  const double e =
      range == Range::Extreme ? draw.uniform(L::min_exponent - L::digits, L::max_exponent) : draw.uniform(-3 * decade, 3 * decade);
  const double whole = std::floor(e);
  const R r = std::ldexp(static_cast<R>(std::exp2(e - whole)), static_cast<int>(whole));
  return std::max(std::min(r, L::max()), L::denorm_min());
}

template <class T>
Tensor<T> tensor(const std::vector<T>& x) {
  return Tensor<T>(argand::Shape{static_cast<std::int64_t>(x.size())}, std::span<const T>(x));
}

}  // namespace

template <RealScalar R>
Tensor<R> real_numbers(Range range, std::uint64_t stream, bool positive, const std::vector<double>& near) {
  Draw draw(stream);
  std::vector<R> x;
  for (std::int64_t i = 0; i < samples; ++i) {
    const R r = size<R>(range, draw);
    x.push_back(!positive && draw.one_in(2) ? -r : r);
  }
  if (range != Range::Extreme)
    for (const double point : near)
      for (int k = 1; k <= std::numeric_limits<R>::digits; ++k)
        for (const double side : {-1.0, 1.0})
          if (!positive || point > 0) x.push_back(static_cast<R>(point * (1 + side * std::exp2(-k))));
  return tensor(x);
}

template <RealScalar R>
Tensor<std::complex<R>> complex_numbers(Range range, std::uint64_t stream, const std::vector<std::complex<double>>& near) {
  constexpr double pi = std::numbers::pi;
  Draw draw(stream);
  std::vector<std::complex<R>> z;
  for (std::int64_t i = 0; i < samples; ++i) {
    const R r = size<R>(range, draw);
    if (range == Range::Extreme && draw.one_in(4)) {
      const R other = size<R>(range, draw);
      z.emplace_back(draw.one_in(2) ? r : -r, draw.one_in(2) ? other : -other);
    } else if (draw.one_in(4)) {  // at a small angle to a half-axis
      const R off = r * static_cast<R>(std::exp2(draw.uniform(-std::numeric_limits<R>::digits - 3, 0)) * (draw.one_in(2) ? 1 : -1));
      const R along = draw.one_in(2) ? r : -r;
      z.push_back(draw.one_in(2) ? std::complex<R>(along, off) : std::complex<R>(off, along));
    } else {
      const double turn = draw.uniform(-pi, pi);
      z.emplace_back(r * static_cast<R>(std::cos(turn)), r * static_cast<R>(std::sin(turn)));
    }
  }
  if (range != Range::Extreme)
    for (const std::complex<double> point : near)
      for (int k = 1; k <= std::numeric_limits<R>::digits; ++k)
        for (const std::complex<double> side : {std::complex<double>(1, 0), {-1, 0}, {0, 1}, {0, -1}})
          z.emplace_back(point * (1.0 + side * std::exp2(-k)));
  return tensor(z);
}

template Tensor<float> real_numbers(Range, std::uint64_t, bool, const std::vector<double>&);
template Tensor<double> real_numbers(Range, std::uint64_t, bool, const std::vector<double>&);
template Tensor<std::complex<float>> complex_numbers(Range, std::uint64_t, const std::vector<std::complex<double>>&);
template Tensor<std::complex<double>> complex_numbers(Range, std::uint64_t, const std::vector<std::complex<double>>&);

}  // namespace accuracy
