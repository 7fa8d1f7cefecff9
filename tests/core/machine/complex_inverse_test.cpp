#include "core/machine/complex_inverse.h"

#include <array>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <utility>

#include "core/random.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(complex_inverse)

namespace {

/// The parts of w must have the signs of the parts of v and differ by at most `ulps` units of the larger part's last place; with
/// `each`, of their own last place.
template <RealScalar R>
void close(const char* name, std::complex<R> z, std::complex<R> w, std::complex<R> v, R ulps, bool each = false) {
  const R eps = std::numeric_limits<R>::epsilon(), size = std::max(std::abs(v.real()), std::abs(v.imag()));
  const R re = std::abs(w.real() - v.real()), im = std::abs(w.imag() - v.imag());
  BOOST_TEST((re <= ulps * eps * (each ? std::abs(v.real()) : size) && im <= ulps * eps * (each ? std::abs(v.imag()) : size)),
             name << z << " = " << w << ", not " << v);
  for (const auto& [own, right] : {std::pair(w.real(), v.real()), std::pair(w.imag(), v.imag())})
    if (own == 0 || std::abs(own) > ulps * eps * size)
      BOOST_TEST(std::signbit(own) == std::signbit(right), name << z << ": the sign of " << own);
}

template <RealScalar R>
void check_extremes() {
  using C = std::complex<R>;
  const R big = std::numeric_limits<R>::max() / 2, tiny = 4 * std::numeric_limits<R>::min(), pi = std::numbers::pi_v<R>;
  const R log_big = std::log(big / 4) + 3 * std::numbers::ln2_v<R>;
  for (const R x : {tiny, -tiny, R(0), R(-0.0)})
    for (const R y : {tiny, -tiny, R(0), R(-0.0)}) {  // asin z ~ asinh z ~ atan z ~ atanh z ~ z
      const C z(x, y);
      close("asin", z, kahan::asin(z), z, R(2), true);
      close("asinh", z, kahan::asinh(z), z, R(2), true);
      close("atan", z, kahan::atan(z), z, R(2), true);
      close("atanh", z, kahan::atanh(z), z, R(2), true);
    }
  for (const R sx : {R(1), R(-1)})
    for (const R sy : {R(1), R(-1)}) {
      const C z(sx * big, sy * big);  // |z| overflows
      const R l = log_big + std::numbers::ln2_v<R> / 2;
      close("asinh", z, kahan::asinh(z), C(sx * l, sy * pi / 4), R(2));
      close("acosh", z, kahan::acosh(z), C(l, sy * (sx > 0 ? pi / 4 : 3 * pi / 4)), R(2));
      close("asin", z, kahan::asin(z), C(sx * pi / 4, sy * l), R(2));
      close("acos", z, kahan::acos(z), C(sx > 0 ? pi / 4 : 3 * pi / 4, -sy * l), R(2));
      close("atan", z, kahan::atan(z), C(sx * pi / 2, 0 * sy), R(2));
      close("sqrt", z, kahan::sqrt(z),
            std::sqrt(big) * (sx > 0 ? C(std::cos(pi / 8), sy * std::sin(pi / 8)) : C(std::sin(pi / 8), sy * std::cos(pi / 8))) *
                std::sqrt(std::sqrt(R(2))),
            R(4));
    }
  BOOST_TEST(kahan::atanh(C(1, 0)).real() == std::numeric_limits<R>::infinity());
  const R eps = std::numeric_limits<R>::epsilon(), least = std::numeric_limits<R>::denorm_min(),
          largest = std::numeric_limits<R>::max();
  for (const R y : {eps * eps, tiny, tiny / 8, least}) {  // Re atanh(1 + iy) = ½ log(2/y)
    const R re = (std::numbers::ln2_v<R> - std::log(y)) / 2;
    close("atanh", C(1, y), kahan::atanh(C(1, y)), C(re, pi / 4), R(2), true);
    close("atan", C(y, -1), kahan::atan(C(y, -1)), C(pi / 4, -re), R(2), true);
  }
  const C small = kahan::atanh(C(largest, largest));  // 1/z, subnormal
  BOOST_TEST(std::abs(small.real() - 1 / largest / 2) <= least);
}

template <RealScalar R, class F, class G>
void compare(const char* name, const F& ours, const G& standard) {
  const auto x = randn<std::complex<R>>({2000}, Random(31, 1));
  for (std::int64_t i = 0; i < x.size(); ++i) {
    const std::complex<R> z = x.data()[i] * std::pow(R(10), static_cast<R>(i % 9 - 4));
    close<R>(name, z, ours(z), standard(z), R(6));
  }
  for (const R a : {R(2), R(-2), R(0.5), R(1), R(-1), R(0), R(-0.0)})  // both sides of the cuts
    for (const R b : {R(0), R(-0.0)})
      for (const std::complex<R> z : {std::complex<R>(a, b), std::complex<R>(b, a)}) {
        const std::complex<R> w = standard(z);
        if (std::isfinite(w.real()) && std::isfinite(w.imag())) close<R>(name, z, ours(z), w, R(6));
      }
}

}  // namespace

BOOST_AUTO_TEST_CASE(huge_and_tiny_numbers_keep_their_digits) {
  check_extremes<float>();
  check_extremes<double>();
}

// libc++'s own functions are what these replace.
#if !defined(_LIBCPP_VERSION)
BOOST_AUTO_TEST_CASE(they_are_the_functions_of_c99) {
  const auto all = []<class R>(R) {
    using C = std::complex<R>;
    compare<R>(
        "sqrt", [](C z) { return kahan::sqrt(z); }, [](C z) { return std::sqrt(z); });
    compare<R>(
        "asin", [](C z) { return kahan::asin(z); }, [](C z) { return std::asin(z); });
    compare<R>(
        "acos", [](C z) { return kahan::acos(z); }, [](C z) { return std::acos(z); });
    compare<R>(
        "atan", [](C z) { return kahan::atan(z); }, [](C z) { return std::atan(z); });
    compare<R>(
        "asinh", [](C z) { return kahan::asinh(z); }, [](C z) { return std::asinh(z); });
    compare<R>(
        "acosh", [](C z) { return kahan::acosh(z); }, [](C z) { return std::acosh(z); });
    compare<R>(
        "atanh", [](C z) { return kahan::atanh(z); }, [](C z) { return std::atanh(z); });
  };
  all(float());
  all(double());
}
#endif

BOOST_AUTO_TEST_SUITE_END()
