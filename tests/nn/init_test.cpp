#include "nn/init.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "tests/error_text.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(init)

using boost::test_tools::tolerance;
using C = std::complex<double>;

namespace {

template <Scalar T>
double mean_square(const Tensor<T>& x) {
  double total = 0;
  for (const T& v : x.span()) total += abs2_of(v);
  return total / static_cast<double>(x.size());
}

/// The Kolmogorov distance: the largest difference between the fraction of values below x and F(x).
template <class F>
double distance(std::vector<double> numbers, const F& distribution) {
  std::sort(numbers.begin(), numbers.end());
  double worst = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    worst = std::max(worst, std::abs(static_cast<double>(i) / static_cast<double>(numbers.size()) - distribution(numbers[i])));
  return worst;
}

template <Scalar T>
void require_orthonormal(const Tensor<T>& w, double bar) {
  const bool wide = w.dim(0) <= w.dim(1);
  const std::int64_t m = wide ? w.dim(0) : w.dim(1), n = wide ? w.dim(1) : w.dim(0);
  const auto at = [&](std::int64_t vector, std::int64_t j) { return wide ? w(vector, j) : w(j, vector); };
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t k = 0; k < m; ++k) {
      T product = 0;
      for (std::int64_t j = 0; j < n; ++j) product += conj_mul(at(i, j), at(k, j));
      BOOST_TEST(std::abs(product - T(i == k ? 1 : 0)) < bar);
    }
}

}  // namespace

BOOST_AUTO_TEST_CASE(complex_weights_have_rayleigh_moduli_and_uniform_phases) {
  Init init(1);
  const Tensor<C> w = init.normal<C>(Role::Matrix, {100, 100}, 0.5).value();
  std::vector<double> magnitudes, phases;
  for (const C& z : w.span()) magnitudes.push_back(std::abs(z)), phases.push_back(std::arg(z));
  // One sample in a hundred exceeds the distance 1.63/sqrt(10^4).
  BOOST_TEST(distance(magnitudes, [](double r) { return 1 - std::exp(-r * r / 0.25); }) < 0.0163);
  BOOST_TEST(distance(phases, [](double phi) { return 0.5 + phi / (2 * 3.14159265358979324); }) < 0.0163);
}

BOOST_AUTO_TEST_CASE(glorot_and_he_have_their_variances) {
  Init init(2);
  BOOST_TEST(mean_square(init.glorot<double>(Role::Matrix, {300, 100}).value()) == 2.0 / 400, tolerance(0.03));
  BOOST_TEST(mean_square(init.glorot<C>(Role::Matrix, {300, 100}).value()) == 2.0 / 400, tolerance(0.03));
  BOOST_TEST(mean_square(init.he<double>(Role::Matrix, {300, 100}).value()) == 2.0 / 100, tolerance(0.03));
  BOOST_TEST(mean_square(init.he<C>(Role::Matrix, {300, 100}).value()) == 2.0 / 100, tolerance(0.03));
  // Fan-in and fan-out are multiplied by the number of kernel positions.
  BOOST_TEST(mean_square(init.he<C>(Role::Matrix, {100, 20, 3, 3}).value()) == 2.0 / 180, tolerance(0.03));
  BOOST_TEST(fans_of({100, 20, 3, 3}).out == 900);
}

BOOST_AUTO_TEST_CASE(unitary_matrices_are_unitary) {
  for (const Shape& shape : {Shape{6, 6}, Shape{4, 9}, Shape{9, 4}}) {
    require_orthonormal(random_unitary<double>(shape, Random(3)), 1e-14);
    require_orthonormal(random_unitary<C>(shape, Random(4)), 1e-14);
    require_orthonormal(random_unitary<std::complex<float>>(shape, Random(5)), 1e-5);
  }
  Init init(6);
  BOOST_TEST(mean_square(init.unitary<C>(Role::Matrix, {4, 3, 3}, 3).value()) == 9.0 / 9, tolerance(1e-12));
}

/// If unitary matrices are uniformly distributed, their trace has E|tr|² = 1 for any size. This fails unless the QR
/// factorisation behind them has an R with a positive diagonal.
BOOST_AUTO_TEST_CASE(unitary_matrices_are_evenly_distributed) {
  double square = 0;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    const Tensor<C> w = random_unitary<C>({3, 3}, Random(seed));
    square += std::norm(w(0, 0) + w(1, 1) + w(2, 2)) / 4000;
  }
  BOOST_TEST(square == 1, tolerance(0.06));
}

BOOST_AUTO_TEST_CASE(invalid_arguments_are_refused) {
  BOOST_TEST(error_of([] { Init(1).he<C>(Role::Bias, {3}); }) ==
             "init: expects a weight [out, in] or [out, in, kernel...], got [3]");
  BOOST_TEST(error_of([] {
               random_unitary<C>({2, 2, 2}, Random(1));
             }) == "random_unitary: expects the shape of a matrix, got [2, 2, 2]");
}

BOOST_AUTO_TEST_SUITE_END()
