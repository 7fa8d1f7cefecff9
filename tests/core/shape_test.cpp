#include "core/shape.h"

#include <boost/test/unit_test.hpp>
#include <vector>

#include "core/tensor.h"
#include "tests/error_text.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(shape)

BOOST_AUTO_TEST_CASE(prints_counts_and_compares) {
  BOOST_TEST(Shape({2, 3}).str() == "[2, 3]");
  BOOST_TEST(Shape{}.str() == "[]");
  BOOST_TEST(fmt::format("{}", Shape({7})) == "[7]");
  BOOST_TEST(Shape({2, 3, 4}).size() == 24);
  BOOST_TEST(Shape({2, 0, 4}).size() == 0);
  BOOST_TEST(Shape{}.size() == 1);
  BOOST_CHECK(Shape({2, 3}) == Shape({2, 3}));
  BOOST_CHECK(!(Shape({2, 3}) == Shape({2, 3, 1})));
  BOOST_CHECK(!(Shape({2, 3}) == Shape({3, 2})));
}

BOOST_AUTO_TEST_CASE(axes_count_from_both_ends) {
  Shape s{2, 3, 4};
  BOOST_TEST(s[0] == 2);
  BOOST_TEST(s[-1] == 4);
  BOOST_TEST(s.back() == 4);
  BOOST_TEST(s.rows() == 6);
  BOOST_TEST(Shape{}.rows() == 1);
  BOOST_TEST(s.checked(-3) == 0);
  s[-2] = 5;
  BOOST_CHECK(s == Shape({2, 5, 4}));
  s.erase(1);
  BOOST_CHECK(s == Shape({2, 4}));
  s.push_back(6);
  BOOST_CHECK(s == Shape({2, 4, 6}));
  BOOST_TEST(error_of([&] { s[3]; }) == "shape: axis 3 is out of range for [2, 4, 6]");
  BOOST_TEST(error_of([&] { s[-4]; }) == "shape: axis -4 is out of range for [2, 4, 6]");
  BOOST_TEST(error_of([] { Shape{}.back(); }) == "shape: axis -1 is out of range for []");
}

BOOST_AUTO_TEST_CASE(sizes_are_checked) {
  BOOST_TEST(error_of([] { Shape({2, -1}); }) == "shape: sizes cannot be negative, got -1");
  BOOST_TEST(error_of([] { Shape({1, 1, 1, 1, 1, 1, 1, 1, 1}); }) == "shape: at most 8 axes are supported");
  BOOST_TEST(error_of([] { Shape({std::int64_t{1} << 40, 1 << 20}); }) == "shape: [1099511627776, 1048576] has too many elements");
  // An empty axis must not hide an overflow in the product of the other sizes.
  BOOST_TEST(error_of([] { Shape({0, std::int64_t{1} << 62}); }) == "shape: [0, 4611686018427387904] has too many elements");
}

BOOST_AUTO_TEST_CASE(sizes_that_are_set_later_are_checked_before_they_count) {
  Shape s{2, 8};
  s[0] = std::int64_t{1} << 61;  // 8 times this is 0 in 64 bits
  const std::string refusal = "shape: [2305843009213693952, 8] has too many elements";
  BOOST_TEST(error_of([&] { s.size(); }) == refusal);
  BOOST_TEST(error_of([&] { Tensor<float> x(s); }) == refusal);
  BOOST_TEST(error_of([&] { Tensor<float>::zeros(s); }) == refusal);
  BOOST_TEST(error_of([&] { Ids ids(s); }) == refusal);
  BOOST_TEST(error_of([&] { s.push_back(2); }) == "shape: [2305843009213693952, 8, 2] has too many elements");
  s[0] = -2;
  BOOST_TEST(error_of([&] { Tensor<float> x(s); }) == "shape: sizes cannot be negative, got -2");
  s[-1] = 0;
  s[0] = std::int64_t{1} << 50;
  BOOST_TEST(error_of([&] { Tensor<float> x(s); }) == "shape: [1125899906842624, 0] has too many elements");
}

BOOST_AUTO_TEST_CASE(strides_are_row_major) {
  const auto strides = strides_of({2, 3, 4});
  const std::vector<std::int64_t> expected{12, 4, 1};
  BOOST_TEST(std::vector<std::int64_t>(strides.begin(), strides.begin() + 3) == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(broadcasting_aligns_at_the_last_axis) {
  BOOST_CHECK(broadcast("add", {2, 3}, {3}) == Shape({2, 3}));
  BOOST_CHECK(broadcast("add", {2, 1, 4}, {3, 1}) == Shape({2, 3, 4}));
  BOOST_CHECK(broadcast("add", {}, {5}) == Shape({5}));
  BOOST_CHECK(broadcast("add", {1}, {0}) == Shape({0}));
  BOOST_TEST(error_of([] { broadcast("add", {2, 3}, {4}); }) == "add: shapes cannot be broadcast together: [2, 3] and [4]");
  BOOST_TEST(error_of([] { broadcast("mul", {0}, {2}); }) == "mul: shapes cannot be broadcast together: [0] and [2]");
}

BOOST_AUTO_TEST_SUITE_END()
