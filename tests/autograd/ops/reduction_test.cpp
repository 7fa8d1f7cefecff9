#include "autograd/ops/rows/reduction.h"

#include <boost/test/unit_test.hpp>
#include <limits>

#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/elementwise/complex_parts.h"
#include "autograd/ops/rows/softmax.h"
#include "autograd/ops/shape.h"
#include "autograd/tape.h"
#include "core/parallel.h"
#include "core/random.h"
#include "tests/autograd/same.h"
#include "tests/error_text.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(reduction)

using C = std::complex<double>;

namespace {
constexpr double infinity = std::numeric_limits<double>::infinity();
}  // namespace

BOOST_AUTO_TEST_CASE(sums_over_each_axis) {
  auto x = variable(Tensor<double>({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}));
  same(sum(x).value(), Tensor<double>::scalar(36));
  same(sum(x, 0).value(), Tensor<double>({2, 2}, {6, 8, 10, 12}));
  same(sum(x, 1, true).value(), Tensor<double>({2, 1, 2}, {4, 6, 12, 14}));
  same(mean(x, -1).value(), Tensor<double>({2, 2}, {1.5, 3.5, 5.5, 7.5}));
  backward(sum(sum(x, 1) * constant(Tensor<double>({2, 2}, {1, 2, 3, 4}))));
  same(x.grad(), Tensor<double>({2, 2, 2}, {1, 2, 1, 2, 3, 4, 3, 4}));
  same(sum(constant(Tensor<double>::zeros({0, 3})), 0).value(), Tensor<double>::zeros({3}));
}

BOOST_AUTO_TEST_CASE(gradients_are_accumulated) {
  auto x = variable(Tensor<double>({2, 3}, {1, 2, 3, 4, 5, 6}));
  backward(sum(x) + sum(sum(x, 0)) + sum(sum(x, 1)));
  same(x.grad(), Tensor<double>::full({2, 3}, 3));
}

BOOST_AUTO_TEST_CASE(the_variance_of_complex_numbers_is_real) {
  auto z = variable(Tensor<C>({4}, {{1, 0}, {-1, 0}, {0, 1}, {0, -1}}));
  const auto v = variance(z);
  same(v.value(), Tensor<double>::scalar(1));
  backward(v);
  same(z.grad(), Tensor<C>({4}, {{0.5, 0}, {-0.5, 0}, {0, 0.5}, {0, -0.5}}));
  same(variance(constant(Tensor<double>({2, 2}, {1, 3, 5, 5})), 1, true).value(), Tensor<double>({2, 1}, {1, 0}));
}

BOOST_AUTO_TEST_CASE(long_sums_are_the_same_for_any_number_of_threads_and_accurate) {
  const int threads = num_threads();
  const auto x = constant(rand<float>({1000003}, Random(1)));
  double exact = 0;
  for (const float v : x.value().span()) exact += v;
  set_num_threads(1);
  const float one = sum(x).value().item();
  set_num_threads(3);
  const float three = sum(x).value().item();
  set_num_threads(threads);
  BOOST_TEST(one == three);
  BOOST_TEST(std::abs(one - exact) / exact < 1e-6);

  const auto columns = constant(Tensor<float>::full({1 << 20, 3}, 0.1f));
  const Tensor<float> sums = sum(columns, 0).value(), spread = variance(columns, 0).value();
  for (const float y : sums) BOOST_TEST(y == 104857.6f, boost::test_tools::tolerance(1e-4f));
  for (const float y : spread) BOOST_TEST(y < 1e-10f);
}

BOOST_AUTO_TEST_CASE(the_first_of_the_largest_gets_the_gradient) {
  auto x = variable(Tensor<double>({2, 3}, {1, 3, 3, 5, 5, 2}));
  const auto y = max(x, 1);
  same(y.value(), Tensor<double>({2}, {3, 5}));
  backward(sum(y * constant(Tensor<double>({2}, {1, 10}))));
  same(x.grad(), Tensor<double>({2, 3}, {0, 1, 0, 10, 0, 0}));
  same(max(x, 0, true).value(), Tensor<double>({1, 3}, {5, 5, 3}));
}

BOOST_AUTO_TEST_CASE(softmax_of_masked_and_of_huge_rows) {
  auto x = variable(Tensor<double>({3, 2}, {-infinity, -infinity, 1e300, -infinity, -1e300, -1e300}));
  const auto y = softmax(x);
  same(y.value(), Tensor<double>({3, 2}, {0, 0, 1, 0, 0.5, 0.5}));
  backward(sum(y * constant(Tensor<double>({3, 2}, {1, 2, 3, 4, 5, 7}))));
  same(x.grad(), Tensor<double>({3, 2}, {0, 0, 0, 0, -0.5, 0.5}));
}

BOOST_AUTO_TEST_CASE(logsumexp_of_masked_and_of_huge_rows) {
  auto x = variable(Tensor<double>({3, 2}, {-infinity, -infinity, 1e300, -infinity, -800, -800}));
  const auto y = logsumexp(x);
  BOOST_TEST(y.value()(0) == -infinity);
  BOOST_TEST(y.value()(1) == 1e300);
  BOOST_TEST(y.value()(2) == -800 + std::log(2.0));
  backward(sum(y));
  const Tensor<double> dx = x.grad();
  same(slice(constant(dx), 0, 0, 2).value(), Tensor<double>({2, 2}, {0, 0, 1, 0}));
  BOOST_TEST(dx(2, 0) == 0.5, boost::test_tools::tolerance(1e-12));  // the gradient is e^(-800 - y), and y is rounded at 1e-13
  BOOST_TEST(dx(2, 1) == dx(2, 0));
  BOOST_TEST(logsumexp(x, true).shape().str() == "[3, 1]");
}

BOOST_AUTO_TEST_CASE(errors) {
  const auto x = constant(Tensor<double>::zeros({2, 0}));
  BOOST_TEST(error_of([&] { mean(x); }) == "mean: cannot average an empty tensor of shape [2, 0]");
  BOOST_TEST(error_of([&] { mean(x, 1); }) == "mean: axis 1 of [2, 0] is empty");
  BOOST_TEST(error_of([&] { variance(x); }) == "variance: cannot average an empty tensor of shape [2, 0]");
  BOOST_TEST(error_of([&] { variance(x, -1); }) == "variance: axis -1 of [2, 0] is empty");
  BOOST_TEST(error_of([&] { max(x, 1); }) == "max: axis 1 of [2, 0] is empty");
  BOOST_TEST(error_of([&] { sum(x, 2); }) == "sum: axis 2 is out of range for [2, 0]");
  BOOST_TEST(error_of([&] { softmax(number(1.0)); }) == "softmax: axis -1 is out of range for []");
}

BOOST_AUTO_TEST_SUITE_END()
