#include "optim/adamw.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <functional>

#include "autograd/tape.h"
#include "core/random.h"
#include "optim/optimizer.h"

using namespace argand;
using boost::test_tools::tolerance;
using C = std::complex<double>;

namespace {

template <Scalar T>
void set_grad(Var<T>& v, const Tensor<T>& g) {
  v.zero_grad();
  Sink<T>(v).add(g);
}

AdamWOptions paper(double weight_decay) { return {.beta1 = 0.9, .beta2 = 0.98, .eps = 1e-9, .weight_decay = weight_decay}; }

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

}  // namespace

BOOST_AUTO_TEST_SUITE(adamw)

BOOST_AUTO_TEST_CASE(two_steps_by_hand) {
  Var<double> p = variable(Tensor<double>({1}, {1.0}));
  AdamW<double> optimizer({{"p", p}}, paper(0.01));
  // Step 1: m̂ = g, v̂ = g², hence p = 1·(1 - 0.001) - 0.1·g/|g|.
  set_grad(p, Tensor<double>({1}, {0.5}));
  optimizer.step(0.1);
  BOOST_TEST(p.value().item() == 0.899, tolerance(1e-8));
  // Step 2: m = 0.02, v = 0.00615.
  set_grad(p, Tensor<double>({1}, {-0.25}));
  optimizer.step(0.1);
  BOOST_TEST(p.value().item() == 0.899 * 0.999 - 0.1 * (0.02 / 0.19) / (std::sqrt(0.00615 / 0.0396) + 1e-9), tolerance(1e-8));
  const auto state = optimizer.state();
  BOOST_TEST(state.steps == 2);
  BOOST_TEST(std::get<Tensor<double>>(state.tensors[0].value).item() == 0.02, tolerance(1e-12));
  BOOST_TEST(std::get<Tensor<double>>(state.tensors[1].value).item() == 0.00615, tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(decay_is_decoupled_and_needs_no_gradient) {
  Var<double> p = variable(Tensor<double>({2}, {2.0, -3.0}));
  AdamW<double> optimizer({{"p", p}}, paper(0.5));
  optimizer.step(0.1);
  BOOST_TEST(p.value()(0) == 1.9, tolerance(1e-15));
  BOOST_TEST(p.value()(1) == -2.85, tolerance(1e-15));
}

BOOST_AUTO_TEST_CASE(gradient_scale_is_the_scaled_gradient) {
  const Tensor<double> start = randn<double>({5, 3}, Random(1)), g = randn<double>({5, 3}, Random(2));
  Tensor<double> quarter = g.clone();
  for (double& x : quarter.span()) x *= 0.25;
  Var<double> a = variable(start.clone()), b = variable(start.clone());
  AdamW<double> of_a({{"p", a}}, paper(0.1)), of_b({{"p", b}}, paper(0.1));
  for (int i = 0; i < 3; ++i) {
    set_grad(a, g);
    set_grad(b, quarter);
    of_a.step(0.01, 0.25);
    of_b.step(0.01);
  }
  BOOST_TEST(a.value().span() == b.value().span(), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(complex_is_a_pair_of_reals_bit_for_bit) {
  const Shape shape{1500, 7};  // several blocks
  Var<C> z = variable(randn<C>(shape, Random(3)));
  Var<double> x = variable(as_real(z.value()).clone());
  AdamW<double> of_z({{"z", z}}, paper(0.1)), of_x({{"x", x}}, paper(0.1));
  for (std::uint64_t i = 0; i < 4; ++i) {
    const Tensor<C> g = randn<C>(shape, Random(4, i));
    set_grad(z, g);
    set_grad(x, as_real(g).clone());
    of_z.step(0.01);
    of_x.step(0.01);
  }
  const Tensor<double> pairs = as_real(z.value());
  BOOST_TEST(pairs.span() == x.value().span(), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(any_number_of_threads_gives_the_same_numbers) {
  const int before = num_threads();
  std::vector<Tensor<float>> results;
  for (int threads : {1, 2, 3}) {
    set_num_threads(threads);
    Var<float> w = variable(randn<float>({300, 101}, Random(5)));
    Var<std::complex<float>> z = variable(randn<std::complex<float>>({17}, Random(6)));
    AdamW<float> optimizer({{"w", w}, {"z", z}}, paper(0.1));
    for (std::uint64_t i = 0; i < 3; ++i) {
      set_grad(w, randn<float>({300, 101}, Random(7, i)));
      set_grad(z, randn<std::complex<float>>({17}, Random(8, i)));
      optimizer.step(0.01);
    }
    results.push_back(w.value());
    results.push_back(as_real(z.value()));
  }
  set_num_threads(before);
  for (std::size_t i = 2; i < results.size(); ++i)
    BOOST_TEST(results[i].span() == results[i - 2].span(), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(state_continues_where_it_was_taken) {
  const auto gradient = [](std::uint64_t i) { return randn<double>({40}, Random(9, i)); };
  Var<double> p = variable(Tensor<double>::ones({40}));
  AdamW<double> whole({{"p", p}}, paper(0.1));
  for (std::uint64_t i = 0; i < 5; ++i) {
    set_grad(p, gradient(i));
    whole.step(0.01);
  }
  Var<double> q = variable(Tensor<double>::ones({40}));
  OptimizerState<double> saved;
  {
    AdamW<double> first({{"p", q}}, paper(0.1));
    for (std::uint64_t i = 0; i < 2; ++i) {
      set_grad(q, gradient(i));
      first.step(0.01);
    }
    saved = first.state();
  }
  const auto second = make_optimizer<double>({.weight_decay = 0.1}, {{"p", q}});
  second->load_state(saved);
  for (std::uint64_t i = 2; i < 5; ++i) {
    set_grad(q, gradient(i));
    second->step(0.01);
  }
  BOOST_TEST(p.value().span() == q.value().span(), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_wrong_state_changes_nothing) {
  Var<double> p = variable(Tensor<double>::ones({2}));
  AdamW<double> optimizer({{"p", p}}, paper(0.1));
  set_grad(p, Tensor<double>::ones({2}));
  optimizer.step(0.01);
  const auto refuse = [&](OptimizerState<double> state) { return error_of([&] { optimizer.load_state(state); }); };
  const Tensor<double> good = Tensor<double>::full({2}, 7);
  BOOST_TEST(refuse({1, {{"m.p", good}}}) == "optimizer state: v.p is missing");
  BOOST_TEST(refuse({1, {{"m.p", good}, {"v.p", Tensor<double>::ones({3})}}}) ==
             "optimizer state: v.p is float64 [3], this model needs float64 [2]");
  BOOST_TEST(refuse({1, {{"m.p", good}, {"v.p", Tensor<C>::ones({2})}}}) ==
             "optimizer state: v.p is complex128 [2], this model needs float64 [2]");
  BOOST_TEST(refuse({1, {{"m.p", good}, {"v.p", good}, {"v.q", good}}}) == "optimizer state: v.q is not of this optimizer");
  BOOST_TEST(refuse({1, {{"m.p", good}, {"m.p", good}, {"v.p", good}}}) == "optimizer state: m.p appears twice");
  BOOST_TEST(refuse({-1, {{"m.p", good}, {"v.p", good}}}) == "optimizer state: the number of steps is -1");
  BOOST_TEST(optimizer.state().steps == 1);
  BOOST_TEST(std::get<Tensor<double>>(optimizer.state().tensors[0].value)(0) == 0.1, tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(constants_are_checked) {
  BOOST_TEST(error_of([] { make_optimizer<float>({.name = "sgd"}, {}); }) == "optimizer: \"sgd\" is not one of adamw|muon");
  BOOST_TEST(error_of([] { make_optimizer<float>({.beta1 = 1}, {}); }) == "optimizer: beta1 must be in [0, 1), got 1");
  BOOST_TEST(error_of([] { make_optimizer<float>({.beta2 = -0.5}, {}); }) == "optimizer: beta2 must be in [0, 1), got -0.5");
  BOOST_TEST(error_of([] { make_optimizer<float>({.eps = 0}, {}); }) == "optimizer: eps must be positive, got 0");
  BOOST_TEST(error_of([] { make_optimizer<float>({.weight_decay = -1}, {}); }) ==
             "optimizer: weight_decay must not be negative, got -1");
}

BOOST_AUTO_TEST_SUITE_END()
