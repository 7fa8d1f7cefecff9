#include "optim/clip.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>

#include "autograd/tape.h"
#include "core/parallel.h"
#include "core/random.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(clip)

using boost::test_tools::tolerance;
using C = std::complex<double>;

namespace {

/// A real parameter with the gradient (3, 0) and a complex one with the gradient 4i: together their norm is 5.
struct Triangle {
  Var<double> x = variable(Tensor<double>::zeros({2}));
  Var<C> z = variable(Tensor<C>::zeros({1}));
  ParameterList<double> parameters{{"x", x}, {"z", z}};
  Triangle() {
    GradientAccumulator<double>(x).add(Tensor<double>({2}, {3.0, 0.0}));
    GradientAccumulator<C>(z).add(Tensor<C>({1}, {C(0, 4)}));
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(the_norm_takes_complex_entries_by_modulus) {
  BOOST_TEST(grad_norm(Triangle().parameters) == 5.0);
  BOOST_TEST(grad_norm(ParameterList<double>{{"none", variable(Tensor<double>::ones({3}))}}) == 0.0);
}

BOOST_AUTO_TEST_CASE(squares_of_gradients_neither_overflow_nor_vanish) {
  for (const double size : {1e-320, 1e-200, 1e160, 1e307}) {
    const Var<double> x = variable(Tensor<double>::zeros({2}));
    GradientAccumulator<double>(x).add(Tensor<double>({2}, {3 * size, -4 * size}));
    BOOST_TEST(grad_norm(ParameterList<double>{{"x", x}}) / size == 5.0, tolerance(1e-3));
  }
}

BOOST_AUTO_TEST_CASE(factor) {
  BOOST_TEST(clip_factor(5, 1) == 0.2);
  BOOST_TEST(clip_factor(0.5, 1) == 1.0);
  BOOST_TEST(clip_factor(5, 0) == 1.0);
}

BOOST_AUTO_TEST_CASE(clips_in_place_and_returns_the_norm_before) {
  Triangle t;
  BOOST_TEST(clip_grad_norm(t.parameters, 1) == 5.0);
  BOOST_TEST(t.x.grad()(0) == 0.6, tolerance(1e-15));
  BOOST_TEST(t.z.grad()(0).imag() == 0.8, tolerance(1e-15));
  BOOST_TEST(clip_grad_norm(t.parameters, 2) == 1.0, tolerance(1e-15));
  BOOST_TEST(t.x.grad()(0) == 0.6, tolerance(1e-15));
}

BOOST_AUTO_TEST_CASE(a_gradient_shared_by_two_leaves_is_scaled_once) {
  const Tensor<double> dw({1}, {8.0});
  Var<double> a = variable(Tensor<double>::ones({1})), b = variable(Tensor<double>::ones({1}));
  GradientAccumulator<double>(a).add(dw);
  GradientAccumulator<double>(b).add(dw);
  scale_gradients(ParameterList<double>{{"a", a}, {"b", b}}, 0.5);
  BOOST_TEST(a.grad().item() == 4.0);
  BOOST_TEST(b.grad().item() == 4.0);
  BOOST_TEST(dw.item() == 8.0);
}

BOOST_AUTO_TEST_CASE(the_norm_is_the_same_for_any_number_of_threads) {
  Var<float> w = variable(Tensor<float>::zeros({700, 301}));
  Var<float> tail = variable(Tensor<float>::zeros({13}));
  GradientAccumulator<float>(w).add(randn<float>({700, 301}, Random(1)));
  GradientAccumulator<float>(tail).add(randn<float>({13}, Random(2)));
  const ParameterList<float> parameters{{"w", w}, {"tail", tail}};
  const int before = num_threads();
  set_num_threads(1);
  const double one = grad_norm(parameters);
  for (int threads : {2, 3, 5}) {
    set_num_threads(threads);
    BOOST_TEST(grad_norm(parameters) == one);
  }
  set_num_threads(before);
  double sum = 0;
  for (const Var<float>& v : {w, tail})
    for (float g : v.grad()) sum += static_cast<double>(g) * static_cast<double>(g);
  BOOST_TEST(one == std::sqrt(sum), tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(nan_and_infinity_show) {
  Triangle t;
  Tensor<double> g = t.x.grad();
  g(1) = std::numeric_limits<double>::infinity();
  t.x.set_grad(g);
  BOOST_TEST(std::isinf(grad_norm(t.parameters)));
  g(1) = std::numeric_limits<double>::quiet_NaN();
  t.x.set_grad(g);
  BOOST_TEST(std::isnan(grad_norm(t.parameters)));
}

BOOST_AUTO_TEST_CASE(a_list_with_a_variable_twice_is_not_scaled_twice) {
  Var<float> x = variable(Tensor<float>({1}, {1}));
  x.set_grad(Tensor<float>({1}, {8}));
  BOOST_CHECK_THROW(scale_gradients<float>({{"a", x}, {"b", x}}, 0.5), Error);
  BOOST_TEST(x.grad().item() == 8);
  BOOST_CHECK_THROW(clip_factor(1, -1), Error);
}

BOOST_AUTO_TEST_SUITE_END()
