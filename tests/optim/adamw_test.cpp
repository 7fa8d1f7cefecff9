#include "optim/adamw.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <functional>

#include "autograd/tape.h"
#include "core/kernels/elementwise.h"
#include "core/random.h"
#include "optim/optimizer.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(adamw)

using boost::test_tools::tolerance;
using C = std::complex<double>;

namespace {

AdamWOptions paper(double weight_decay) {
  return {.beta1 = 0.9, .beta2 = 0.98, .eps = 1e-9, .weight_decay = weight_decay, .decay_all = true};
}

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_replaced_variable_is_reported) {
  Var<double> p = variable(Tensor<double>({1}, {1.0}));
  AdamW<double> optimizer({{"layer.weight", p}}, paper(0));
  p.set_grad(Tensor<double>({1}, {0.5}));
  optimizer.step(0.1);
  p = variable(Tensor<double>({1}, {2.0}));
  BOOST_TEST(error_of([&] { optimizer.step(0.1); }).starts_with("optimizer: another variable has replaced layer.weight; "));
  BOOST_TEST(p.value().item() == 2);
}

BOOST_AUTO_TEST_CASE(a_refused_step_changes_nothing) {
  Var<double> p = variable(Tensor<double>::ones({2})), q = variable(Tensor<double>::ones({2, 2}));
  AdamW<double> adamw({{"p", p}}, paper(0));
  const auto both = make_optimizer<double>({.name = "muon"}, {{"p", p}, {"q", q}});
  for (Var<double>* v : {&p, &q}) v->set_grad(Tensor<double>::ones(v->shape()));
  p.value() = Tensor<double>::ones({3});
  BOOST_TEST(error_of([&] { adamw.step(0.1); }) != "no error");
  BOOST_TEST(adamw.state().steps == 0);
  BOOST_TEST(error_of([&] { both->step(0.1); }) != "no error");
  BOOST_TEST(both->state().steps == 0);
  BOOST_TEST(q.value()(0, 0) == 1);  // Muon's part was not updated before AdamW's part threw
}

