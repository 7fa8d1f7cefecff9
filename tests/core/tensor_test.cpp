#include "core/tensor.h"

#include <boost/test/unit_test.hpp>

#include "autograd/ops/exponential.h"
#include "autograd/tape.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(tensor)

BOOST_AUTO_TEST_CASE(shapes_print_and_multiply) {
  BOOST_TEST(Shape({2, 3}).str() == "[2, 3]");
  BOOST_TEST(Shape({2, 3}).size() == 6);
  BOOST_TEST(Shape{}.size() == 1);
}

BOOST_AUTO_TEST_CASE(first_gradient) {
  Var<double> x = variable(Tensor<double>({1}, {2.0}));
  backward(exp(x));
  BOOST_TEST(x.grad().item() == std::exp(2.0), boost::test_tools::tolerance(1e-15));
}

BOOST_AUTO_TEST_SUITE_END()
