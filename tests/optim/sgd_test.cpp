#include "optim/sgd.h"

#include <boost/test/unit_test.hpp>

#include "core/random.h"
#include "tests/error_text.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(sgd)

using boost::test_tools::tolerance;
using C = std::complex<double>;

BOOST_AUTO_TEST_CASE(two_steps_by_hand) {
  for (const bool nesterov : {false, true}) {
    Var<C> z = variable(Tensor<C>({1}, {C(1, 2)}));
    Sgd<double> optimizer({{"z", z}}, {.momentum = 0.5, .nesterov = nesterov});
    z.set_grad(Tensor<C>({1}, {C(2, -4)}));
    optimizer.step(0.1, 0.5);  // g = 1 - 2i, buf = g; Nesterov: u = 1.5 g
    C expected = C(1, 2) - (nesterov ? 0.15 : 0.1) * C(1, -2);
    BOOST_TEST(std::abs(z.value().item() - expected) < 1e-15);
    z.set_grad(Tensor<C>({1}, {C(0, 1)}));
    optimizer.step(0.1);  // buf = (0.5 - i) + i = 0.5; Nesterov: u = i + 0.25
    expected -= 0.1 * (nesterov ? C(0.25, 1) : C(0.5, 0));
    BOOST_TEST(std::abs(z.value().item() - expected) < 1e-15);
  }
}

BOOST_AUTO_TEST_CASE(momentum_makes_a_constant_gradient_ten_times_as_fast) {
  Var<double> p = variable(Tensor<double>::zeros({1}));
  Sgd<double> optimizer({{"p", p}}, {.momentum = 0.9});
  p.set_grad(Tensor<double>::ones({1}));
  double before = 0;
  for (int step = 0; step < 300; ++step) {
    before = p.value().item();
    optimizer.step(0.01);
  }
  BOOST_TEST(before - p.value().item() == 0.1, tolerance(1e-10));
}

BOOST_AUTO_TEST_CASE(only_matrices_decay_and_momentum_goes_on_without_a_gradient) {
  Var<double> matrix = variable(Tensor<double>::full({2, 2}, 2)), bias = variable(Tensor<double>::full({2}, 2), Role::Bias);
  Sgd<double> optimizer({{"matrix", matrix}, {"bias", bias}}, {.momentum = 0.5, .weight_decay = 0.5});
  optimizer.step(0.1);
  BOOST_TEST(matrix.value()(1, 1) == 1.9, tolerance(1e-15));
  BOOST_TEST(bias.value()(1) == 2);
  bias.set_grad(Tensor<double>::ones({2}));
  optimizer.step(0.1);
  bias.zero_grad();
  optimizer.step(0.1);
  BOOST_TEST(bias.value()(0) == 2 - 0.1 - 0.05, tolerance(1e-15));
}

BOOST_AUTO_TEST_CASE(complex_is_a_pair_of_reals_bit_for_bit_and_a_saved_state_goes_on) {
  const Shape shape{1500, 7};  // spans several blocks of memory
  Var<C> z = variable(randn<C>(shape, Random(3)));
  Var<double> x = variable(as_real(z.value()).clone());
  const SgdOptions options{.momentum = 0.9, .nesterov = true, .weight_decay = 0.1};
  Sgd<double> of_z({{"z", z}}, options), first({{"x", x}}, options), second({{"x", x}}, options);
  for (std::uint64_t i = 0; i < 4; ++i) {
    const Tensor<C> g = randn<C>(shape, Random(4, i));
    z.set_grad(g);
    x.set_grad(as_real(g).clone());
    of_z.step(0.01);
    (i < 2 ? first : second).step(0.01);
    if (i == 1) second.load_state(first.state());
  }
  const Tensor<double> pairs = as_real(z.value());
  BOOST_TEST(pairs.span() == x.value().span(), boost::test_tools::per_element());
  BOOST_TEST(second.state().steps == 4);
  BOOST_TEST(second.state().tensors[0].name == "buf.x");
}

BOOST_AUTO_TEST_CASE(invalid_arguments_are_refused) {
  Var<double> p = variable(Tensor<double>({1}, {1.0}));
  const auto make = [&](const SgdOptions& options) { return error_of([&] { Sgd<double>({{"p", p}}, options); }); };
  BOOST_TEST(make({.momentum = 1}) == "sgd: momentum must be in [0, 1), got 1");
  BOOST_TEST(make({.weight_decay = -1}) == "sgd: weight_decay must not be negative, got -1");
  BOOST_TEST(make({.momentum = 0, .nesterov = true}) == "sgd: nesterov requires momentum > 0");
  Sgd<double> optimizer({{"p", p}}, {});
  BOOST_TEST(error_of([&] { optimizer.step(-1); }) == "optimizer: the learning rate must be finite and not negative, got -1");
  BOOST_TEST(error_of([&] { optimizer.load_state({}); }) == "optimizer state: buf.p is missing");
}

BOOST_AUTO_TEST_SUITE_END()
