#include "nn/layers/whitening_norms.h"

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "core/random.h"
#include "tests/error_text.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(whitening_norms)

using boost::test_tools::tolerance;
using C = std::complex<double>;

namespace {

/// Elongated, rotated point clouds, a different one for each row.
Tensor<C> clouds(const Shape& shape, std::uint64_t seed) {
  Tensor<C> x = randn<C>(shape, Random(seed));
  for (std::int64_t i = 0; i < x.size(); ++i) {
    const double row = static_cast<double>(i / shape.back());
    const C z = x.data()[i];
    x.data()[i] = std::polar(1.0, 0.4 + row) * C(3 * z.real(), (0.5 + row) * z.imag()) + C(2, -row);
  }
  return x;
}

struct Moments {
  double rr = 0, ri = 0, ii = 0;
  C mean = 0;
};
template <class At>
Moments moments(std::int64_t n, const At& at) {
  Moments m;
  for (std::int64_t j = 0; j < n; ++j) m.mean += at(j) / static_cast<double>(n);
  for (std::int64_t j = 0; j < n; ++j) {
    const C u = at(j) - m.mean;
    m.rr += u.real() * u.real() / static_cast<double>(n);
    m.ri += u.real() * u.imag() / static_cast<double>(n);
    m.ii += u.imag() * u.imag() / static_cast<double>(n);
  }
  return m;
}

}  // namespace

BOOST_AUTO_TEST_CASE(whitened_rows_are_round) {
  const Tensor<C> y = whiten(Var<C>(clouds({3, 200}, 1)), 1e-12).value();
  for (std::int64_t row = 0; row < 3; ++row) {
    const Moments m = moments(200, [&](std::int64_t j) { return y(row, j); });
    BOOST_TEST(std::abs(m.mean) < 1e-12);
    BOOST_TEST(m.rr == 1, tolerance(1e-9));
    BOOST_TEST(m.ii == 1, tolerance(1e-9));
    BOOST_TEST(std::abs(m.ri) < 1e-9);
  }
}

/// V^(-1/2) of a 2×2 matrix in the paper's real notation: with s = sqrt(det V) and t = sqrt(tr V + 2 s), it is ((Vii + s, -Vri),
/// (-Vri, Vrr + s))/(s t).
BOOST_AUTO_TEST_CASE(whiten_is_the_papers_equation_in_real_parts) {
  const double eps = 0.01;
  const Tensor<C> x = clouds({2, 30}, 2);
  const Tensor<C> y = whiten(Var<C>(x), eps).value();
  for (std::int64_t row = 0; row < 2; ++row) {
    Moments m = moments(30, [&](std::int64_t j) { return x(row, j); });
    m.rr += eps, m.ii += eps;
    const double s = std::sqrt(m.rr * m.ii - m.ri * m.ri), t = std::sqrt(m.rr + m.ii + 2 * s);
    for (std::int64_t j = 0; j < 30; ++j) {
      const C u = x(row, j) - m.mean;
      const C expected = C((m.ii + s) * u.real() - m.ri * u.imag(), (m.rr + s) * u.imag() - m.ri * u.real()) / (s * t);
      BOOST_TEST(std::abs(y(row, j) - expected) < 1e-13);
    }
  }
}

BOOST_AUTO_TEST_CASE(an_affine_image_is_whitened_to_the_same_up_to_a_rotation) {
  const Tensor<C> x = clouds({1, 40}, 3);
  Tensor<C> bent = x.clone();
  for (C& z : bent.span()) z = C(1.5, 0.2) * z + C(0.3, -0.4) * std::conj(z) + C(7, 1);
  const Tensor<C> y = whiten(Var<C>(x), 1e-12).value(), of_bent = whiten(Var<C>(bent), 1e-12).value();
  const C turn = of_bent(0, 0) / y(0, 0);
  BOOST_TEST(std::abs(turn) == 1, tolerance(1e-9));
  for (std::int64_t j = 0; j < 40; ++j) BOOST_TEST(std::abs(of_bent(0, j) - turn * y(0, j)) < 1e-8);
}

