#include "autograd/ops/elementwise/arithmetic.h"

#include <boost/test/unit_test.hpp>
#include <limits>

#include "autograd/ops/elementwise/complex_parts.h"
#include "autograd/ops/elementwise/power.h"
#include "autograd/ops/rows/reduction.h"
#include "autograd/tape.h"
#include "tests/autograd/same.h"
#include "tests/error_text.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(arithmetic)

using C = std::complex<double>;
using Cf = std::complex<float>;

namespace {

/// Runs backward for the loss Re Σ conj(weights) w, so that w receives the gradient `weights`.
template <Scalar T>
void backward_with(const Var<T>& w, const Tensor<T>& weights) {
  if constexpr (ComplexScalar<T>)
    backward(sum(real(mul(conj(constant(weights)), w))));
  else
    backward(sum(mul(constant(weights), w)));
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_real_row_times_a_complex_matrix) {
  auto a = variable(Tensor<double>({2}, {2, -1}));
  auto b = variable(Tensor<C>({2, 2}, {{1, 2}, {3, -1}, {0, 1}, {2, 2}}));
  const auto w = a * b;
  same(w.value(), Tensor<C>({2, 2}, {{2, 4}, {-3, 1}, {0, 2}, {-2, -2}}));
  backward_with(w, Tensor<C>({2, 2}, {{1, 1}, {1, 0}, {2, 3}, {0, 1}}));
  // da_j = Σ_i Re(conj(b_ij) dw_ij): 3 + 3 and 3 + 2; db = a dw.
  same(a.grad(), Tensor<double>({2}, {6, 5}));
  same(b.grad(), Tensor<C>({2, 2}, {{2, 2}, {-1, 0}, {4, 6}, {0, -1}}));
}

BOOST_AUTO_TEST_CASE(both_operands_stretch) {
  auto a = variable(Tensor<C>({2, 1}, {{1, 1}, {2, 0}}));
  auto b = variable(Tensor<double>({3}, {1, 2, 3}));
  const auto w = a - b;
  same(w.value(), Tensor<C>({2, 3}, {{0, 1}, {-1, 1}, {-2, 1}, {1, 0}, {0, 0}, {-1, 0}}));
  backward_with(w, Tensor<C>({2, 3}, {{1, 1}, {1, 2}, {1, 3}, {2, 1}, {2, 2}, {2, 3}}));
  same(a.grad(), Tensor<C>({2, 1}, {{3, 6}, {6, 6}}));
  same(b.grad(), Tensor<double>({3}, {-3, -3, -3}));
}

BOOST_AUTO_TEST_CASE(one_variable_in_both_places) {
  auto x = variable(Tensor<double>({2}, {3, 5}));
  backward(sum(x + x));
  same(x.grad(), Tensor<double>({2}, {2, 2}));
  x.zero_grad();
  backward(sum(x * x));
  same(x.grad(), Tensor<double>({2}, {6, 10}));
}

BOOST_AUTO_TEST_CASE(addition_passes_the_gradient_on_without_a_copy) {
  auto a = variable(Tensor<float>::ones({4})), b = variable(Tensor<float>::ones({4}));
  backward(sum(a + b));
  BOOST_TEST(a.grad().shares_storage_with(b.grad()));
  backward(sum(a * 2));  // and later additions to one gradient do not reach the other
  same(a.grad(), Tensor<float>::full({4}, 3));
  same(b.grad(), Tensor<float>::full({4}, 1));
}

BOOST_AUTO_TEST_CASE(constants_on_either_side) {
  auto x = variable(Tensor<double>({2}, {2, 4}));
  same((x + 1).value(), Tensor<double>({2}, {3, 5}));
  same((1 - x).value(), Tensor<double>({2}, {-1, -3}));
  same((x / 2).value(), Tensor<double>({2}, {1, 2}));
  same((8 / x).value(), Tensor<double>({2}, {4, 2}));
  same((-x).value(), Tensor<double>({2}, {-2, -4}));
  same((x * C(0, 1)).value(), Tensor<C>({2}, {{0, 2}, {0, 4}}));
  same((C(0, 2) / to_complex(x)).value(), Tensor<C>({2}, {{0, 1}, {0, 0.5}}));
}

BOOST_AUTO_TEST_CASE(a_pole_has_gradient_zero) {
  auto a = variable(Tensor<Cf>({2}, {{1, 1}, {0, 0}}));
  auto b = variable(Tensor<Cf>({2}, {{0, 0}, {0, 0}}));
  auto w = a / b;
  backward(sum(real(w * constant(Tensor<Cf>::ones({2})))));
  same(a.grad(), Tensor<Cf>::zeros({2}));
  same(b.grad(), Tensor<Cf>::zeros({2}));
}

BOOST_AUTO_TEST_CASE(division_neither_overflows_nor_underflows_on_the_way) {
  const auto quotient = [](Cf x, Cf y) { return (number(x) / number(y)).value().item(); };
  BOOST_TEST(quotient({3e30f, 4e30f}, {3e30f, 4e30f}).real() == 1, boost::test_tools::tolerance(1e-6f));
  BOOST_TEST(quotient({3e-30f, 4e-30f}, {3e-30f, 4e-30f}).real() == 1, boost::test_tools::tolerance(1e-6f));
  BOOST_TEST(quotient({0, 1e30f}, {0, 1e-5f}).real() == 1e35f, boost::test_tools::tolerance(1e-6f));
}

BOOST_AUTO_TEST_CASE(powers) {
  same(pow(variable(Tensor<double>({3}, {-2, 0, 3})), 3).value(), Tensor<double>({3}, {-8, 0, 27}));
  // On the principal branch, sqrt(-1) is i just above the cut and -i just below it.
  const Tensor<C> root = pow(constant(Tensor<C>({2}, {{-1, 0.0}, {-1, -0.0}})), 0.5).value();
  BOOST_TEST(std::abs(root(0) - C(0, 1)) < 1e-15);
  BOOST_TEST(std::abs(root(1) - C(0, -1)) < 1e-15);
  BOOST_TEST(pow(number(C(0, 0)), 0).value().item() == C(1, 0));
  BOOST_TEST(std::isinf(pow(number(0.0), -1).value().item()));
}

BOOST_AUTO_TEST_CASE(errors) {
  const auto a = constant(Tensor<double>::zeros({2, 3}));
  const auto b = constant(Tensor<C>::zeros({4}));
  BOOST_TEST(error_of([&] { a + b; }) == "add: shapes cannot be broadcast together: [2, 3] and [4]");
  BOOST_TEST(error_of([&] { a - b; }) == "sub: shapes cannot be broadcast together: [2, 3] and [4]");
  BOOST_TEST(error_of([&] { a* b; }) == "mul: shapes cannot be broadcast together: [2, 3] and [4]");
  BOOST_TEST(error_of([&] { a / b; }) == "div: shapes cannot be broadcast together: [2, 3] and [4]");
}

BOOST_AUTO_TEST_SUITE_END()
