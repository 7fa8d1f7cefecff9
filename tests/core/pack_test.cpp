/// Packs compared with plain loops: every operation, whole packs and tails of every length, on each level for which the code is
/// compiled.

#include "core/kernels/pack.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "core/kernels/compensated.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(pack)

namespace {

template <class R>
std::vector<R> numbers(std::int64_t n, int salt) {
  std::vector<R> x(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) x[static_cast<std::size_t>(i)] = static_cast<R>((i * 37 + salt * 11) % 23 - 11) / 4;
  return x;
}

constexpr std::int64_t longest = 67;

/// Checks that of_packs(at, x, y) equals of_reals(x, y) in every element, for arrays of every length, and writes nothing beyond
/// their ends.
template <class R, class P, class S>
void compare(const char* name, const P& of_packs, const S& of_reals) {
  for (std::int64_t n = 0; n <= longest; ++n) {
    const std::vector<R> x = numbers<R>(n, 1), y = numbers<R>(n, 2);
    std::vector<R> out(static_cast<std::size_t>(n) + 70, R(99));
    for_packs<R>(0, n, [&](auto at) { at.store(out.data(), of_packs(at.load(x.data()), at.load(y.data()))); });
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(out.size()); ++i) {
      const auto k = static_cast<std::size_t>(i);
      const R expected = i < n ? of_reals(x[k], y[k]) : R(99);
      if (!(out[k] == expected || (std::isnan(out[k]) && std::isnan(expected)))) ++wrong;
    }
    BOOST_TEST(wrong == 0, name << ", n = " << n << ": " << wrong << " wrong");
  }
}

template <class R>
void compare_all() {
  using P = Pack<R>;
  compare<R>(
      "+", [](P x, P y) { return x + y; }, [](R x, R y) { return x + y; });
  compare<R>(
      "-", [](P x, P y) { return x - y; }, [](R x, R y) { return x - y; });
  compare<R>(
      "*", [](P x, P y) { return x * y; }, [](R x, R y) { return x * y; });
  compare<R>(
      "/", [](P x, P y) { return x / y; }, [](R x, R y) { return x / y; });
  compare<R>(
      "negation", [](P x, P) { return -x; }, [](R x, R) { return -x; });
  compare<R>(
      "select <", [](P x, P y) { return math::select(x < y, x, y * y); }, [](R x, R y) { return x < y ? x : y * y; });
  compare<R>(
      "select <= and !", [](P x, P y) { return math::select(!(x <= y), x, P(7)); }, [](R x, R y) { return x > y ? x : R(7); });
  compare<R>(
      "select == and |", [](P x, P y) { return math::select((x == y) | (x > P(1)), x, -y); },
      [](R x, R y) { return x == y || x > 1 ? x : -y; });
  compare<R>(
      "select >= and &", [](P x, P y) { return math::select((x >= P(0)) & (y != P(0)), y, x); },
      [](R x, R y) { return x >= 0 && y != 0 ? y : x; });
  compare<R>(
      "abs", [](P x, P) { return math::abs(x); }, [](R x, R) { return std::abs(x); });
  compare<R>(
      "sqrt", [](P x, P) { return math::sqrt(x); }, [](R x, R) { return std::sqrt(x); });
  compare<R>(
      "max", [](P x, P y) { return math::max(x, y); }, [](R x, R y) { return std::max(x, y); });
  compare<R>(
      "min", [](P x, P y) { return math::min(x, y); }, [](R x, R y) { return std::min(x, y); });
}

