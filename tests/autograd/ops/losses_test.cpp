/// Logarithms, spreads and losses where a naive formula would lose digits or give NaN: near 0, far from 0, at the ends of the
/// range and at infinity. Their gradients at ordinary points are checked together with those of every op
/// (gradcheck_ops_test.cpp).

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <numbers>

#include "autograd/ops.h"
#include "autograd/ops/products/projection.h"
#include "autograd/tape.h"
#include "tests/error_text.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(losses)

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

template <RealScalar R>
struct Found {
  Tensor<R> value, gradient;
};
/// f(x) and the gradient of Σ c f(x) with c = 1, 2, 3, ...
template <RealScalar R, class F>
Found<R> found(const F& f, const Tensor<R>& x) {
  const Var<R> v = variable(x);
  const Var<R> y = f(v);
  Tensor<R> c(y.shape());
  for (std::int64_t i = 0; i < c.size(); ++i) c.data()[i] = static_cast<R>(i + 1);
  backward(projection(y, c));
  return {y.value(), v.grad()};
}
template <RealScalar R>
void same(const Tensor<R>& x, std::initializer_list<double> expected) {
  BOOST_TEST(std::vector<double>(x.begin(), x.end()) == std::vector<double>(expected), boost::test_tools::per_element());
}
template <RealScalar R>
void near(const Tensor<R>& x, std::initializer_list<double> expected, double ulps = 4) {
  BOOST_REQUIRE(x.size() == static_cast<std::int64_t>(expected.size()));
  for (std::int64_t i = 0; i < x.size(); ++i) {
    const double right = expected.begin()[i], error = std::abs(static_cast<double>(x.data()[i]) - right);
    BOOST_TEST((static_cast<double>(x.data()[i]) == right ||
                error <= ulps * static_cast<double>(std::numeric_limits<R>::epsilon()) * std::abs(right)),
               "element " << i << ": " << x.data()[i] << ", expected " << right);
  }
}
Tensor<double> row(std::initializer_list<double> numbers) {
  return Tensor<double>({static_cast<std::int64_t>(numbers.size())}, numbers);
}
Tensor<float> row_f(std::initializer_list<float> numbers) {
  return Tensor<float>({static_cast<std::int64_t>(numbers.size())}, numbers);
}

}  // namespace

BOOST_AUTO_TEST_CASE(one_dominant_term_leaves_the_others_their_digits) {
  const double tail = std::exp(-40.0);
  const auto lse = found([](auto x) { return logsumexp(x); }, row({0, -40}));
  near(lse.value, {tail});
  near(lse.gradient, {1, tail});
  near(found([](auto x) { return logsumexp(x); }, row_f({-40, 0, -50})).value, {tail + std::exp(-50.0)});
  near(found([](auto x) { return logaddexp(x, number(-40.0)); }, row({0})).value, {tail});
  near(found([](auto x) { return logcumsumexp(x, 0); }, row({-40, 0, -41})).value, {-40, tail, tail + std::exp(-41.0)});

  // log_softmax, whose gradient 1 - p is the sum of the other probabilities.
  const auto logs = found([](auto x) { return log_softmax(x); }, row({0, -40}));
  near(logs.value, {-tail, -40});
  near(logs.gradient, {tail - 2, 2}, 8);
  const auto first = found([](auto x) { return slice(log_softmax(x), 0, 0, 1); }, row({0, -40}));
  near(first.gradient, {tail, -tail});
  const auto share = found([](auto x) { return softmax(x); }, row({0, -40}));
  near(share.gradient, {-tail, tail});
}