BOOST_AUTO_TEST_CASE(layer_norm_starts_with_power_one) {
  Init init(1);
  const WhiteningLayerNorm<double> norm(init, 200);
  const Tensor<C> y = norm(Var<C>(clouds({2, 200}, 4))).value();
  double power = 0;
  for (const C& z : y.span()) power += std::norm(z) / 400;
  BOOST_TEST(power == 1, tolerance(1e-4));
  const auto names = parameters_of<double>(norm);
  BOOST_TEST(names.size() == 3);
  BOOST_TEST(names[1].name == "weight_conj");
}

BOOST_AUTO_TEST_CASE(the_affine_part_is_a_symmetric_matrix) {
  Init init(1);
  PlaneAffine<double> affine(init, 1);
  const double rr = 1.5, ii = -0.5, ri = 0.75;
  affine.weight.value()(0) = (rr + ii) / 2;
  affine.weight_conj.value()(0) = C((rr - ii) / 2, ri);
  affine.bias.value()(0) = C(0.1, 0.2);
  const C x(2, -3), y = affine(Var<C>(Tensor<C>({1}, {x}))).value()(0);
  BOOST_TEST(y.real() == rr * x.real() + ri * x.imag() + 0.1, tolerance(1e-14));
  BOOST_TEST(y.imag() == ri * x.real() + ii * x.imag() + 0.2, tolerance(1e-14));
}

BOOST_AUTO_TEST_CASE(batch_norm_whitens_each_channel_and_remembers_its_moments) {
  Init init(1);
  WhiteningBatchNorm<double> norm(init, 3, 0.9);
  const Tensor<C> x = clouds({4, 3, 5, 2}, 5);
  const auto channel = [](const Tensor<C>& t, std::int64_t c) {
    return moments(40, [&t, c](std::int64_t j) { return t(j / 10, c, j % 10 / 2, j % 2); });
  };
  BOOST_TEST(norm.running.variance(0) == std::sqrt(2.0), tolerance(1e-15));
  const Tensor<C> y = norm(Var<C>(x), true).value();
  BOOST_TEST(y.shape() == x.shape());
  for (std::int64_t c = 0; c < 3; ++c) {
    const Moments in = channel(x, c), out = channel(y, c);
    BOOST_TEST(out.rr == 0.5, tolerance(1e-4));
    BOOST_TEST(out.ii == 0.5, tolerance(1e-4));
    BOOST_TEST(std::abs(out.ri) < 1e-4);
    BOOST_TEST(std::abs(norm.running.mean(c) - 0.1 * in.mean) < 1e-13);
    BOOST_TEST(norm.running.variance(c) == 0.9 * std::sqrt(2.0) + 0.1 * (in.rr + in.ii), tolerance(1e-12));
    BOOST_TEST(std::abs(norm.running.pseudo_variance(c) - 0.1 * C(in.rr - in.ii, 2 * in.ri)) < 1e-12);
  }
  // After many calls with the same batch, the running moments are the batch's, and so is the result.
  for (int k = 0; k < 300; ++k) norm(Var<C>(x), true);
  const Tensor<C> later = norm(Var<C>(x), false).value();
  for (std::int64_t i = 0; i < x.size(); ++i) BOOST_TEST(std::abs(later.data()[i] - y.data()[i]) < 1e-10);
  const Tensor<C> mean = norm.running.mean.clone();
  norm(Var<C>(clouds({2, 3}, 6)), false);
  BOOST_TEST(std::abs(norm.running.mean(1) - mean(1)) == 0);
}

BOOST_AUTO_TEST_CASE(invalid_arguments_are_refused) {
  Init init(1);
  const Var<C> x(Tensor<C>::ones({2, 3}));
  BOOST_TEST(error_of([&] { whiten(x, 0); }) == "whiten: eps must be positive, got 0");
  BOOST_TEST(error_of([&] { whiten(Var<C>(Tensor<C>::ones({2, 0}))); }) == "whiten: needs a non-empty last axis, got [2, 0]");
  BOOST_TEST(error_of([&] { WhiteningLayerNorm<double>(init, 4)(x); }) ==
             "whitening layer norm: the last axis must have size 4, got [2, 3]");
  BOOST_TEST(error_of([&] { WhiteningBatchNorm<double>(init, 4)(x, true); }) ==
             "whitening batch norm: the second axis must have 4 channels, got [2, 3]");
  BOOST_TEST(error_of([&] { WhiteningBatchNorm<double>(init, 4, 1); }) ==
             "whitening batch norm: momentum must be in [0, 1), got 1");
}

BOOST_AUTO_TEST_SUITE_END()
