#include "autograd/gradients.h"

#include <boost/test/unit_test.hpp>

#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/elementwise/complex_parts.h"
#include "autograd/ops/rows/reduction.h"
#include "tests/error_text.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(gradients_as_values)

using C = std::complex<double>;

BOOST_AUTO_TEST_CASE(one_input_gives_a_value_and_a_tensor) {
  const auto of_squares = value_and_grad([](const Complex& z) { return sum(abs2(z)); });
  const std::size_t recorded = Tape::current().entries().size();
  const auto [loss, g] = of_squares(Tensor<C>({2}, {C(1, 2), C(0, -3)}));
  BOOST_TEST(loss == 14);
  BOOST_TEST((g(0) == C(2, 4) && g(1) == C(0, -6)));
  BOOST_TEST(Tape::current().entries().size() == recorded);
}

BOOST_AUTO_TEST_CASE(several_inputs_give_a_tuple_with_zeros_for_unused_ones) {
  const auto f = value_and_grad([](const Real& r, const Complex& z, const Real&) { return sum(r * abs2(z)); });
  const auto [loss, g] = f(Tensor<double>({2}, {2, -1}), Tensor<C>({2}, {C(1, 2), C(0, -3)}), Tensor<double>::ones({3}));
  BOOST_TEST(loss == 1);
  BOOST_TEST((std::get<0>(g)(0) == 5 && std::get<0>(g)(1) == 9));
  BOOST_TEST((std::get<1>(g)(0) == C(4, 8) && std::get<1>(g)(1) == C(0, 6)));
  BOOST_TEST((std::get<2>(g).shape() == Shape{3} && std::get<2>(g)(2) == 0));
}

BOOST_AUTO_TEST_CASE(a_function_that_does_not_depend_on_its_input_is_refused_as_by_backward) {
  const auto f = value_and_grad([](const Real&) { return Real(Tensor<double>::scalar(1)); });
  BOOST_TEST(error_of([&] { f(Tensor<double>::ones({2})); }) ==
             "backward: the loss does not depend on any variable, or was computed inside no_grad");
}

BOOST_AUTO_TEST_CASE(captured_variables_are_left_unchanged) {
  const Real w = variable(Tensor<double>::scalar(3));
  const auto [loss, g] = value_and_grad([&](const Real& x) { return w * x; })(Tensor<double>::scalar(5));
  BOOST_TEST(loss == 15);
  BOOST_TEST(g.item() == 3);
  BOOST_TEST(!w.has_grad());
}

BOOST_AUTO_TEST_CASE(gradients_leave_those_stored_in_parameters_unchanged) {
  const Complex z = variable(Tensor<C>({1}, {C(1, 2)}));
  const Real r = variable(Tensor<double>::scalar(3)), other = variable(Tensor<double>::scalar(1));
  const ParameterList<double> parameters = {{"z", z}, {"r", r}, {"other", other}};
  backward(sum(abs2(z)));
  const auto g = gradients(r * sum(abs2(z)), parameters);
  BOOST_TEST((std::get<Tensor<C>>(g[0])(0) == C(6, 12)));
  BOOST_TEST(std::get<Tensor<double>>(g[1]).item() == 5);
  BOOST_TEST(std::get<Tensor<double>>(g[2]).item() == 0);
  BOOST_TEST((z.grad()(0) == C(2, 4)));
  BOOST_TEST(!r.has_grad());
  BOOST_TEST(error_of([&] {
               gradients(sum(abs2(z)), {{"z", z}, {"again", z}});
             }) == "gradients: z and again are the same variable; list it once, as parameters_of() does");
  Tape::current().clear();
}

BOOST_AUTO_TEST_SUITE_END()