BOOST_AUTO_TEST_CASE(infinite_logits_share_as_if_they_were_equal) {
  const auto lse = [](auto x) { return logsumexp(x); };
  same(found(lse, row({infinity, 3, -infinity})).value, {infinity});
  same(found(lse, row({infinity, 3, -infinity})).gradient, {1, 0, 0});
  same(found(lse, row({infinity, 3, infinity})).gradient, {0.5, 0, 0.5});
  same(found(lse, row({-infinity, -infinity})).gradient, {0, 0});
  same(found([](auto x) { return softmax(x); }, row({infinity, 3, -infinity})).value, {1, 0, 0});
  same(found([](auto x) { return softmax(x); }, row({infinity, 3, -infinity})).gradient, {0, 0, 0});
  same(found([](auto x) { return log_softmax(x); }, row({infinity, 3, -infinity})).value, {0, -infinity, -infinity});
  same(found([](auto x) { return logaddexp(x, number(infinity)); }, row({infinity, 3, -infinity})).gradient, {0.5, 0, 0});
  same(found([](auto x) { return logaddexp(x, number(-infinity)); }, row({infinity, 3, -infinity})).gradient, {1, 2, 0});
  const auto running = found([](auto x) { return logcumsumexp(x, 0); }, row({-infinity, 1, infinity, 2, infinity}));
  same(running.value, {-infinity, 1, infinity, infinity, infinity});
  same(running.gradient, {0, 2, 3 + 4 + 2.5, 0, 2.5});
  for (const auto& x : {row({NAN, infinity}), row({infinity, NAN, 1}), row({NAN, -infinity}), row({1, NAN})}) {
    BOOST_TEST(std::isnan(logsumexp(Var<double>(x)).value().item()));
    for (const double y : softmax(Var<double>(x)).value()) BOOST_TEST(std::isnan(y));
  }
}

