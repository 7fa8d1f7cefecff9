#include "autograd/ops/products/qic_linear.h"

#include <boost/test/unit_test.hpp>
#include <numbers>

#include "autograd/ops/products/matmul.h"
#include "autograd/ops/products/projection.h"
#include "autograd/tape.h"
#include "core/parallel.h"
#include "core/qic_algebra.h"
#include "core/random.h"
#include "tests/error_text.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(qic_linear_op)

using C = std::complex<double>;

namespace {

constexpr double pi = std::numbers::pi;

Var<double> angles(std::initializer_list<double> values) {
  return variable(Tensor<double>({static_cast<std::int64_t>(values.size())}, values));
}

template <Scalar T>
double distance(const Tensor<T>& a, const Tensor<T>& b) {
  double worst = 0;
  for (std::int64_t i = 0; i < a.size(); ++i) worst = std::max<double>(worst, std::abs(a.data()[i] - b.data()[i]));
  return worst;
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_output_is_a_sum_of_products_in_its_own_algebra) {
  // 300 rows are more than two tiles, the last of which is not full.
  const auto x = constant(randn<C>({3, 100, 5}, Random(1))), W = constant(randn<C>({6, 5}, Random(2)));
  const auto b = constant(randn<C>({6}, Random(3)));
  const Var<double> theta = angles({0.4, -0.7, 1.3});
  const Tensor<C> y = qic_linear(x, W, b, theta).value();
  double worst = 0;
  for (std::int64_t n = 0; n < 300; ++n)
    for (std::int64_t o = 0; o < 6; ++o) {
      const QicAlgebra<double> algebra(theta.value()(o / 2));
      C sum = b.value()(o);
      for (std::int64_t i = 0; i < 5; ++i) sum += algebra.product(W.value()(o, i), x.value().data()[n * 5 + i]);
      worst = std::max(worst, std::abs(sum - y.data()[n * 6 + o]));
    }
  BOOST_TEST(worst < 1e-13);
}

BOOST_AUTO_TEST_CASE(at_theta_0_it_is_the_complex_linear_layer_with_its_gradients) {
  const auto x = variable(randn<C>({200, 7}, Random(1))), W = variable(randn<C>({4, 7}, Random(2)));
  const auto b = variable(randn<C>({4}, Random(3)));
  const Tensor<C> weights = randn<C>({200, 4}, Random(4));
  const auto y = linear(x, W, b);
  backward(projection(y, weights));
  const Tensor<C> dx = x.grad(), dW = W.grad(), db = b.grad();
  for (auto v : {x, W, b}) v.zero_grad();
  const auto q = qic_linear(x, W, b, constant(Tensor<double>({1}, {0.0})));
  BOOST_TEST(distance(q.value(), y.value()) < 1e-13);
  backward(projection(q, weights));
  BOOST_TEST(distance(x.grad(), dx) < 1e-12);
  BOOST_TEST(distance(W.grad(), dW) < 1e-12);
  BOOST_TEST(distance(b.grad(), db) < 1e-12);
}

BOOST_AUTO_TEST_CASE(the_gradient_of_theta_is_2_cos_2_theta_times_what_the_data_says_and_0_at_pi_4) {
  const auto x = constant(randn<C>({9, 3}, Random(1))), W = constant(randn<C>({2, 3}, Random(2)));
  const Tensor<C> g = randn<C>({9, 2}, Random(4));
  double data = 0;  // computed as Σ g_a (W_b x_b)
  for (std::int64_t n = 0; n < 9; ++n)
    for (std::int64_t o = 0; o < 2; ++o)
      for (std::int64_t i = 0; i < 3; ++i) data += g(n, o).real() * W.value()(o, i).imag() * x.value()(n, i).imag();
  BOOST_TEST(std::abs(data) > 0.01);
  for (const double theta : {0.0, 0.2, pi / 6, pi / 4, pi / 2, 2.0}) {
    const Var<double> angle = angles({theta});
    backward(projection(qic_linear(x, W, angle), g));
    BOOST_TEST(std::abs(angle.grad()(0) - 2 * std::cos(2 * theta) * data) < 1e-13);
    if (theta == pi / 4) BOOST_TEST(std::abs(angle.grad()(0)) < 1e-14);
  }
}

BOOST_AUTO_TEST_CASE(gradients_add_up_and_do_not_depend_on_the_number_of_threads) {
  const int before = num_threads();
  std::vector<std::vector<float>> runs;
  for (const int threads : {1, 2, 3}) {
    set_num_threads(threads);
    const auto x = variable(randn<std::complex<float>>({500, 16}, Random(1)));
    const auto W = variable(randn<std::complex<float>>({16, 16}, Random(2)));
    const auto theta = variable(Tensor<float>({2}, {0.3f, 0.9f}));
    // W is used twice, so the second gradient is added to the first.
    const auto y = qic_linear(qic_linear(x, W, theta), W, theta);
    backward(projection(y, randn<std::complex<float>>({500, 16}, Random(3))));
    runs.emplace_back();
    for (const Tensor<float>& g : {as_real(x.grad()), as_real(W.grad()), theta.grad()})
      runs.back().insert(runs.back().end(), g.begin(), g.end());
  }
  set_num_threads(before);
  BOOST_TEST(runs[0] == runs[1]);
  BOOST_TEST(runs[0] == runs[2]);
}

BOOST_AUTO_TEST_CASE(errors_say_what_does_not_fit) {
  const auto x = constant(randn<C>({2, 3}, Random(1))), W = constant(randn<C>({4, 3}, Random(2)));
  const auto wrong = constant(randn<C>({4, 5}, Random(2)));
  BOOST_TEST(error_of([&] { qic_linear(x, wrong, angles({0})); }) ==
             "qic_linear: weight [out, in] = [4, 5] does not match x of shape [2, 3]");
  BOOST_TEST(error_of([&] {
               qic_linear(x, W, angles({0, 0, 0}));
             }) == "qic_linear: angles of shape [3] do not divide 4 outputs into equal groups");
  BOOST_TEST(error_of([&] { qic_linear(x, W, constant(randn<C>({3}, Random(2))), angles({0})); }) ==
             "qic_linear: bias of shape [3] does not match 4 outputs");
  BOOST_TEST(error_of([&] { qic_dual(x, angles({0, 1})); }) == "qic_dual: takes one angle, got [2]");
}

BOOST_AUTO_TEST_SUITE_END()
