#include "core/qic_algebra.h"

#include <boost/test/unit_test.hpp>
#include <numbers>

#include "core/random.h"
#include "tests/error_text.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(qic_algebra)

using C = std::complex<double>;

namespace {

constexpr double pi = std::numbers::pi;
constexpr double angles[] = {0, 0.3, pi / 6, pi / 4, 1.1, pi / 2, -pi / 4};

Tensor<C> some_numbers() { return randn<C>({24}, Random(5)); }

bool close(C a, C b) { return std::abs(a - b) < 1e-14; }

}  // namespace

BOOST_AUTO_TEST_CASE(theta_0_is_complex_and_pi_4_dual_and_minus_pi_4_the_extreme) {
  BOOST_TEST(kappa(0.0) == -1);
  BOOST_TEST(std::abs(kappa(pi / 4)) < 1e-15);
  BOOST_TEST(std::abs(kappa(-pi / 4) + 2) < 1e-15);
  const Tensor<C> z = some_numbers();
  for (int i = 0; i < 12; ++i) {
    const C x = z.data()[i], y = z.data()[i + 12];
    BOOST_TEST(close(QicAlgebra(0.0).product(x, y), x * y));
    BOOST_TEST(std::abs(QicAlgebra(0.0).magnitude(Magnitude::Euclidean, x) - std::sqrt(std::norm(x) + 1e-12)) < 1e-15);
    // Dual numbers differentiate: (f + f'J)(g + g'J) = fg + (fg' + f'g)J.
    BOOST_TEST(close(QicAlgebra(pi / 4).product(x, y), C(x.real() * y.real(), x.real() * y.imag() + x.imag() * y.real())));
  }
}

BOOST_AUTO_TEST_CASE(the_product_commutes_associates_and_distributes) {
  const Tensor<C> z = some_numbers();
  for (const double theta : angles) {
    const QicAlgebra algebra(theta);
    for (int i = 0; i < 8; ++i) {
      const C x = z.data()[i], y = z.data()[i + 8], w = z.data()[i + 16];
      BOOST_TEST(close(algebra.product(x, y), algebra.product(y, x)));
      BOOST_TEST(close(algebra.product(algebra.product(x, y), w), algebra.product(x, algebra.product(y, w))));
      BOOST_TEST(close(algebra.product(x, y + w), algebra.product(x, y) + algebra.product(x, w)));
      BOOST_TEST(close(algebra.product(x, 1.0), x));
    }
  }
}

BOOST_AUTO_TEST_CASE(j_squared_is_kappa_and_the_norm_is_z_times_its_conjugate) {
  const Tensor<C> z = some_numbers();
  for (const double theta : angles) {
    const QicAlgebra algebra(theta);
    BOOST_TEST(close(algebra.product(C(0, 1), C(0, 1)), algebra.kappa()));
    for (int i = 0; i < 12; ++i) {
      const C x = z.data()[i], y = z.data()[i + 12];
      BOOST_TEST(close(algebra.product(x, algebra.conjugate(x)), algebra.norm(x)));
      BOOST_TEST(std::abs(algebra.norm(algebra.product(x, y)) - algebra.norm(x) * algebra.norm(y)) < 1e-13);
      BOOST_TEST(std::abs(algebra.magnitude(Magnitude::Algebraic, x) - std::sqrt(algebra.norm(x))) < 1e-6);
      BOOST_TEST(algebra.magnitude(Magnitude::Author, x) >= algebra.magnitude(Magnitude::Euclidean, x));
    }
    for (const Magnitude kind : {Magnitude::Euclidean, Magnitude::Algebraic, Magnitude::Author})
      BOOST_TEST(algebra.magnitude(kind, 0) == 1e-6);
  }
}

BOOST_AUTO_TEST_CASE(kappa_is_stationary_at_pi_4) {
  BOOST_TEST(std::abs(kappa_derivative(pi / 4)) < 1e-15);
  BOOST_TEST(kappa_derivative(0.0) == 2);
  BOOST_TEST(std::abs(kappa_derivative(pi / 6) - 1) < 1e-15);
  for (const double theta : angles) {
    const double h = 1e-5;
    BOOST_TEST(std::abs((kappa(theta + h) - kappa(theta - h)) / (2 * h) - kappa_derivative(theta)) < 1e-9);
  }
}

BOOST_AUTO_TEST_CASE(magnitudes_have_names) {
  BOOST_CHECK(magnitude_named("euclidean") == Magnitude::Euclidean);
  BOOST_CHECK(magnitude_named("algebraic") == Magnitude::Algebraic);
  BOOST_CHECK(magnitude_named("author") == Magnitude::Author);
  BOOST_TEST(error_of([] { magnitude_named("length"); }) == "magnitude: \"length\" is not one of euclidean|algebraic|author");
}

BOOST_AUTO_TEST_SUITE_END()
