#include "core/kernels/vector_math.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <string>

#include "core/kernels/elementwise.h"
#include "core/random.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(vector_math)

namespace {

/// How many representable numbers lie between a and b. Equal infinities, any two NaNs and the two zeros count as equal; signs of
/// zeros are checked separately.
template <class R>
std::int64_t ulps(R a, R b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b) ? 0 : std::numeric_limits<std::int64_t>::max();
  using Int = std::conditional_t<sizeof(R) == 4, std::int32_t, std::int64_t>;
  const auto ordered = [](R x) -> std::int64_t {
    const Int bits = std::bit_cast<Int>(x);
    return bits < 0 ? -std::int64_t{bits & std::numeric_limits<Int>::max()} : bits;
  };
  const std::int64_t p = ordered(a), q = ordered(b);
  return p > q ? p - q : q - p;
}

/// All special numbers, then numbers of both signs with magnitudes spread over the whole range and over the ordinary one.
template <class R>
Tensor<R> arguments() {
  using L = std::numeric_limits<R>;
  const R special[] = {R(0),        -R(0),        L::quiet_NaN(),   L::infinity(), -L::infinity(), L::max(),
                       L::lowest(), L::min(),     -L::min(),        L::epsilon(),  R(1),           -R(1),
                       R(0.5),      L::max() / 4, L::denorm_min(),  R(1e5),        R(-1e5),        R(3.14159265358979323846),
                       R(88.7),     R(-87.4),     -L::denorm_min(), R(709.7),      R(-745.2),      R(-103.9),
                       R(1) / 3,    L::min() / 2, R(105414357.85),  R(-0.9999999), R(1e22),        R(2.5e-8)};
  const std::int64_t count = static_cast<std::int64_t>(std::size(special)), n = 20000;
  Tensor<R> x({n});
  const Random random(11);
  for (std::int64_t i = 0; i < n; ++i) {
    const auto at = static_cast<std::uint64_t>(i);
    const double sign = i % 2 == 0 ? 1 : -1;
    const double wide = std::exp2(random.uniform(at) * (L::max_exponent - L::min_exponent - 2) + L::min_exponent + 1);
    x(i) = static_cast<R>(i % 4 < 2 ? sign * wide : 20 * random.normal(at));
  }
  // The special numbers are spread among ordinary ones, so that they meet every lane of a vector and the loop's remainder.
  for (std::int64_t i = 0; i < n; i += 7) x(i) = special[i / 7 % count];
  for (std::int64_t i = 0; i < count; ++i) x(n - 1 - i) = special[i];
  return x;
}

/// What is wrong with `y` as a function value, given the exact value; "" if it is within 4 ulp and a zero has the right sign.
template <class R>
std::string flaw(R y, long double exact) {
  const R expected = static_cast<R>(exact);
  if (ulps(y, expected) > 4) return fmt::format("{}, expected {}", y, expected);
  if (y == 0 && expected == 0 && std::signbit(y) != std::signbit(expected)) return fmt::format("{}, a zero of the wrong sign", y);
  return "";
}

// Long double gives the exact value: no vector function exists for it, and it has eleven bits more than double.
template <class R, class Fast, class Exact>
void compare(const char* name, const Fast& fast, const Exact& exact) {
  const Tensor<R> x = arguments<R>();
  const Tensor<R> y = map_packs(fast, x);
  std::string first;
  for (std::int64_t i = 0; i < x.size() && first.empty(); ++i) {
    first = flaw(y(i), exact(static_cast<long double>(x(i))));
    if (!first.empty()) first = fmt::format("{}({}) = {}", name, x(i), first);
  }
  BOOST_TEST(first == "");
}

template <class R>
void compare_all() {
  using L = long double;
  compare<R>(
      "exp", [](auto x) { return math::exp(x); }, [](L x) { return std::exp(x); });
  compare<R>(
      "log", [](auto x) { return math::log(x); }, [](L x) { return std::log(x); });
  compare<R>(
      "sin", [](auto x) { return math::sin(x); }, [](L x) { return std::sin(x); });
  compare<R>(
      "cos", [](auto x) { return math::cos(x); }, [](L x) { return std::cos(x); });
  compare<R>(
      "tanh", [](auto x) { return math::tanh(x); }, [](L x) { return std::tanh(x); });
  compare<R>(
      "erfc", [](auto x) { return math::erfc(x); }, [](L x) { return std::erfc(x); });
  compare<R>(
      "expm1", [](auto x) { return math::expm1(x); }, [](L x) { return std::expm1(x); });
  compare<R>(
      "log1p", [](auto x) { return math::log1p(x); }, [](L x) { return std::log1p(x); });
  compare<R>(
      "erf", [](auto x) { return math::erf(x); }, [](L x) { return std::erf(x); });
}

template <class R>
void compare_atan2() {
  const Tensor<R> x = arguments<R>();
  Tensor<R> y = arguments<R>();
  std::rotate(y.begin(), y.begin() + 7 * 13, y.end());
  const auto check = [](const Tensor<R>& p, const Tensor<R>& q) {
    const Tensor<R> angle = map_packs([](auto a, auto b) { return math::atan2(a, b); }, p, q);
    std::string first;
    for (std::int64_t i = 0; i < p.size() && first.empty(); ++i) {
      first = flaw(angle(i), std::atan2(static_cast<long double>(p(i)), static_cast<long double>(q(i))));
      if (!first.empty()) first = fmt::format("atan2({}, {}) = {}", p(i), q(i), first);
    }
    BOOST_TEST(first == "");
  };
  check(y, x);
  check(x, x);
  // Every pair of special numbers.
  const std::int64_t count = 30;
  Tensor<R> p({count * count}), q({count * count});
  for (std::int64_t i = 0; i < count * count; ++i) {
    p(i) = x(x.size() - 1 - i / count);
    q(i) = x(x.size() - 1 - i % count);
  }
  check(p, q);
}

}  // namespace

BOOST_AUTO_TEST_CASE(float_functions_are_within_4_ulp_everywhere) { compare_all<float>(); }
BOOST_AUTO_TEST_CASE(double_functions_are_within_4_ulp_everywhere) { compare_all<double>(); }
BOOST_AUTO_TEST_CASE(atan2_is_correct_in_every_quadrant) {
  compare_atan2<float>();
  compare_atan2<double>();
}

BOOST_AUTO_TEST_SUITE_END()