BOOST_AUTO_TEST_CASE(two_steps_by_hand) {
  Var<double> p = variable(Tensor<double>({1}, {1.0}));
  AdamW<double> optimizer({{"p", p}}, paper(0.01));
  // Step 1: m̂ = g, v̂ = g², hence p = 1·(1 - 0.001) - 0.1·g/|g|.
  p.set_grad(Tensor<double>({1}, {0.5}));
  optimizer.step(0.1);
  BOOST_TEST(p.value().item() == 0.899, tolerance(1e-8));
  // Step 2: m = 0.02, v = 0.00615.
  p.set_grad(Tensor<double>({1}, {-0.25}));
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
    a.set_grad(g);
    b.set_grad(quarter);
    of_a.step(0.01, 0.25);
    of_b.step(0.01);
  }
  BOOST_TEST(a.value().span() == b.value().span(), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(complex_is_a_pair_of_reals_bit_for_bit) {
  const Shape shape{1500, 7};  // spans several blocks of memory
  Var<C> z = variable(randn<C>(shape, Random(3)));
  Var<double> x = variable(as_real(z.value()).clone());
  AdamW<double> of_z({{"z", z}}, paper(0.1)), of_x({{"x", x}}, paper(0.1));
  for (std::uint64_t i = 0; i < 4; ++i) {
    const Tensor<C> g = randn<C>(shape, Random(4, i));
    z.set_grad(g);
    x.set_grad(as_real(g).clone());
    of_z.step(0.01);
    of_x.step(0.01);
  }
  const Tensor<double> pairs = as_real(z.value());
  BOOST_TEST(pairs.span() == x.value().span(), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(two_steps_by_modulus_by_hand) {
  Var<C> z = variable(Tensor<C>({1}, {C(1, 2)}));
  AdamWOptions options = paper(0.01);
  options.complex_moments = ComplexMoments::Modulus;
  AdamW<double> optimizer({{"z", z}}, options);
  // Step 1: m̂ = g, v̂ = |g|² = 25, hence z = (1 + 2i)·(1 - 0.001) - 0.1·(3 - 4i)/5.
  z.set_grad(Tensor<C>({1}, {C(3, -4)}));
  optimizer.step(0.1);
  BOOST_TEST(z.value().item().real() == 0.999 - 0.06, tolerance(1e-9));
  BOOST_TEST(z.value().item().imag() == 1.998 + 0.08, tolerance(1e-9));
  // Step 2, g = 5i: m = 0.9·(0.3 - 0.4i) + 0.5i = 0.27 + 0.14i, v = 0.98·0.5 + 0.02·25 = 0.99.
  z.set_grad(Tensor<C>({1}, {C(0, 5)}));
  optimizer.step(0.1);
  const double root = std::sqrt(0.99 / 0.0396) + 1e-9;
  BOOST_TEST(z.value().item().real() == 0.939 * 0.999 - 0.1 * (0.27 / 0.19) / root, tolerance(1e-9));
  BOOST_TEST(z.value().item().imag() == 2.078 * 0.999 - 0.1 * (0.14 / 0.19) / root, tolerance(1e-9));
  const auto state = optimizer.state();
  const C m = std::get<Tensor<C>>(state.tensors[0].value).item();
  BOOST_TEST(m.real() == 0.27, tolerance(1e-12));
  BOOST_TEST(m.imag() == 0.14, tolerance(1e-12));
  BOOST_TEST(std::get<Tensor<double>>(state.tensors[1].value).item() == 0.99, tolerance(1e-12));
}

namespace {

/// The distance, after ten steps, between the path from e^{iφ} z and e^{iφ} times the path from z, relative to that path's length.
double turning_error(ComplexMoments complex_moments, const C& turn) {
  const Shape shape{1500, 7};  // spans several blocks of memory
  const auto turned = [&](const Tensor<C>& x) { return argand::map([&](C v) { return v * turn; }, x); };
  const Tensor<C> start = randn<C>(shape, Random(11));
  Var<C> z = variable(start.clone()), w = variable(turned(start));
  AdamWOptions options = paper(0.1);
  options.complex_moments = complex_moments;
  AdamW<double> of_z({{"z", z}}, options), of_w({{"w", w}}, options);
  for (std::uint64_t i = 0; i < 10; ++i) {
    const Tensor<C> g = randn<C>(shape, Random(12, i));
    z.set_grad(g);
    w.set_grad(turned(g));
    of_z.step(0.01, 0.5);
    of_w.step(0.01, 0.5);
  }
  double off = 0, way = 0;
  for (std::int64_t i = 0; i < shape.size(); ++i) {
    off = std::max(off, std::abs(w.value().data()[i] - turn * z.value().data()[i]));
    way = std::max(way, std::abs(z.value().data()[i] - start.data()[i]));
  }
  return off / way;
}

}  // namespace

BOOST_AUTO_TEST_CASE(one_moment_is_rotation_equivariant_and_two_are_not) {
  for (const double angle : {0.3, 1.0, 2.5}) {
    BOOST_TEST(turning_error(ComplexMoments::Modulus, std::polar(1.0, angle)) < 1e-13);
    BOOST_TEST(turning_error(ComplexMoments::Two, std::polar(1.0, angle)) > 0.05);
  }
  // A quarter turn only swaps the axes, without rounding, so it commutes even with steps from two separate moments.
  BOOST_TEST(turning_error(ComplexMoments::Two, C(0, 1)) == 0.0);
}

BOOST_AUTO_TEST_CASE(real_parameters_do_not_depend_on_the_choice) {
  Var<double> a = variable(Tensor<double>::ones({40})), b = variable(Tensor<double>::ones({40}));
  AdamWOptions options = paper(0.1);
  AdamW<double> two({{"p", a}}, options);
  options.complex_moments = ComplexMoments::Modulus;
  AdamW<double> modulus({{"p", b}}, options);
  for (std::uint64_t i = 0; i < 3; ++i) {
    const Tensor<double> g = randn<double>({40}, Random(13, i));
    a.set_grad(g);
    b.set_grad(g);
    two.step(0.01);
    modulus.step(0.01);
  }
  BOOST_TEST(a.value().span() == b.value().span(), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(any_number_of_threads_gives_the_same_numbers) {
  const int before = num_threads();
  std::vector<Tensor<float>> results;
  for (int threads : {1, 2, 3}) {
    set_num_threads(threads);
    Var<float> w = variable(randn<float>({300, 101}, Random(5)));
    Var<std::complex<float>> z = variable(randn<std::complex<float>>({17}, Random(6)));
    Var<std::complex<float>> y = variable(randn<std::complex<float>>({100, 101}, Random(6, 1)));
    AdamW<float> optimizer({{"w", w}, {"z", z}}, paper(0.1));
    AdamWOptions options = paper(0.1);
    options.complex_moments = ComplexMoments::Modulus;
    AdamW<float> by_modulus({{"y", y}}, options);
    for (std::uint64_t i = 0; i < 3; ++i) {
      w.set_grad(randn<float>({300, 101}, Random(7, i)));
      z.set_grad(randn<std::complex<float>>({17}, Random(8, i)));
      y.set_grad(randn<std::complex<float>>({100, 101}, Random(8, 10 + i)));
      optimizer.step(0.01);
      by_modulus.step(0.01);
    }
    results.push_back(w.value());
    results.push_back(as_real(z.value()));
    results.push_back(as_real(y.value()));
  }
  set_num_threads(before);
  for (std::size_t i = 3; i < results.size(); ++i)
    BOOST_TEST(results[i].span() == results[i - 3].span(), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(state_continues_where_it_was_taken) {
  const auto gradient = [](std::uint64_t i) { return randn<double>({40}, Random(9, i)); };
  Var<double> p = variable(Tensor<double>::ones({40}));
  AdamW<double> whole({{"p", p}}, paper(0.1));
  for (std::uint64_t i = 0; i < 5; ++i) {
    p.set_grad(gradient(i));
    whole.step(0.01);
  }
  Var<double> q = variable(Tensor<double>::ones({40}));
  OptimizerState<double> saved;
  {
    AdamW<double> first({{"p", q}}, paper(0.1));
    for (std::uint64_t i = 0; i < 2; ++i) {
      q.set_grad(gradient(i));
      first.step(0.01);
    }
    saved = first.state();
  }
  const auto second = make_optimizer<double>({.weight_decay = 0.1, .decay = "all"}, {{"p", q}});
  second->load_state(saved);
  for (std::uint64_t i = 2; i < 5; ++i) {
    q.set_grad(gradient(i));
    second->step(0.01);
  }
  BOOST_TEST(p.value().span() == q.value().span(), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_wrong_state_changes_nothing) {
  Var<double> p = variable(Tensor<double>::ones({2}));
  AdamW<double> optimizer({{"p", p}}, paper(0.1));
  p.set_grad(Tensor<double>::ones({2}));
  optimizer.step(0.01);
  const auto refuse = [&](OptimizerState<double> state) { return error_of([&] { optimizer.load_state(state); }); };
  const Tensor<double> good = Tensor<double>::full({2}, 7);
  BOOST_TEST(refuse({1, {{"m.p", good}}}) == "optimizer state: v.p is missing");
  BOOST_TEST(refuse({1, {{"m.p", good}, {"v.p", Tensor<double>::ones({3})}}}) ==
             "optimizer state: v.p is float64 [3], but this model needs float64 [2]");
  BOOST_TEST(refuse({1, {{"m.p", Tensor<C>::ones({2})}, {"v.p", good}}}) ==
             "optimizer state: m.p is complex128 [2], but this model needs float64 [2]");
  BOOST_TEST(refuse({1, {{"m.p", good}, {"v.p", good}, {"v.q", good}}}) ==
             "optimizer state: v.q does not belong to this optimizer");
  BOOST_TEST(refuse({1, {{"m.p", good}, {"m.p", good}, {"v.p", good}}}) == "optimizer state: m.p appears twice");
  BOOST_TEST(refuse({-1, {{"m.p", good}, {"v.p", good}}}) == "optimizer state: the number of steps must not be negative, got -1");
  BOOST_TEST(optimizer.state().steps == 1);
  BOOST_TEST(std::get<Tensor<double>>(optimizer.state().tensors[0].value)(0) == 0.1, tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(moments_of_the_one_kind_refuse_the_other) {
  Var<C> z = variable(Tensor<C>::ones({2}));
  AdamWOptions by_modulus = paper(0.1);
  by_modulus.complex_moments = ComplexMoments::Modulus;
  AdamW<double> two({{"z", z}}, paper(0.1)), modulus({{"z", z}}, by_modulus);
  BOOST_TEST(error_of([&] { two.load_state(modulus.state()); }) ==
             "optimizer state: v.z is float64 [2], but this model needs complex128 [2]; for a complex parameter, the second moment "
             "is complex with complex_moments two and real with modulus");
  BOOST_TEST(error_of([&] { modulus.load_state(two.state()); }) ==
             "optimizer state: v.z is complex128 [2], but this model needs float64 [2]; for a complex parameter, the second moment "
             "is complex with complex_moments two and real with modulus");
}

BOOST_AUTO_TEST_CASE(constants_are_checked) {
  BOOST_TEST(error_of([] { make_optimizer<float>({.name = "sgd"}, {}); }) == "optimizer: \"sgd\" is not one of adamw|muon");
  BOOST_TEST(error_of([] { make_optimizer<float>({.beta1 = 1}, {}); }) == "optimizer: beta1 must be in [0, 1), got 1");
  BOOST_TEST(error_of([] { make_optimizer<float>({.beta2 = -0.5}, {}); }) == "optimizer: beta2 must be in [0, 1), got -0.5");
  BOOST_TEST(error_of([] { make_optimizer<float>({.eps = 0}, {}); }) == "optimizer: eps must be positive, got 0");
  BOOST_TEST(error_of([] { make_optimizer<float>({.weight_decay = -1}, {}); }) ==
             "optimizer: weight_decay must not be negative, got -1");
  BOOST_TEST(error_of([] { make_optimizer<float>({.complex_moments = "one"}, {}); }) ==
             "optimizer: complex_moments: \"one\" is not one of two|modulus");
}

BOOST_AUTO_TEST_CASE(constants_out_of_range_are_refused) {
  const ParameterList<double> one{{"p", variable(Tensor<double>({1}, {1.0}))}};
  BOOST_TEST(error_of([&] { AdamW<double>(one, {.beta1 = 1}); }) == "adamw: beta1 must be in [0, 1), got 1");
  BOOST_TEST(error_of([&] { AdamW<double>(one, {.eps = 0}); }) == "adamw: eps must be positive, got 0");
  const ParameterList<float> single{{"p", variable(Tensor<float>({1}, {1.0f}))}};
  BOOST_TEST(error_of([&] { AdamW<float>(single, {.eps = 1e-50}); }) ==
             "adamw: eps must be positive, even in single precision, got 1e-50");
  BOOST_TEST(error_of([&] { AdamW<double>(one, paper(0)).step(-0.1); }) ==
             "optimizer: the learning rate must be finite and not negative, got -0.1");
}

BOOST_AUTO_TEST_SUITE_END()
