/// Loops that compilers are known to miscompile with this library's flags. If one of these tests fails, the compiler silently
/// breaks complex arithmetic: do not trust any gradient from this build.

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <vector>

#include "core/scalar.h"

#if defined(__clang__)
#define ARGAND_OPAQUE __attribute__((noinline))
#else
#define ARGAND_OPAQUE __attribute__((noipa))
#endif

using namespace argand;

BOOST_AUTO_TEST_SUITE(compiler_canary)

namespace {

constexpr int n = 67;  // whole SIMD vectors of any width, and a tail

/// GCC PR 114375: the permutation of a masked load was dropped.
ARGAND_OPAQUE void masked_swap(const int* mask, const float* s, float* out) {
  for (int i = 0; i < n; ++i) {
    float a = 0, b = 0;
    if (mask[2 * i] > 0) a = s[2 * i + 1];
    if (mask[2 * i + 1] > 0) b = s[2 * i];
    out[2 * i] = a;
    out[2 * i + 1] = b;
  }
}

/// GCC PR 110381: a sum in program order lost the permutation of its terms.
template <class R>
ARGAND_OPAQUE R swapped_sum(const R* s) {
  R t = 0;
  for (int i = 0; i < n; ++i) {
    t += s[2 * i + 1];
    t += s[2 * i];
  }
  return t;
}
template <class R>
ARGAND_OPAQUE R rotated_sum(const R* s) {
  R t = 0;
  for (int i = 0; i < n / 3; ++i) {
    t += s[3 * i + 2];
    t += s[3 * i];
    t += s[3 * i + 1];
  }
  return t;
}

/// y[i] += f(x[i], v[i]), which is how every gradient is added to an existing one.
template <class T, class F>
ARGAND_OPAQUE void add_each(const F& f, std::int64_t count, T* __restrict y, const T* x, const T* v) {
  for (std::int64_t i = 0; i < count; ++i) y[i] += f(x[i], v[i]);
}

/// The gradients of a quotient and of the cardioid as argand once computed them. GCC 11 and 12 added them wrongly under -O3
/// -mavx2 -fno-trapping-math, the second one in float only.
template <class T>
constexpr auto quotient_gradient = [](T q, T v) { return q == T(0) ? T(0) : -conj_mul(v, q); };
template <class T>
constexpr auto cardioid_gradient = [](T z, T g) {
  using R = RealOf<T>;
  const double a = z.real(), b = z.imag(), square = a * a + b * b, inverse = square == 0 ? 0 : 1 / std::sqrt(square);
  const T u(static_cast<R>(a * inverse), static_cast<R>(b * inverse));
  if (u == T(0)) return T(0);
  const R s = R(0.5) * (1 + u.real()), t = R(-0.5) * u.imag() * conj_mul(u, g).real();
  return T(s * g.real() - t * u.imag(), s * g.imag() + t * u.real());
};

/// The loop over n elements must equal n loops over one element, in which nothing can be vectorised.
template <class T, class F>
void whole_equals_single(const char* name, const F& f) {
  using R = RealOf<T>;
  std::vector<T> x(n), v(n), y(n);
  for (int i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    x[k] = i == 13 ? T(0) : T(static_cast<R>(1 + i % 7), static_cast<R>(2 - i % 5));
    v[k] = T(static_cast<R>(i % 11) / 2, static_cast<R>(3 - i % 4));
    y[k] = T(static_cast<R>(i), static_cast<R>(1 - i));
  }
  std::vector<T> whole = y, single = y;
  add_each(f, n, whole.data(), x.data(), v.data());
  for (std::size_t k = 0; k < y.size(); ++k) add_each(f, 1, &single[k], &x[k], &v[k]);
  int wrong = 0;
  for (std::size_t k = 0; k < y.size(); ++k)
    if (whole[k] != single[k]) ++wrong;
  BOOST_TEST(wrong == 0, name << ": " << wrong << " of " << n << " elements wrong");
}

template <class R>
void sums_are_in_order() {
  std::vector<R> s(2 * n);
  for (int i = 0; i < 2 * n; ++i)
    s[static_cast<std::size_t>(i)] = static_cast<R>((i * 7919) % 1009) * (i % 2 == 0 ? R(1e-3) : R(1e3));
  volatile R two = 0, three = 0;
  for (std::size_t i = 0; i < n; ++i) {
    two = two + s[2 * i + 1];
    two = two + s[2 * i];
  }
  for (std::size_t i = 0; i < n / 3; ++i) {
    three = three + s[3 * i + 2];
    three = three + s[3 * i];
    three = three + s[3 * i + 1];
  }
  BOOST_TEST(swapped_sum(s.data()) == R(two));
  BOOST_TEST(rotated_sum(s.data()) == R(three));
}

}  // namespace

BOOST_AUTO_TEST_CASE(masked_loads_keep_their_permutation) {
  std::vector<int> mask(2 * n);
  std::vector<float> s(2 * n), out(2 * n);
  for (int i = 0; i < 2 * n; ++i) {
    mask[static_cast<std::size_t>(i)] = (i * 7) % 5 - 2;
    s[static_cast<std::size_t>(i)] = static_cast<float>(i + 1);
  }
  masked_swap(mask.data(), s.data(), out.data());
  int wrong = 0;
  for (std::size_t i = 0; i < 2 * n; ++i) {
    const volatile float expected = mask[i] > 0 ? s[i ^ 1] : 0;
    if (out[i] != expected) ++wrong;
  }
  BOOST_TEST(wrong == 0);
}

BOOST_AUTO_TEST_CASE(sums_keep_their_order) {
  sums_are_in_order<float>();
  sums_are_in_order<double>();
}

BOOST_AUTO_TEST_CASE(added_gradients_are_whole) {
  using C64 = std::complex<float>;
  using C128 = std::complex<double>;
  whole_equals_single<C64>("quotient, float", quotient_gradient<C64>);
  whole_equals_single<C128>("quotient, double", quotient_gradient<C128>);
  whole_equals_single<C64>("cardioid, float", cardioid_gradient<C64>);
  whole_equals_single<C128>("cardioid, double", cardioid_gradient<C128>);
}

BOOST_AUTO_TEST_SUITE_END()
