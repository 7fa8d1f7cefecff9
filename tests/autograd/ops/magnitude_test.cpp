/// Norms, activations and attention that depend on magnitudes, compared with known special cases.

#include <boost/test/unit_test.hpp>
#include <numbers>

#include "autograd/ops/attention/attention.h"
#include "autograd/ops/attention/magnitude_attention.h"
#include "autograd/ops/products/projection.h"
#include "autograd/ops/rows/magnitude_activation.h"
#include "autograd/ops/rows/magnitude_norm.h"
#include "autograd/tape.h"
#include "core/random.h"
#include "tests/error_text.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(magnitude)

using C = std::complex<double>;

namespace {

constexpr double pi = std::numbers::pi;
constexpr Magnitude every_kind[] = {Magnitude::Euclidean, Magnitude::Algebraic, Magnitude::Author};

Var<double> angle(double theta) { return variable(Tensor<double>({1}, {theta})); }
Measure<double> qic(Magnitude kind, double theta) { return {.parts = 2, .kind = kind, .theta = angle(theta)}; }
/// Real numbers, including some small, large and zero ones.
Tensor<double> pairs() {
  Tensor<double> x = randn<double>({4, 6}, Random(1));
  x(1, 2) = x(1, 3) = 0;
  x(2, 0) = 1e8, x(3, 1) = -1e-9;
  return x;
}
double distance(const Tensor<double>& a, const Tensor<double>& b) {
  double worst = 0;
  for (std::int64_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a.data()[i] - b.data()[i]));
  return worst;
}
/// Σ_j q_j k_j of two rows of QIC numbers.
C product(const double* q, const double* k, std::int64_t n, const QicAlgebra<double>& algebra, bool conjugate) {
  C sum = 0;
  for (std::int64_t j = 0; j < n; ++j) {
    const C key(k[2 * j], k[2 * j + 1]);
    sum += algebra.product(C(q[2 * j], q[2 * j + 1]), conjugate ? algebra.conjugate(key) : key);
  }
  return sum;
}
using Quaternion = std::array<double, 4>;
/// Hamilton's product, term by term from i² = j² = k² = ijk = -1.
Quaternion hamilton(const Quaternion& q, const Quaternion& r) {
  constexpr int unit[4][4] = {{0, 1, 2, 3}, {1, 0, 3, 2}, {2, 3, 0, 1}, {3, 2, 1, 0}};
  constexpr int sign[4][4] = {{1, 1, 1, 1}, {1, -1, 1, -1}, {1, -1, -1, 1}, {1, 1, -1, -1}};
  Quaternion p{};
  for (int a = 0; a < 4; ++a)
    for (int b = 0; b < 4; ++b)
      p[static_cast<std::size_t>(unit[a][b])] += sign[a][b] * q[static_cast<std::size_t>(a)] * r[static_cast<std::size_t>(b)];
  return p;
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_papers_relu_is_the_identity) {
  // The identity holds exactly: eps inside the root makes |z| >= 1e-6, hence ReLU(|z|)/|z| = |z|/|z| = 1.
  for (const Magnitude kind : every_kind)
    for (const double theta : {0.0, pi / 6, pi / 4, pi / 2}) {
      const auto x = variable(pairs());
      const auto measure = qic(kind, theta);
      const auto y = magnitude_relu(x, measure);
      BOOST_TEST(distance(y.value(), x.value()) == 0);
      const Tensor<double> g = randn<double>({4, 6}, Random(2));
      backward(projection(y, g));
      BOOST_TEST(distance(x.grad(), g) == 0);
      BOOST_TEST(measure.theta.grad()(0) == 0);
    }
}