BOOST_AUTO_TEST_CASE(logsumexp_over_any_axis) {
  const Tensor<double> x({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  const auto y = logsumexp(Var<double>(x), 1);
  near(y.value(), {std::log(std::exp(1) + std::exp(3)), std::log(std::exp(2) + std::exp(4)), std::log(std::exp(5) + std::exp(7)),
                   std::log(std::exp(6) + std::exp(8))});
  BOOST_TEST(logsumexp(Var<double>(x), 0, true).shape().str() == "[1, 2, 2]");
  BOOST_TEST(logsumexp(Var<double>(x), -3).shape().str() == "[2, 2]");
  same(logsumexp(Var<double>(Tensor<double>::zeros({2, 0})), 1).value(), {-infinity, -infinity});
  BOOST_TEST(error_of([&] { logsumexp(Var<double>(x), 3); }) == "logsumexp: axis 3 is out of range for [2, 2, 2]");
}

BOOST_AUTO_TEST_CASE(cross_entropy_of_infinite_logits) {
  const auto loss = [](std::int32_t target, const CrossEntropyOptions& options = {}) {
    return [=](auto x) { return cross_entropy(reshape(x, {1, -1}), Ids({1}, {target}), options); };
  };
  same(found(loss(0), row({-infinity, -infinity})).value, {infinity});
  same(found(loss(0), row({-infinity, -infinity})).gradient, {0, 0});
  same(found(loss(0), row({infinity, 1, 2})).value, {0});
  same(found(loss(0), row({infinity, 1, 2})).gradient, {0, 0, 0});
  same(found(loss(1), row({infinity, 1, 2})).value, {infinity});
  same(found(loss(1), row({infinity, 1, 2})).gradient, {1, -1, 0});
  near(found(loss(1), row({infinity, infinity})).value, {std::numbers::ln2});
  same(found(loss(1), row({infinity, infinity})).gradient, {0.5, -0.5});
  same(found(loss(1, {.label_smoothing = 0.5}), row({1, 2, -infinity})).value, {infinity});
  BOOST_TEST(std::isnan(cross_entropy(Var<double>(Tensor<double>({1, 2}, {NAN, -infinity})), Ids({1}, {1})).value().item()));

  // The fused loss, with the scores given by the biases: h and W are 0.
  const auto fused = [](std::int32_t target) {
    return [=](auto b) {
      const Var<double> h(Tensor<double>::zeros({1, 2})), W(Tensor<double>::zeros({b.size(), 2}));
      return linear_cross_entropy(h, W, &b, Ids({1}, {target}));
    };
  };
  for (const std::int32_t target : {0, 1})
    for (const auto& x : {row({-infinity, -infinity}), row({infinity, 1, 2}), row({infinity, infinity}), row({1, -infinity, 3})}) {
      const auto one = found(loss(target), x), other = found(fused(target), x);
      same(other.value, {one.value.item()});
      BOOST_TEST(std::vector<double>(other.gradient.begin(), other.gradient.end()) ==
                     std::vector<double>(one.gradient.begin(), one.gradient.end()),
                 boost::test_tools::per_element());
    }
  // The infinities lie in different panels of the vocabulary, and in different segments of their panels.
  Tensor<double> wide = Tensor<double>::zeros({3000});
  wide.data()[700] = wide.data()[2900] = infinity;
  const auto spread = found(fused(2900), wide);
  near(spread.value, {std::numbers::ln2});
  BOOST_TEST(spread.gradient.data()[700] == 0.5);
  BOOST_TEST(spread.gradient.data()[2900] == -0.5);
  BOOST_TEST(spread.gradient.data()[5] == 0);

  // The positive of position 2 is at position 0; it has one negative.
  const auto contrast = [](double positive, double negative) {
    Tensor<double> s = Tensor<double>::zeros({1, 3, 3});
    s(0, 2, 0) = positive, s(0, 2, 1) = negative;
    const auto y = found([](auto v) { return info_nce(v, Ids({1, 3}, {5, 6, 5})); }, s);
    return row({y.value.item(), y.gradient(0, 2, 0), y.gradient(0, 2, 1)});
  };
  same(contrast(-infinity, -infinity), {infinity, 0, 0});
  same(contrast(infinity, 1), {0, 0, 0});
  same(contrast(1, infinity), {infinity, -1, 1});
}

BOOST_AUTO_TEST_CASE(ignored_and_smoothed_targets) {
  const Tensor<double> x({3, 3}, {1, 2, 4, NAN, -infinity, infinity, 0, -1, 2});
  const Ids targets({3}, {2, -100, 0});
  const auto y = found([&](auto v) { return cross_entropy(v, targets, {.ignore_index = -100}); }, x);
  const double first = std::log(std::exp(-3) + std::exp(-2) + 1), third = 2 + std::log(1 + std::exp(-2) + std::exp(-3));
  near(y.value, {(first + third) / 2});
  for (std::int64_t v = 0; v < 3; ++v) BOOST_TEST(y.gradient(1, v) == 0);
  same(found([&](auto v) { return cross_entropy(v, Ids({3}, {7, 7, 7}), {.ignore_index = 7}); }, x).value, {0});
  // With a smoothing of 1, the target distribution is uniform for every target.
  const auto even =
      found([](auto v) { return cross_entropy(v, Ids({1}, {1}), {.label_smoothing = 1}); }, Tensor<double>({1, 2}, {3, 3}));
  near(even.value, {std::numbers::ln2});
  same(even.gradient, {0, 0});
  BOOST_TEST(error_of([&] { cross_entropy(Var<double>(x), targets, {.label_smoothing = 1.5}); }) ==
             "cross_entropy: label_smoothing must be between 0 and 1, got 1.5");
  BOOST_TEST(error_of([&] { cross_entropy(Var<double>(x), targets, {.ignore_index = 0}); }) != "");
}

BOOST_AUTO_TEST_CASE(spreads_far_from_0_keep_their_digits) {
  const auto far = row_f({1e8f, 1e8f + 8, 1e8f + 16, 1e8f + 24});
  const auto v = found([](auto x) { return variance(x); }, far);
  same(v.value, {80});
  same(v.gradient, {-6, -2, 2, 6});
  near(found([](auto x) { return stddev(x); }, far).value, {std::sqrt(80.0)});
  const auto columns = [](auto f) { return [f](auto x) { return reshape(f(reshape(x, {4, 1}), 0), Shape{}); }; };
  same(found(columns([](auto x, int axis) { return variance(x, axis); }), far).value, {80});
  const double sigma = std::sqrt(80 + 1e-5);
  const auto normal = found(
      [](auto x) {
        const Var<float> gain(Tensor<float>::ones({4})), bias(Tensor<float>::zeros({4}));
        return layer_norm(x, gain, bias);
      },
      far);
  near(normal.value, {-12 / sigma, -4 / sigma, 4 / sigma, 12 / sigma});
  using C = std::complex<float>;
  const Var<C> plane(Tensor<C>({4}, {C(1e8f, 0), C(1e8f + 8, 8), C(1e8f + 16, -8), C(1e8f + 24, 0)}));
  BOOST_TEST(variance(plane).value().item() == 80 + 32);
  const Tensor<C> white = whiten(plane).value(),
                  near_0 = whiten(Var<C>(Tensor<C>({4}, {C(-12, 0), C(-4, 8), C(4, -8), C(12, 0)}))).value();
  for (std::int64_t i = 0; i < 4; ++i) BOOST_TEST(std::abs(white.data()[i] - near_0.data()[i]) < 1e-6f);
}

BOOST_AUTO_TEST_CASE(spreads_at_the_ends_of_the_range) {
  for (const double s : {0x1p-1060, 1e-200, 1e200, 1.7e308}) {
    const auto y = found([](auto x) { return stddev(x); }, row({s, -s, s, -s}));
    near(y.value, {s});
    if (s > 1e-300) near(y.gradient, {0.25, -0.25, 0.25, -0.25});
  }
  near(found([](auto x) { return mean(x); }, row({1.7e308, 1.7e308, 1.6e308})).value, {1.6666666666666667e308});
  same(found([](auto x) { return stddev(x); }, row({1.7e308, 1.7e308})).gradient, {0, 0});
  same(found([](auto x) { return variance(x); }, row({1e200, -1e200})).gradient, {1e200, -1e200});
  for (const double s : {1e-300, 1e300})
    for (const double p : {0.5, 1.0, 2.0, 3.5}) {
      const auto y = found([p](auto x) { return vector_norm(x, p); }, row({s, 0, -s, s}));
      near(y.value, {std::pow(3, 1 / p) * s}, 8);
      near(y.gradient, {std::pow(3, 1 / p - 1), 0, -std::pow(3, 1 / p - 1), std::pow(3, 1 / p - 1)}, 8);
    }
  same(found([](auto x) { return vector_norm(x, 0.0); }, row({1e300, 0, -1e-300, infinity})).value, {3});
  same(found([](auto x) { return vector_norm(x, 0.0); }, row({1e300, 0, -1e-300, infinity})).gradient, {0, 0, 0, 0});
  const auto smallest = found([](auto x) { return vector_norm(x, -infinity); }, row({3, -2, 2}));
  same(smallest.value, {2});
  same(smallest.gradient, {0, -1, 0});
  BOOST_TEST(error_of([] { vector_norm(number(1.0), -1.0); }) == "vector_norm: p must be -inf or at least 0, got -1");
  BOOST_TEST(error_of([] { stddev(Var<double>(Tensor<double>::zeros({2, 0})), 1); }) == "stddev: axis 1 of [2, 0] is empty");
}

BOOST_AUTO_TEST_CASE(the_median_is_the_lower_one_of_two) {
  const auto y = found([](auto x) { return median(x, 1); }, Tensor<double>({2, 4}, {4, 1, 3, 2, infinity, -1, -1, -infinity}));
  same(y.value, {2, -1});
  same(y.gradient, {0, 0, 0, 1, 0, 2, 0, 0});
  same(found([](auto x) { return median(x); }, row({5})).gradient, {1});
  BOOST_TEST(std::isnan(median(Var<double>(row({1, NAN, 2}))).value().item()));
  BOOST_TEST(error_of([] { median(Var<double>(Tensor<double>::zeros({0}))); }) == "median: axis 0 of [0] is empty");
}

BOOST_AUTO_TEST_CASE(logarithms_beside_0_and_at_infinity) {
  near(found([](auto x) { return log1p(x); }, row({1e-20, -1, infinity})).value, {1e-20, -infinity, infinity});
  same(found([](auto x) { return log1p(x); }, row({0, -1, infinity})).gradient, {1, 0, 0});
  near(found([](auto x) { return expm1(x); }, row({1e-20, -infinity, -1e-300})).value, {1e-20, -1, -1e-300});
  near(found([](auto x) { return expm1(x); }, row({1e-20, -infinity, -100})).gradient, {1, 0, 3 * std::exp(-100.0)});
  near(found([](auto x) { return softplus(x); }, row({-700, 0, infinity, -infinity})).value,
       {std::exp(-700.0), std::numbers::ln2, infinity, 0});
  same(found([](auto x) { return softplus(x); }, row({infinity, -infinity})).gradient, {1, 0});
  near(found([](auto x) { return log_sigmoid(x); }, row({700, -infinity, infinity})).value, {-std::exp(-700.0), -infinity, 0});
  same(found([](auto x) { return log_sigmoid(x); }, row({infinity, -infinity})).gradient, {0, 2});
  same(found([](auto x) { return erfinv(x); }, row({1, -1, 0})).value, {infinity, -infinity, 0});
  near(found([](auto x) { return erfinv(x); }, row({1, -1, 0})).gradient, {0, 0, 3 / std::numbers::inv_sqrtpi / 2});
  near(found([](auto x) { return erf(erfinv(x)); }, row({1e-300, -0.9999, 0.5})).value, {1e-300, -0.9999, 0.5});
  BOOST_TEST(std::isnan(erfinv(number(1.5)).value().item()));
  const auto angles = found(
      [](auto y) {
        return atan2(y, constant(row({-1, -1, 1e-300, infinity})));
      },
      row({0.0, -0.0, 1e-300, infinity}));
  near(angles.value, {std::numbers::pi, -std::numbers::pi, std::numbers::pi / 4, std::numbers::pi / 4});
  near(angles.gradient, {-1, -2, 1.5e300, 0});
  BOOST_TEST(error_of([] {
               atan2(constant(row({1, 2, 3})), constant(row({1, 2})));
             }) == "atan2: shapes cannot be broadcast together: [3] and [2]");

  // |1 + z| = 1 up to terms of the fourth order in 1e-6, so a naive log|1 + z| would be 0.
  using C = std::complex<double>;
  const C w = log1p(Var<C>(Tensor<C>({1}, {C(-0.5e-12, 1e-6)}))).value().item();
  BOOST_TEST(std::abs(w.real() - 1.25e-25) < 1e-27);  // the tolerance allows for the rounding of z's own parts
  BOOST_TEST(w.imag() == 1e-6, boost::test_tools::tolerance(1e-11));
  BOOST_TEST(log1p(Var<C>(Tensor<C>({1}, {C(-3, -0.0)}))).value().item().imag() == -std::numbers::pi);
  const C small = expm1(Var<C>(Tensor<C>({1}, {C(1e-20, 1e-15)}))).value().item();
  BOOST_TEST(small.real() == 1e-20 - 0.5e-30, boost::test_tools::tolerance(1e-15));
  BOOST_TEST(small.imag() == 1e-15, boost::test_tools::tolerance(1e-15));
}

BOOST_AUTO_TEST_CASE(losses_beside_targets) {
  const Var<double> t(row({1, 0, 0.5, 1}));
  const auto bce = found([&](auto x) { return binary_cross_entropy(x, t); }, row({40, -40, 0, -infinity}));
  same(bce.value, {infinity});
  near(bce.gradient, {-std::exp(-40.0) / 4, std::exp(-40.0) / 4, 0, -0.25});
  const Var<double> sure(row({1, 0}));
  near(found([&](auto x) { return binary_cross_entropy(x, sure); }, row({40, -infinity})).value, {std::exp(-40.0) / 2});
  near(found(
           [](auto x) {
             return huber(x, constant(row({0, 0, 0})), 2);
           },
           row({1, -5, infinity}))
           .gradient,
       {1.0 / 3, -2.0 / 3, 2.0 / 3});
  near(found([](auto x) { return huber(x, constant(row({0, 0})), 2); }, row({1, -5})).value, {(0.5 + 8) / 2});
  near(found([](auto x) { return mse(x, constant(row({1, 1, 1, 1}))); }, row({1e154, 1, 1, 1})).value, {0.25e308});
  const Var<double> a = variable(row({3, 1})), b = variable(row({1, 2}));
  backward(mse(a, b));
  same(a.grad(), {2, -1});
  same(b.grad(), {-2, 1});
  BOOST_TEST(error_of([&] { mse(a, t); }) == "mse: shapes do not match: [2] and [4]");
  BOOST_TEST(error_of([&] { huber(a, b, 0); }) == "huber: delta must be positive, got 0");
  const Var<double> none(Tensor<double>::zeros({0}));
  BOOST_TEST(error_of([&] { binary_cross_entropy(none, none); }) ==
             "binary_cross_entropy: cannot average an empty tensor of shape [0]");
}

BOOST_AUTO_TEST_SUITE_END()
