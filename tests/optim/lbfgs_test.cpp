#include "optim/lbfgs.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <numbers>

#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/elementwise/complex_parts.h"
#include "autograd/ops/elementwise/exponential.h"
#include "autograd/ops/elementwise/power.h"
#include "autograd/ops/elementwise/trigonometric.h"
#include "autograd/ops/products/matmul.h"
#include "autograd/ops/rows/reduction.h"
#include "autograd/ops/selection/where.h"
#include "autograd/ops/shape.h"
#include "autograd/tape.h"
#include "core/random.h"
#include "tests/error_text.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(lbfgs)

namespace {

using C = std::complex<double>;

/// |Az - b|² + Re(zᵀBz)/4 + |z|², a quadratic function whose Hessian does not commute with i.
Var<double> quadratic(const Var<C>& z) {
  const Var<C> A(randn<C>({6, 6}, Random(1))), b(randn<C>({6, 1}, Random(2))), B(randn<C>({6, 6}, Random(3), 0.4));
  return sum(abs2(matmul(A, z) - b)) + sum(real(matmul(transpose(z), matmul(B, z)))) * 0.25 + sum(abs2(z));
}

/// Rosenbrock's function in C², 100 |w - z²|² + |1 - z|², whose minimum is at z = w = 1.
Var<double> valley(const Var<C>& z) {
  const Var<C> first = slice(z, 0, 0, 1), second = slice(z, 0, 1, 2);
  return sum(abs2(second - square(first))) * 100.0 + sum(abs2(1.0 - first));
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_complex_quadratic_is_solved) {
  Var<C> z = variable(Tensor<C>::zeros({6, 1}));
  Lbfgs<double> optimizer({{"z", z}}, {.history = 12, .flat = 1e-7});
  const LbfgsReport report = optimizer.minimise([&] { return quadratic(z); }, 60);
  BOOST_TEST(report.gradient < 1e-6);
  // The minimum in R^12 is the point where every component of the gradient, the affine function g(z) = g(0) + H z,
  // vanishes.
  z.zero_grad();
  backward(quadratic(z));
  const Tensor<C> left = z.grad();
  for (const C& g : left.span()) BOOST_TEST(std::abs(g) < 1e-6);
  // ⟨s, y⟩ > 0, although sᴴy is not real, because H does not commute with i.
  double turned = 0;
  const OptimizerState<double> state = optimizer.state();
  for (std::size_t k = 0; k < 3; ++k) {
    const auto &s = std::get<Tensor<C>>(state.tensors[2 * k].value), &y = std::get<Tensor<C>>(state.tensors[2 * k + 1].value);
    C product = 0;
    for (std::int64_t i = 0; i < s.size(); ++i) product += std::conj(s.data()[i]) * y.data()[i];
    BOOST_TEST(product.real() > 0);
    turned = std::max(turned, std::abs(product.imag()) / product.real());
  }
  BOOST_TEST(turned > 1e-3);
}

BOOST_AUTO_TEST_CASE(the_valley_is_walked_along_to_its_end) {
  Var<C> z = variable(Tensor<C>({2}, {C(-1.2, 0.5), C(1, -1)}));
  Lbfgs<double> optimizer({{"z", z}}, {});
  const LbfgsReport report = optimizer.minimise([&] { return valley(z); }, 200);
  BOOST_TEST(report.loss < 1e-20);
  BOOST_TEST(report.iterations < 100);
  BOOST_TEST(std::abs(z.value()(0) - 1.0) < 1e-10);
  BOOST_TEST(std::abs(z.value()(1) - 1.0) < 1e-10);
}

BOOST_AUTO_TEST_CASE(the_loss_never_rises_and_the_gradient_left_is_that_of_the_end) {
  Var<C> z = variable(Tensor<C>({2}, {C(-1.2, 0.5), C(1, -1)}));
  Lbfgs<double> optimizer({{"z", z}}, {.history = 3});
  double before = valley(z).value().item();
  for (int k = 0; k < 15; ++k) {
    const LbfgsReport report = optimizer.minimise([&] { return valley(z); }, 1);
    BOOST_TEST(report.loss < before);
    BOOST_TEST(report.loss == valley(z).value().item(), boost::test_tools::tolerance(1e-10));
    before = report.loss;
    const Tensor<C> left = z.grad().clone();
    z.zero_grad();
    backward(valley(z));
    for (std::int64_t i = 0; i < 2; ++i) BOOST_TEST(std::abs(left(i) - z.grad()(i)) <= 1e-9 * std::abs(left(i)));
  }
}

BOOST_AUTO_TEST_CASE(complex_is_a_pair_of_reals_and_rotation_equivariant) {
  const Tensor<C> start({2}, {C(-1.2, 0.5), C(1, -1)});
  const C turn = std::polar(1.0, 0.7);
  Var<C> z = variable(start.clone()), turned = variable(start.clone());
  for (C& w : turned.value().span()) w *= turn;
  Var<double> x = variable(as_real(start).clone());
  Lbfgs<double> of_z({{"z", z}}, {}), of_x({{"x", x}}, {}), of_turned({{"z", turned}}, {});
  of_z.minimise([&] { return valley(z); }, 12);
  of_x.minimise([&] { return valley(view_as_complex(x)); }, 12);
  of_turned.minimise([&] { return valley(turned * std::conj(turn)); }, 12);
  for (std::int64_t i = 0; i < 2; ++i) {
    BOOST_TEST(std::abs(z.value()(i) - C(x.value()(2 * i), x.value()(2 * i + 1))) == 0);
    BOOST_TEST(std::abs(z.value()(i) - turned.value()(i) * std::conj(turn)) < 1e-8);
  }
}

BOOST_AUTO_TEST_CASE(real_and_complex_parameters_together_in_float_too) {
  Var<std::complex<float>> z = variable(Tensor<std::complex<float>>({1}, {{2, -1}}));
  Var<float> a = variable(Tensor<float>({1}, {3}));
  Lbfgs<float> optimizer({{"z", z}, {"a", a}}, {.flat = 1e-5});
  const LbfgsReport report =
      optimizer.minimise([&] { return sum(abs2(z - 1.0f)) + sum(square(a - 0.5f)) + sum(abs2(z) * square(a)); }, 50);
  BOOST_TEST(report.gradient < 1e-3);
  BOOST_TEST(std::abs(z.value().item().imag()) < 1e-3);
}

BOOST_AUTO_TEST_CASE(a_saved_state_goes_on_as_if_never_stopped) {
  Var<C> z = variable(Tensor<C>({2}, {C(-1.2, 0.5), C(1, -1)})), w = variable(z.value().clone());
  Lbfgs<double> of_z({{"p", z}}, {.history = 4}), before({{"p", w}}, {.history = 4}), after({{"p", w}}, {.history = 4});
  of_z.minimise([&] { return valley(z); }, 7);
  of_z.minimise([&] { return valley(z); }, 7);
  before.minimise([&] { return valley(w); }, 7);
  after.load_state(before.state());
  after.minimise([&] { return valley(w); }, 7);
  BOOST_TEST(z.value().span() == w.value().span(), boost::test_tools::per_element());
  BOOST_TEST(after.state().steps == 14);
  BOOST_TEST(after.state().tensors[2].name == "s.1.p");
  BOOST_TEST(error_of([&] { after.load_state({}); }) == "optimizer state: s.0.p is missing");
}

BOOST_AUTO_TEST_CASE(it_says_why_it_ends) {
  Var<C> z = variable(Tensor<C>({1}, {C(0, 0)}));
  Lbfgs<double> optimizer({{"z", z}}, {});
  BOOST_TEST((optimizer.minimise([&] { return sum(abs2(z)); }, 5).end == LbfgsEnd::Flat));
  z.value()(0) = C(1, 1);
  BOOST_TEST((optimizer.minimise([&] { return sum(abs2(z)); }, 0).end == LbfgsEnd::Iterations));
  // The gradient has the wrong sign, so no descent step lowers the loss.
  const LbfgsReport report = optimizer.minimise([&] { return sum(abs2(z)).detach() - sum(abs2(z)) + sum(abs2(z)).detach(); }, 5);
  BOOST_TEST((report.end == LbfgsEnd::NoLower));
  BOOST_TEST(std::abs(z.value()(0) - C(1, 1)) == 0);
}

namespace {

struct Ended {
  LbfgsReport report;
  double x, rise;
};

/// Minimises f from the vector `start`.
template <RealScalar R, class F>
Ended minimise(std::vector<R> start, const F& f, int iterations = 200) {
  Var<R> x = variable(Tensor<R>(Shape{static_cast<std::int64_t>(start.size())}, std::span<const R>(start)));
  const double before = static_cast<double>(f(x).value().item());
  Lbfgs<R> optimizer({{"x", x}}, {});
  const LbfgsReport report = optimizer.minimise([&] { return f(x); }, iterations);
  return {report, static_cast<double>(x.value().data()[0]), report.loss - before};
}

const auto barrier = [](const auto& x) { return sum(square(x)) - sum(log(x)); };
const auto rosenbrock = [](const auto& x) {
  using R = typename std::decay_t<decltype(x)>::value_type;
  const auto first = slice(x, 0, 0, 1), second = slice(x, 0, 1, 2);
  return sum(square(second - square(first))) * R(100) + sum(square(R(1) - first));
};

/// Hostile losses, each with the position of its minimum and the maximum number of evaluations.
template <RealScalar R>
void hostile_losses() {
  const R eps = std::numeric_limits<R>::epsilon();
  const auto check = [&](const char* name, const Ended& ended, double least, double tolerance, int evaluations) {
    BOOST_TEST_CONTEXT(name << ", " << scalar_name<R>() << ": " << ended.report.evaluations << " evaluations, x = " << ended.x) {
      BOOST_TEST((ended.report.end != LbfgsEnd::Iterations));
      BOOST_TEST(ended.report.evaluations <= evaluations);
      BOOST_TEST(std::abs(ended.x - least) <= tolerance);
      BOOST_TEST(ended.rise <= 0);
    }
  };
  const double root = std::sqrt(0.5);
  check("x² - log x", minimise<R>({1}, barrier), root, 4 * eps, 10);
  check("x² - log x, near the wall", minimise<R>({R(1e-8)}, barrier), root, 4 * eps, 60);
  check("x² - log x, from far away", minimise<R>({R(1e8)}, barrier), root, 1e-6, 120);
  check("constant", minimise<R>({1}, [](const auto& x) { return sum(x * R(0)) + R(3); }), 1, 0, 1);
  check("at the minimum", minimise<R>({0}, [](const auto& x) { return sum(square(x)) + R(1); }), 0, 0, 1);
  check("|x|", minimise<R>({R(0.3)}, [](const auto& x) { return sum(abs(x)); }), 0, 1e-7, 160);
  check("Rosenbrock", minimise<R>({R(-1.2), 1}, rosenbrock), 1, 100 * eps, 70);
  // The values stop changing long before the gradient is 0.
  check("Rosenbrock + 1000", minimise<R>({R(-1.2), 1}, [](const auto& x) { return rosenbrock(x) + R(1000); }), 1, 100 * eps, 70);
  check("cos x + 10⁶", minimise<R>({1}, [](const auto& x) { return sum(cos(x)) + R(1e6); }), std::numbers::pi, 64 * eps, 12);
  check("a wall of NaN", minimise<R>({0}, [](const auto& x) { return -sum(log(R(1) - x)) - sum(x) * R(100); }), 0.99, 1e-7, 60);
  const Var<R> weights(Tensor<R>({5}, {1, R(1e3), R(1e6), R(1e9), R(1e12)}));
  check("condition 10¹²",
        minimise<R>(
            {1, 1, 1, 1, 1}, [&](const auto& x) { return sum(square(x - R(1.75)) * weights) + R(1); }, 500),
        // In float32, the loss's change along the flattest direction is lost in the rounding error of the steepest.
        1.75, std::is_same_v<R, float> ? 1 : 1e-6, 500);
}

}  // namespace

BOOST_AUTO_TEST_CASE(hostile_losses_are_minimised) {
  hostile_losses<double>();
  hostile_losses<float>();
}

BOOST_AUTO_TEST_CASE(a_loss_of_noise_alone_ends) {
  // Near its minimum, this float32 sum changes only by rounding errors.
  const Tensor<float> data = randn<float>({1000}, Random(5));
  const auto f = [&](const auto& x) { return sum(square(x - Var<float>(data))); };
  const Ended ended = minimise<float>({0}, f, 1000);
  BOOST_TEST((ended.report.end == LbfgsEnd::NoLower || ended.report.end == LbfgsEnd::Flat));
  BOOST_TEST(ended.report.evaluations < 100);
}

BOOST_AUTO_TEST_CASE(it_does_not_end_where_the_gradient_is_not_finite) {
  Var<double> x = variable(Tensor<double>::scalar(1));
  Lbfgs<double> optimizer({{"x", x}}, {});
  // Below 0, the loss is 0, its lowest value, but its gradient is NaN because of the square root.
  const auto loss = [&] {
    return where(gt(x.value(), Tensor<double>::scalar(0)), sqrt(x), Var<double>(Tensor<double>::scalar(0)));
  };
  const LbfgsReport report = optimizer.minimise(loss, 20);
  BOOST_TEST(std::isfinite(x.value().item()));
  BOOST_TEST(report.loss <= 1);
}

BOOST_AUTO_TEST_CASE(invalid_arguments_are_refused) {
  Var<C> z = variable(Tensor<C>({2}, {C(1, 0), C(0, 1)}));
  const auto make = [&](const LbfgsOptions& options) { return error_of([&] { Lbfgs<double>({{"z", z}}, options); }); };
  BOOST_TEST(make({.history = 0}) == "lbfgs: history must be at least 1, got 0");
  BOOST_TEST(make({.evaluations = 0}) == "lbfgs: a line search needs at least one evaluation, got 0");
  BOOST_TEST(make({.flat = -1}) == "lbfgs: flat must not be negative, got -1");
  BOOST_TEST(make({.decrease = 0.9, .curvature = 0.1}) == "lbfgs: requires 0 < decrease < curvature < 1, got 0.9 and 0.1");
  Lbfgs<double> optimizer({{"z", z}}, {});
  BOOST_TEST(error_of([&] { optimizer.minimise([&] { return abs2(z); }, 1); }) ==
             "lbfgs: the loss must be a scalar, got shape [2]");
  BOOST_TEST(error_of([&] { optimizer.minimise([&] { return sum(abs2(z)); }, -1); }) ==
             "lbfgs: the number of iterations must not be negative, got -1");
  BOOST_TEST(error_of([&] { optimizer.minimise([&] { return sum(abs2(z)) * 1e308 * 1e10; }, 1); }) ==
             "lbfgs: the loss and its gradient must be finite at the start; the loss is inf");
}

BOOST_AUTO_TEST_SUITE_END()