BOOST_AUTO_TEST_CASE(gelu_and_modrelu_keep_the_direction_and_change_the_magnitude) {
  const auto x = constant(pairs());
  const auto c = constant(Tensor<double>({3}, {-0.5, 0.25, -2}));
  for (const Magnitude kind : every_kind) {
    const QicAlgebra<double> algebra(0.4);
    const Tensor<double> gelu = magnitude_gelu(x, qic(kind, 0.4)).value(),
                         modrelu = magnitude_modrelu(x, c, qic(kind, 0.4)).value();
    for (std::int64_t n = 0; n < 4; ++n)
      for (std::int64_t j = 0; j < 3; ++j) {
        const C z(x.value()(n, 2 * j), x.value()(n, 2 * j + 1));
        const double m = algebra.magnitude(kind, z);
        const C by_gelu = m * 0.5 * std::erfc(-m / std::numbers::sqrt2) / m * z, by_relu = std::max(0.0, m + c.value()(j)) / m * z;
        BOOST_TEST(std::abs(C(gelu(n, 2 * j), gelu(n, 2 * j + 1)) - by_gelu) <= 1e-15 * std::abs(z));
        BOOST_TEST(std::abs(C(modrelu(n, 2 * j), modrelu(n, 2 * j + 1)) - by_relu) <= 1e-15 * (1 + std::abs(z)));
      }
  }
}

BOOST_AUTO_TEST_CASE(euclidean_magnitudes_do_not_depend_on_theta_and_the_others_are_stationary_at_pi_4) {
  const auto gain = constant(randn<double>({3}, Random(3)));
  const Tensor<double> g = randn<double>({4, 6}, Random(2));
  for (const Magnitude kind : every_kind)
    for (const double theta : {0.4, pi / 4}) {
      const auto measure = qic(kind, theta);
      const auto x = constant(randn<double>({4, 6}, Random(1)));
      backward(projection(magnitude_gelu(magnitude_layer_norm(x, gain, measure), measure), g));
      const double dtheta = std::abs(measure.theta.grad()(0));
      BOOST_TEST((kind == Magnitude::Euclidean ? dtheta == 0 : theta == pi / 4 ? dtheta < 1e-12 : dtheta > 1e-3));
    }
}

BOOST_AUTO_TEST_CASE(attention_weighs_by_the_magnitude_of_the_product_in_each_heads_algebra) {
  // 70 queries need two tiles; there are 2 heads of 2 QIC numbers each.
  const std::int64_t T = 70, H = 2, n = 2;
  const auto q = constant(randn<double>({1, T, H * n * 2}, Random(1))), k = constant(randn<double>({1, T, H * n * 2}, Random(2)));
  const auto v = constant(randn<double>({1, T, H * 3}, Random(3)));
  AttentionOptions options;
  options.n_heads = H, options.scale = 0.7, options.causal = true;
  const Var<double> theta = constant(Tensor<double>({2}, {0.2, 1.0}));
  for (const Magnitude kind : every_kind)
    for (const bool conjugate : {false, true}) {
      const Tensor<double> out = magnitude_attention(q, k, v, {2, kind, theta}, conjugate, options).value();
      double worst = 0;
      for (std::int64_t h = 0; h < H; ++h) {
        const QicAlgebra<double> algebra(theta.value()(h));
        for (std::int64_t t = 0; t < T; ++t) {
          double total = 0, sum[3] = {};
          for (std::int64_t s = 0; s <= t; ++s) {
            const C score = product(&q.value()(0, t, h * n * 2), &k.value()(0, s, h * n * 2), n, algebra, conjugate);
            const double p = std::exp(0.7 * algebra.magnitude(kind, score));
            total += p;
            for (std::int64_t d = 0; d < 3; ++d) sum[d] += p * v.value()(0, s, h * 3 + d);
          }
          for (std::int64_t d = 0; d < 3; ++d) worst = std::max(worst, std::abs(sum[d] / total - out(0, t, h * 3 + d)));
        }
      }
      BOOST_TEST(worst < 1e-13);
    }
}

