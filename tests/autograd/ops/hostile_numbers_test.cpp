/// Ops that compute several numbers at a time give, for infinities, NaNs, zeros of both signs and the ends of the range, in every
/// combination, what they give for one number.

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>

#include "autograd/ops.h"
#include "core/kernels/complex_math.h"

BOOST_AUTO_TEST_SUITE(hostile_numbers)

using namespace argand;

namespace {

template <RealScalar R>
std::vector<R> hostile() {
  using Limits = std::numeric_limits<R>;
  const R infinity = Limits::infinity();
  return {0,
          R(-0.0),
          1,
          -1,
          R(0.7),
          R(-2.5),
          90,
          -90,
          infinity,
          -infinity,
          Limits::quiet_NaN(),
          Limits::max(),
          -Limits::max(),
          Limits::min(),
          Limits::denorm_min()};
}
/// Every pair of them: as two reals, or as one complex number and a second one with the parts in another order.
template <Scalar T>
std::pair<Tensor<T>, Tensor<T>> pairs() {
  using R = RealOf<T>;
  std::vector<T> a, b;
  for (const R x : hostile<R>())
    for (const R y : hostile<R>())
      if constexpr (RealScalar<T>)
        a.push_back(x), b.push_back(y);
      else
        a.emplace_back(x, y), b.emplace_back(y, R(3) - x);
  const auto n = static_cast<std::int64_t>(a.size());
  return {Tensor<T>({n}, a), Tensor<T>({n}, b)};
}

/// The same bits, or both NaN.
template <RealScalar R>
bool equal(R x, R y) {
  return std::isnan(x) ? std::isnan(y) : x == y && std::signbit(x) == std::signbit(y);
}
template <RealScalar R>
bool equal(std::complex<R> x, std::complex<R> y) {
  return equal(x.real(), y.real()) && equal(x.imag(), y.imag());
}

/// Whether `got` is `exact` rounded to float, or its neighbour.
bool is_rounded(float got, double exact) {
  const auto expected = static_cast<float>(exact);
  return equal(got, expected) || std::nextafter(got, expected) == expected;
}

template <class F, Scalar Y, Scalar... T>
void is(const char* name, const Tensor<Y>& y, const F& f, const Tensor<T>&... x) {
  std::int64_t wrong = 0, first = -1;
  for (std::int64_t i = 0; i < y.size(); ++i)
    if (!equal(y.data()[i], f(x.data()[i]...)) && wrong++ == 0) first = i;
  BOOST_TEST(wrong == 0, name << ": " << wrong << " wrong elements, the first is " << first);
}

template <Scalar A, Scalar B>
void arithmetic(const Tensor<A>& a, const Tensor<B>& b) {
  const Var<A> x = constant(a);
  const Var<B> y = constant(b);
  is(
      "add", (x + y).value(), [](A u, B v) { return u + v; }, a, b);
  is(
      "sub", (x - y).value(), [](A u, B v) { return u - v; }, a, b);
  is(
      "mul", (x * y).value(), [](A u, B v) { return mul(u, v); }, a, b);
  is(
      "div", (x / y).value(), [](A u, B v) { return divide(u, v); }, a, b);
  const A first = a.data()[3];
  is(
      "add, a number for all", (constant(Tensor<A>({1}, {first})) + y).value(), [first](B v) { return first + v; }, b);
  is(
      "sub, a number for all", (y - constant(Tensor<A>({1}, {first}))).value(), [first](B v) { return v - first; }, b);
}

template <Scalar T>
void comparisons() {
  const auto both = pairs<T>();
  const Tensor<T>&a = both.first, &b = both.second;
  const auto agrees = [&](const char* name, const Mask& mask, const auto& f) {
    for (std::int64_t i = 0; i < a.size(); ++i) BOOST_TEST(mask[i] == f(a.data()[i], b.data()[i]), name << ", element " << i);
  };
  agrees("==", eq(a, b), [](T x, T y) { return x == y; });
  agrees("!=", ne(a, b), [](T x, T y) { return x != y; });
  agrees("isnan", isnan(a), [](T x, T) { return x != x; });
  if constexpr (RealScalar<T>) {
    agrees(">", gt(a, b), [](T x, T y) { return x > y; });
    agrees(">=", ge(a, b), [](T x, T y) { return x >= y; });
    agrees("<", lt(a, b), [](T x, T y) { return x < y; });
    agrees("<=", le(a, b), [](T x, T y) { return x <= y; });
    is(
        "clamp", clamp(constant(a), T(-1), T(2)).value(), [](T x) { return x < -1  ? T(-1)
                                                                           : x > 2 ? T(2)
                                                                                   : x; }, a);
  }
  const Mask mask = ne(a, b);
  is(
      "where", where(mask, constant(a), constant(b)).value(), [](T x, T y) { return x != y ? x : y; }, a, b);
}

}  // namespace

