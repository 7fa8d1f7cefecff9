#include "autograd/ops/external.h"

#include <boost/test/unit_test.hpp>

#include "autograd/forward.h"
#include "autograd/gradcheck.h"
#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/elementwise/complex_parts.h"
#include "autograd/ops/rows/reduction.h"
#include "autograd/tape.h"
#include "tests/error_text.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(external_op)

using C = std::complex<double>;

namespace {

/// L = Σ |z_k|², and 2 ∂L/∂z̄_k = 2 z_k.
double energy(const Tensor<C>& z) {
  double sum = 0;
  for (const C v : z) sum += std::norm(v);
  return sum;
}
Tensor<C> gradient(const Tensor<C>& z) {
  Tensor<C> g = z.clone();
  for (C& v : g) v *= 2;
  return g;
}

}  // namespace

BOOST_AUTO_TEST_CASE(code_from_outside_is_differentiated_by_its_own_gradient) {
  const Complex z = variable(Tensor<C>({2}, {C(1, 2), C(0, -3)}));
  const Real L = external(z, energy, gradient);
  BOOST_TEST(L.value().item() == 14);
  backward(L);
  BOOST_TEST((z.grad()(0) == C(2, 4)));
  BOOST_TEST((z.grad()(1) == C(0, -6)));
}

BOOST_AUTO_TEST_CASE(a_wrong_gradient_from_outside_is_found_and_named_and_the_op_is_not_blamed) {
  const auto conjugated = [](const Tensor<C>& z) {
    Tensor<C> g = gradient(z);
    for (C& v : g) v = std::conj(v);
    return g;
  };
  const Tensor<C> z({2}, {C(1, 2), C(0.5, -3)});
  BOOST_TEST(gradcheck([](const Complex& x) { return external(x, energy, gradient); }, z).ok());
  const Report result = gradcheck([&](const Complex& x) { return external(x, energy, conjugated); }, z);
  BOOST_TEST(result.diagnosis() == "the gradient looks conjugated");
  BOOST_TEST(result.blamed.empty());
}

BOOST_AUTO_TEST_CASE(a_gradient_of_another_shape_is_refused) {
  const Complex z = variable(Tensor<C>::ones({4}));
  const Real L = external(z, energy, [](const Tensor<C>&) { return Tensor<C>::ones({3}); });
  BOOST_TEST(error_of([&] { backward(L); }) == "external: the gradient has shape [3], its input [4]");
  BOOST_TEST(Tape::current().entries().empty());  // whoever goes on after the error begins anew
  backward(abs2(sum(z, 0)));
  BOOST_TEST(z.grad().data()[0] == C(8, 0));
}

BOOST_AUTO_TEST_CASE(its_tangent_is_the_gradient_along_the_direction) {
  const Tensor<C> z({2}, {C(1, 2), C(0, -3)}), v({2}, {C(0.5, -1), C(2, 1)});
  const auto f = [](const Complex& x) { return external(x, energy, gradient); };
  BOOST_TEST(jvp(f, along(z, v)).item() == 2 * 0.5 + 4 * -1 + 0 * 2 - 6 * 1);
  const auto too_short = [](const Complex& x) {
    return external(x, energy, [](const Tensor<C>&) { return Tensor<C>::ones({3}); });
  };
  BOOST_TEST(error_of([&] { jvp(too_short, along(z, v)); }) == "external: the gradient has shape [3], its input [2]");
}

BOOST_AUTO_TEST_CASE(no_second_derivative_is_made_up) {
  const Tensor<C> two({2}, {C(1, 2), C(0, -3)});
  const Complex z = variable(two);
  BOOST_TEST(error_of([&] {
               hvp<double>([&] { return external(z, energy, gradient); }, {{"z", z}}, {two});
             }) ==
             "external: has no second derivative: its gradient is code that no tape sees. For the tangent alone compute inside a "
             "NoGrad, as jvp() does");
  // What does not move is a constant beside what does: L = 14 |s|², H = 28.
  const Complex s = variable(Tensor<C>::scalar(C(0.5, 1)));
  const auto product =
      hvp<double>([&] { return external(z, energy, gradient) * abs2(s); }, {{"s", s}}, {Tensor<C>::scalar(C(1, 2))});
  BOOST_TEST((std::get<Tensor<C>>(product[0]).item() == C(28, 56)));
}

BOOST_AUTO_TEST_SUITE_END()
