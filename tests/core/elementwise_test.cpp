#include "core/kernels/elementwise.h"

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "core/random.h"
#include "tests/error_text.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(elementwise)

namespace {

/// The element of x for an index of the result, by the definition of broadcasting.
template <class T>
T stretched(const Tensor<T>& x, const Shape& result, std::int64_t flat) {
  const auto steps = strides_of(x.shape());
  std::int64_t at = 0;
  for (int axis = result.rank() - 1; axis >= 0; --axis) {
    const std::int64_t index = flat % result[axis];
    flat /= result[axis];
    const int own = axis - (result.rank() - x.rank());
    if (own >= 0 && x.dim(own) != 1) at += index * steps[static_cast<std::size_t>(own)];
  }
  return x.data()[at];
}

const std::pair<Shape, Shape> stretching[] = {
    {{2, 3}, {3}}, {{3}, {2, 3}}, {{2, 3}, {2, 1}}, {{2, 1}, {1, 3}}, {{4, 1, 5}, {3, 1}},    {{2, 3, 4}, {2, 1, 4}},
    {{2, 3}, {}},  {{}, {}},      {{1}, {7}},       {{0, 3}, {3}},    {{40, 1, 300}, {7, 1}}, {{2, 3, 1, 2, 2}, {3, 5, 1, 1}},
};

}  // namespace

BOOST_AUTO_TEST_CASE(map_applies_to_all_and_checks_shapes) {
  const Tensor<double> x = rand<double>({3, 5000}, Random(1)), y = rand<double>({3, 5000}, Random(2));
  const Tensor<double> z = map([](double a, double b) { return a - 2 * b; }, x, y);
  for (std::int64_t i = 0; i < z.size(); ++i) BOOST_REQUIRE_EQUAL(z.data()[i], x.data()[i] - 2 * y.data()[i]);
  const auto f = [](double a, double) { return a; };
  BOOST_TEST(error_of([&] { map(f, x, y.reshape({15000})); }) == "map: shapes do not match: [3, 5000] and [15000]");
}

BOOST_AUTO_TEST_CASE(broadcast_map_equals_the_definition) {
  for (const auto& [a_shape, b_shape] : stretching) {
    const auto a = randn<double>(a_shape, Random(3));
    const auto b = randn<std::complex<double>>(b_shape, Random(4));
    const auto y = broadcast_map(
        "op", [](double p, std::complex<double> q) { return mul(p, q); }, a, b);
    BOOST_CHECK(y.shape() == broadcast("op", a_shape, b_shape));
    for (std::int64_t i = 0; i < y.size(); ++i)
      BOOST_REQUIRE_EQUAL(y.data()[i], mul(stretched(a, y.shape(), i), stretched(b, y.shape(), i)));
  }
  const auto f = [](float p, float) { return p; };
  BOOST_TEST(error_of([&] { broadcast_map("sub", f, Tensor<float>({2}), Tensor<float>({3})); }) ==
             "sub: shapes cannot be broadcast together: [2] and [3]");
}

BOOST_AUTO_TEST_CASE(sum_to_is_the_adjoint_of_broadcasting) {
  // <broadcast(b), x> = <b, sum_to(x)> for every b and x.
  for (const auto& [a_shape, b_shape] : stretching) {
    const Shape wide = broadcast("op", a_shape, b_shape);
    const auto x = randn<double>(wide, Random(5)), b = randn<double>(b_shape, Random(6));
    const auto s = sum_to(x, b_shape);
    BOOST_CHECK(s.shape() == b_shape);
    double left = 0, right = 0;
    for (std::int64_t i = 0; i < x.size(); ++i) left += stretched(b, wide, i) * x.data()[i];
    for (std::int64_t i = 0; i < b.size(); ++i) right += b.data()[i] * s.data()[i];
    BOOST_TEST(left == right, boost::test_tools::tolerance(1e-11));
  }
}

BOOST_AUTO_TEST_CASE(sum_to_checks_shapes) {
  BOOST_TEST(error_of([] {
               sum_to(Tensor<float>::ones({2, 3}), {4});
             }) == "sum_to: shapes cannot be broadcast together: [2, 3] and [4]");
  BOOST_TEST(error_of([] { sum_to(Tensor<float>::ones({3}), {2, 3}); }) == "sum_to: [2, 3] does not broadcast to [3]");
  for (const float y : sum_to(Tensor<float>({0, 3}), {3})) BOOST_TEST(y == 0);  // an empty sum
}

BOOST_AUTO_TEST_CASE(long_sums_are_accurate) {
  // A single running sum of this many numbers would be off by 1 %.
  for (const std::int64_t columns : {1, 3, 70}) {
    const std::int64_t rows = 1 << 20;
    const auto sums = sum_to(Tensor<float>::full({rows, columns}, 0.1f), {columns});
    for (const float y : sums) BOOST_TEST(y == 0.1f * static_cast<float>(rows), boost::test_tools::tolerance(1e-4f));
  }
  // Sums are as accurate if the kept axes are not the last ones: sums over rows, over columns, and over both.
  const std::int64_t n = 1 << 20;
  for (const Shape& shape : {Shape{2, n, 3}, Shape{2, n, 1}, Shape{2, 3, n}, Shape{2, n / 64, 64}})
    for (const Shape& left : {Shape{2, 1, 1}, Shape{2, 1, shape[2]}, Shape{2, shape[1], 1}}) {
      const auto sums = sum_to(Tensor<float>::full(shape, 0.1f), left);
      const auto terms = static_cast<float>(shape.size() / left.size());
      BOOST_TEST(sums.shape() == left);
      for (const float y : sums)
        if (std::abs(y / (0.1f * terms) - 1) > 1e-4f) BOOST_FAIL(fmt::format("{} to {}: {} for {}", shape, left, y, 0.1f * terms));
    }
}

BOOST_AUTO_TEST_CASE(sums_do_not_depend_on_the_number_of_threads) {
  const auto x = randn<float>({37, 5, 301}, Random(7));
  const int before = num_threads();
  for (const Shape& shape : {Shape{301}, Shape{5, 301}, Shape{37, 1, 1}, Shape{5, 1}, Shape{}}) {
    set_num_threads(1);
    const auto one = sum_to(x, shape);
    for (const int threads : {2, 3, 8}) {
      set_num_threads(threads);
      const auto many = sum_to(x, shape);
      BOOST_CHECK(std::equal(one.begin(), one.end(), many.begin()));
    }
  }
  const auto tall = randn<float>({9001, 130}, Random(8));  // several blocks of rows
  for (const Shape& shape : {Shape{130}, Shape{1}}) {
    set_num_threads(1);
    const auto one = sum_to(tall, shape);
    set_num_threads(3);
    const auto many = sum_to(tall, shape);
    BOOST_CHECK(std::equal(one.begin(), one.end(), many.begin()));
  }
  set_num_threads(before);
}

BOOST_AUTO_TEST_SUITE_END()