BOOST_AUTO_TEST_CASE(arithmetic_has_the_bits_of_single_numbers) {
  const auto check = []<RealScalar R>(R) {
    const auto [a, b] = pairs<R>();
    const auto [z, w] = pairs<std::complex<R>>();
    arithmetic(a, b);
    arithmetic(z, w);
    arithmetic(a, w);
    arithmetic(z, b);
  };
  check(float());
  check(double());
}

BOOST_AUTO_TEST_CASE(comparisons_and_where_are_those_of_single_numbers) {
  comparisons<float>();
  comparisons<double>();
  comparisons<std::complex<float>>();
  comparisons<std::complex<double>>();
}

// Floats are computed as packs of doubles: the result is that of the C library for double, rounded, or its neighbour.
BOOST_AUTO_TEST_CASE(elementary_functions_of_floats_are_those_of_doubles) {
  std::vector<float> numbers = hostile<float>();
  for (int k = -60; k <= 60; ++k) numbers.push_back(static_cast<float>(k) / 32), numbers.push_back(static_cast<float>(k) * 1.7F);
  const Tensor<float> x({static_cast<std::int64_t>(numbers.size())}, numbers);
  const auto agrees = [&](const char* name, const Tensor<float>& y, const auto& exact) {
    for (std::int64_t i = 0; i < x.size(); ++i) {
      const double expected = exact(static_cast<double>(x.data()[i]));
      const float got = y.data()[i];
      BOOST_TEST(is_rounded(got, expected), name << "(" << x.data()[i] << ") is " << got << ", should be " << expected);
    }
  };
#define AGREES(f) agrees(#f, f(constant(x)).value(), [](double v) { return std::f(v); })
  AGREES(exp);
  AGREES(log);
  AGREES(sqrt);
  AGREES(sin);
  AGREES(cos);
  AGREES(tan);
  AGREES(sinh);
  AGREES(cosh);
  AGREES(asin);
  AGREES(acos);
  AGREES(atan);
  AGREES(expm1);
  AGREES(log1p);
#undef AGREES
  agrees("pow 3", pow(constant(x), 3).value(), [](double v) { return v * v * v; });
}

BOOST_AUTO_TEST_CASE(angles_of_floats_are_those_of_doubles) {
  const auto both = pairs<float>();
  const Tensor<float>&y = both.first, &x = both.second;
  const Tensor<float> of_two = atan2(constant(y), constant(x)).value(),
                      of_complex = angle(make_complex(constant(x), constant(y))).value();
  for (std::int64_t i = 0; i < x.size(); ++i) {
    const float b = y.data()[i], a = x.data()[i];
    const double exact = std::atan2(static_cast<double>(b), static_cast<double>(a));
    BOOST_TEST(is_rounded(of_two.data()[i], exact), "atan2(" << b << ", " << a << ") is " << of_two.data()[i]);
    BOOST_TEST(is_rounded(of_complex.data()[i], exact), "angle(" << a << " + " << b << "i) is " << of_complex.data()[i]);
  }
}

// As C99 defines e^z for infinities and NaNs.
BOOST_AUTO_TEST_CASE(complex_exponentials_of_floats_are_those_of_doubles) {
  const Tensor<std::complex<float>> z = pairs<std::complex<float>>().first, w = exp(constant(z)).value();
  for (std::int64_t i = 0; i < z.size(); ++i) {
    const std::complex<double> v = z.data()[i], exact = std::exp(v);
    BOOST_TEST((is_rounded(w.data()[i].real(), exact.real()) && is_rounded(w.data()[i].imag(), exact.imag())),
               "exp" << v << " is " << w.data()[i] << ", should be " << exact);
  }
}

BOOST_AUTO_TEST_SUITE_END()