template <class R>
void complex_pairs() {
  using C = std::complex<R>;
  for (std::int64_t n = 0; n <= longest; ++n) {
    const std::vector<R> re = numbers<R>(n, 3), im = numbers<R>(n, 4);
    std::vector<C> z, out(static_cast<std::size_t>(n) + 70, C(99, 99)), sum = out;
    for (std::size_t k = 0; k < re.size(); ++k) z.emplace_back(re[k], im[k]);
    for_packs<R>(0, n, [&](auto at) {
      const auto [x, y] = at.load(z.data());
      at.store(out.data(), ComplexPack<R>{x * x - y * y, x * y + x * y});
      at.add(sum.data(), ComplexPack<R>{x, y});
    });
    std::int64_t wrong = 0;
    for (std::size_t k = 0; k < out.size(); ++k) {
      const bool inside = k < z.size();
      if (out[k] != (inside ? mul(z[k], z[k]) : C(99, 99))) ++wrong;
      if (sum[k] != (inside ? C(99, 99) + z[k] : C(99, 99))) ++wrong;
    }
    BOOST_TEST(wrong == 0, "n = " << n << ": " << wrong << " wrong");
  }
}

template <class R>
void sums() {
  for (std::int64_t n = 0; n <= longest; ++n) {
    const std::vector<R> x = numbers<R>(n, 5);
    R expected = 0;  // x holds quarters, whose sums are exact in any order
    for (const R v : x) expected += v + 1;
    BOOST_TEST(pack_sum<R>(0, n, [&](auto at) { return at.load(x.data()) + R(1); }) == expected, "n = " << n);
  }
  Pack<R> p(R(-3));
  p.lanes[Pack<R>::width - 1] = 5;
  BOOST_TEST(largest(p) == 5);
  BOOST_TEST(any(p > R(4)));
  BOOST_TEST(!any(p > R(5)));
}

}  // namespace

BOOST_AUTO_TEST_CASE(operations_equal_those_of_reals) {
  compare_all<float>();
  compare_all<double>();
}
BOOST_AUTO_TEST_CASE(pairs_are_split_and_joined) {
  complex_pairs<float>();
  complex_pairs<double>();
}
template <class R>
void check_errors_of_products() {
  using Pairs = Pack<R>;
  for (int k = 0; k < 200; ++k) {
    Pairs a(R(0)), b(R(0));
    for (int l = 0; l < Pairs::width; ++l) {
      a.lanes[l] = std::ldexp(R(1) + R(k * 37 + l) * std::numeric_limits<R>::epsilon() * 977, k % 40 - 20);
      b.lanes[l] = -std::ldexp(R(1.5) + R(k * 11 + l) * std::numeric_limits<R>::epsilon() * 3541, k % 30 - 15);
    }
    const WithError<Pairs> p = exact_product(a, b);
    for (int l = 0; l < Pairs::width; ++l) {
      const WithError<R> one = exact_product<R>(a[l], b[l]);  // without a fused instruction
      BOOST_TEST(p.value[l] == one.value);
      BOOST_TEST(p.error[l] == one.error);
      if (sizeof(R) == 4)  // a double holds the product
        BOOST_TEST(static_cast<double>(p.value[l]) + static_cast<double>(p.error[l]) ==
                   static_cast<double>(a[l]) * static_cast<double>(b[l]));
    }
  }
}

BOOST_AUTO_TEST_CASE(errors_of_products_are_exact_at_every_level) {
  check_errors_of_products<float>();
  check_errors_of_products<double>();
}

BOOST_AUTO_TEST_CASE(sums_leave_out_what_is_beyond_the_end) {
  sums<float>();
  sums<double>();
}
BOOST_AUTO_TEST_CASE(the_sign_of_zero_and_nan_survive) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  BOOST_TEST(std::signbit(Pack<double>(-0.0)[0]));
  BOOST_TEST(!std::signbit(math::abs(Pack<double>(-0.0))[0]));
  BOOST_TEST(std::isnan(math::abs(Pack<double>(nan))[0]));
  BOOST_TEST(std::isnan(math::sqrt(Pack<double>(-1.0))[0]));
  BOOST_TEST(!std::signbit(math::abs(-0.0)));
}

BOOST_AUTO_TEST_SUITE_END()