BOOST_AUTO_TEST_CASE(quaternion_attention_weighs_by_the_magnitude_of_hamiltons_product) {
  const auto q = constant(randn<double>({1, 3, 8}, Random(1))), k = constant(randn<double>({1, 3, 8}, Random(2)));
  const auto v = constant(randn<double>({1, 3, 1}, Random(3)));
  for (const bool conjugate : {false, true}) {
    const Tensor<double> out = magnitude_attention(q, k, v, Measure<double>{.parts = 4}, conjugate, {}).value();
    for (std::int64_t t = 0; t < 3; ++t) {
      double total = 0, sum = 0;
      for (std::int64_t s = 0; s < 3; ++s) {
        Quaternion score{};
        for (std::int64_t j = 0; j < 8; j += 4) {
          Quaternion a, b;
          for (std::int64_t p = 0; p < 4; ++p) {
            a[static_cast<std::size_t>(p)] = q.value()(0, t, j + p);
            b[static_cast<std::size_t>(p)] = (conjugate && p > 0 ? -1 : 1) * k.value()(0, s, j + p);
          }
          const Quaternion ab = hamilton(a, b);
          for (std::size_t p = 0; p < 4; ++p) score[p] += ab[p];
        }
        double square = 1e-12;
        for (const double part : score) square += part * part;
        total += std::exp(std::sqrt(square));
        sum += std::exp(std::sqrt(square)) * v.value()(0, s, 0);
      }
      BOOST_TEST(std::abs(out(0, t, 0) - sum / total) < 1e-13);
    }
  }
}

BOOST_AUTO_TEST_CASE(padding_does_not_change_what_the_other_queries_get) {
  const Tensor<double> x = randn<double>({1, 5, 8}, Random(1));
  AttentionOptions options;
  options.n_heads = 2;
  const Measure<double> measure = qic(Magnitude::Algebraic, 0.3);
  const auto short_x = constant(Tensor<double>(Shape{1, 3, 8}, std::span<const double>(x.data(), 24))), long_x = constant(x);
  const Tensor<double> alone = magnitude_attention(short_x, short_x, short_x, measure, false, options).value();
  options.visible_keys = std::make_shared<std::vector<std::uint8_t>>(std::vector<std::uint8_t>{1, 1, 1, 0, 0});
  const Tensor<double> padded = magnitude_attention(long_x, long_x, long_x, measure, false, options).value();
  BOOST_TEST(distance(alone, padded) < 1e-15);  // the norm covers the 24 elements of the shorter row
}

BOOST_AUTO_TEST_CASE(errors_say_what_does_not_fit) {
  const auto x = constant(pairs());
  const Measure<double> measure = qic(Magnitude::Euclidean, 0);
  const auto of = [](std::int64_t n) { return constant(Tensor<double>::ones({n})); };
  BOOST_TEST(error_of([&] { magnitude_layer_norm(x, of(6), measure); }) ==
             "magnitude_layer_norm: gain [6] must have one element for each number of 2 parts in the last axis of [4, 6]");
  BOOST_TEST(error_of([&] { magnitude_modrelu(x, of(2), measure); }) ==
             "magnitude_modrelu: c [2] must have one element for each of the 3 numbers");
  for (int parts : {3, 0, -2}) {
    const Measure<double> of_parts{.parts = parts};
    const std::string wrong = fmt::format(": parts must be 2 (QIC) or 4 (quaternions), got {}", parts);
    BOOST_TEST(error_of([&] { magnitude_gelu(x, of_parts); }) == "magnitude_gelu" + wrong);
    BOOST_TEST(error_of([&] { magnitude_layer_norm(x, of(2), of_parts); }) == "magnitude_layer_norm" + wrong);
    BOOST_TEST(error_of([&] { magnitude_rms_norm(x, of(2), of_parts); }) == "magnitude_rms_norm" + wrong);
    const auto q = constant(Tensor<double>::zeros({1, 2, 12}));
    BOOST_TEST(error_of([&] { magnitude_attention(q, q, q, of_parts, false, AttentionOptions()); }) ==
               "magnitude_attention" + wrong);
  }
  BOOST_TEST(error_of([&] { magnitude_gelu(x, Measure<double>{.parts = 4}); }) ==
             "magnitude_gelu: numbers of 4 parts do not fit evenly into the last axis of [4, 6]");
  const auto q = constant(randn<double>({1, 2, 12}, Random(1)));
  AttentionOptions options;
  options.n_heads = 4;
  BOOST_TEST(error_of([&] { magnitude_attention(q, q, q, measure, false, options); }) ==
             "magnitude_attention: head width 3 is not divisible into 2 equal parts");
  options.n_heads = 3;
  BOOST_TEST(error_of([&] {
               magnitude_attention(q, q, q, {2, Magnitude::Euclidean, of(2)}, false, options);
             }) == "magnitude_attention: 3 heads need 3 angles or one, got shape [2]");
}

BOOST_AUTO_TEST_SUITE_END()
