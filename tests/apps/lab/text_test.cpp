#include <boost/test/unit_test.hpp>
#include <complex>

#include "lab/lab_point.h"
#include "lab/lab_text.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(lab_text)

BOOST_AUTO_TEST_CASE(gradient_letters_avoid_names_in_use) {
  const Expression f("f(x) = x^2"), g("g(u, y) = u*y");
  const std::string of_x = point_text(f, lab_point(f, {std::complex<double>(1, 2)}, 0), Style());
  BOOST_TEST(of_x.find("\n  Jacobian, x = s + it, f = u + iv\n  ∂u/∂s = 2 ") != std::string::npos, of_x);
  BOOST_TEST(of_x.find("∂L/∂s + i ∂L/∂t = 2 ∂L/∂x̄") != std::string::npos, of_x);
  const std::string of_u = point_text(g, lab_point(g, {std::complex<double>(1, 2), std::complex<double>(3, 1)}, 0), Style());
  BOOST_TEST(of_u.find("\n  Jacobian, u = s + it, f = p + iq\n") != std::string::npos, of_u);
}

BOOST_AUTO_TEST_SUITE_END()
