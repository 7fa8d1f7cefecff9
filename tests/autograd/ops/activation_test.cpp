#include "autograd/ops/elementwise/activation.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <utility>

#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/elementwise/complex_activation.h"
#include "autograd/ops/elementwise/complex_parts.h"
#include "autograd/ops/elementwise/trigonometric.h"
#include "autograd/ops/rows/reduction.h"
#include "autograd/tape.h"
#include "core/kernels/elementwise.h"
#include "core/random.h"
#include "tests/error_text.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(activation)

using C = std::complex<double>;

namespace {
/// The largest difference between x and `expected`, relative to the largest element of `expected`.
template <Scalar T>
double distance(const Tensor<T>& x, const Tensor<T>& expected) {
  double worst = 0, scale = 0;
  for (std::int64_t i = 0; i < x.size(); ++i) {
    worst = std::max(worst, static_cast<double>(std::abs(x.data()[i] - expected.data()[i])));
    scale = std::max(scale, static_cast<double>(std::abs(expected.data()[i])));
  }
  return worst / scale;
}
}  // namespace

BOOST_AUTO_TEST_CASE(known_values) {
  // The values of gelu and silu at 1 follow from Φ(1) = 0.841344746068543 and σ(1) = 0.731058578630005.
  BOOST_TEST(gelu(number(1.0)).value().item() == 0.841344746068543, boost::test_tools::tolerance(1e-14));
  BOOST_TEST(gelu(number(-1.0)).value().item() == -0.158655253931457, boost::test_tools::tolerance(1e-13));
  BOOST_TEST(silu(number(1.0)).value().item() == 0.731058578630005, boost::test_tools::tolerance(1e-14));
  BOOST_TEST(swiglu(number(1.0), number(-2.0)).value().item() == -1.46211715726001, boost::test_tools::tolerance(1e-14));
  BOOST_TEST(erf(number(1.0)).value().item() == 0.842700792949715, boost::test_tools::tolerance(1e-14));
  BOOST_TEST(relu(number(-1.0)).value().item() == 0);
}

template <class R>
void check_gelu_at_special_points() {
  constexpr R infinity = std::numeric_limits<R>::infinity();
  const auto at = [](R x) {
    auto v = variable(Tensor<R>::full({1}, x));
    const auto y = gelu(v);
    backward(sum(y));
    return std::pair(y.value().data()[0], v.grad().data()[0]);
  };
  BOOST_TEST((at(0) == std::pair(R(0), R(0.5))));
  BOOST_TEST((at(-R(0)) == std::pair(R(0), R(0.5))));
  BOOST_TEST(std::signbit(at(-R(0)).first));
  BOOST_TEST((at(infinity) == std::pair(infinity, R(1))));
  BOOST_TEST((at(-infinity) == std::pair(R(0), R(0))));
  BOOST_TEST((at(std::numeric_limits<R>::max()) == std::pair(std::numeric_limits<R>::max(), R(1))));
  BOOST_TEST((at(std::numeric_limits<R>::lowest()) == std::pair(R(0), R(0))));
  const auto nothing = at(std::numeric_limits<R>::quiet_NaN());
  BOOST_TEST((std::isnan(nothing.first) && std::isnan(nothing.second)));
  // The formula changes at 1 and at -1, that of the gradient also where |x + 0.7518| = 1/4; neighbours must agree there.
  for (const R edge : {R(1), R(-1), R(-0.50179152469), R(-1.00179152469)}) {
    R x = edge - 8 * std::numeric_limits<R>::epsilon();
    for (int i = 0; i < 40; ++i) {
      const R next = std::nextafter(x, R(2));
      const auto [y0, g0] = at(x);
      const auto [y1, g1] = at(next);
      const R most = 8 * std::numeric_limits<R>::epsilon() * std::abs(edge);
      BOOST_TEST(std::abs(y1 - y0) < most);
      BOOST_TEST(std::abs(g1 - g0) < most);
      x = next;
    }
  }
}

BOOST_AUTO_TEST_CASE(gelu_at_special_points) {
  check_gelu_at_special_points<float>();
  check_gelu_at_special_points<double>();
}

BOOST_AUTO_TEST_CASE(fused_swiglu_is_the_chain_of_its_parts) {
  auto gate = variable(randn<double>({37, 41}, Random(1))), up = variable(randn<double>({37, 41}, Random(2)));
  const auto weights = constant(randn<double>({37, 41}, Random(3)));
  backward(sum(swiglu(gate, up) * weights));
  const Tensor<double> dgate = gate.grad(), dup = up.grad();
  gate.zero_grad(), up.zero_grad();
  backward(sum(silu(gate) * up * weights));
  BOOST_TEST(distance(dgate, gate.grad()) < 1e-14);
  BOOST_TEST(distance(dup, up.grad()) < 1e-14);
  gate.zero_grad();
  backward(sum(swiglu(gate, gate)));  // the same variable as both arguments
  const Tensor<double> both = gate.grad();
  gate.zero_grad();
  backward(sum(silu(gate) * gate));
  BOOST_TEST(distance(both, gate.grad()) < 1e-14);
}

BOOST_AUTO_TEST_CASE(float_follows_double) {
  // Training uses vectorised functions in float32; their forward and backward passes are compared with float64.
  const Tensor<double> x64 = rand<double>({1000}, Random(4), -8, 8);
  const Tensor<float> x32 = map([](double v) { return static_cast<float>(v); }, x64);
  const auto compare = [&](const std::string& name, const auto& f) {
    auto a = variable(map([](float v) { return static_cast<double>(v); }, x32));
    auto b = variable(x32);
    const auto ya = f(a);
    backward(sum(ya));
    const auto yb = f(b);
    backward(sum(yb));
    const auto widen = [](const Tensor<float>& t) { return map([](float v) { return static_cast<double>(v); }, t); };
    BOOST_TEST(distance(widen(yb.value()), ya.value()) < 1e-6, name);
    BOOST_TEST(distance(widen(b.grad()), a.grad()) < 1e-6, name);
  };
  compare("relu", [](auto v) { return relu(v); });
  compare("gelu", [](auto v) { return gelu(v); });
  compare("silu", [](auto v) { return silu(v); });
  compare("sigmoid", [](auto v) { return sigmoid(v); });
  compare("tanh", [](auto v) { return tanh(v); });
  compare("erf", [](auto v) { return erf(v); });
}

BOOST_AUTO_TEST_CASE(modrelu_keeps_the_phase) {
  const auto z = constant(Tensor<C>({2, 2}, {{3, 4}, {0, 1}, {-6, 8}, {0, 0.5}}));
  auto c = variable(Tensor<double>({2}, {-5, -0.75}));
  const Tensor<C> w = modrelu(z, c).value();
  BOOST_TEST(std::abs(w(0, 0)) < 1e-15);  // |z| + c = 5 - 5
  BOOST_TEST(std::abs(w(0, 1) - C(0, 0.25)) < 1e-15);
  BOOST_TEST(std::abs(w(1, 0) - C(-3, 4)) < 1e-14);
  BOOST_TEST(w(1, 1) == C(0));
  backward(sum(abs(modrelu(z, c))));  // |w| = |z| + c where the unit is active, so each active element adds 1 to dc
  BOOST_TEST(c.grad()(0) == 1, boost::test_tools::tolerance(1e-14));
  BOOST_TEST(c.grad()(1) == 1, boost::test_tools::tolerance(1e-14));
}

BOOST_AUTO_TEST_CASE(complex_activations_at_the_four_half_axes) {
  const auto z = constant(Tensor<C>({4}, {{2, 0}, {0, 2}, {-2, 0}, {0, -2}}));
  const Tensor<C> heart = cardioid(z).value(), quadrant = zrelu(z).value(), split = crelu(z).value();
  const C cardioids[] = {{2, 0}, {0, 1}, {0, 0}, {0, -1}}, quadrants[] = {{2, 0}, {0, 2}, {0, 0}, {0, 0}},
          splits[] = {{2, 0}, {0, 2}, {0, 0}, {0, 0}};
  for (std::int64_t i = 0; i < 4; ++i) {
    BOOST_TEST(std::abs(heart(i) - cardioids[i]) < 1e-15);
    BOOST_TEST(quadrant(i) == quadrants[i]);
    BOOST_TEST(split(i) == splits[i]);
  }
  const C w = cgelu(number(C(1, -1))).value().item();
  BOOST_TEST(w.real() == 0.841344746068543, boost::test_tools::tolerance(1e-14));
  BOOST_TEST(w.imag() == -0.158655253931457, boost::test_tools::tolerance(1e-13));
}

BOOST_AUTO_TEST_CASE(errors) {
  const auto x = constant(Tensor<double>::zeros({2, 3})), y = constant(Tensor<double>::zeros({3, 2}));
  BOOST_TEST(error_of([&] { swiglu(x, y); }) == "swiglu: gate and up must have the same shape, got [2, 3] and [3, 2]");
  const auto z = constant(Tensor<C>::zeros({2, 3}));
  BOOST_TEST(error_of([&] { modrelu(z, constant(Tensor<double>::zeros({2}))); }) ==
             "modrelu: shapes cannot be broadcast together: [2, 3] and [2]");
}

BOOST_AUTO_TEST_SUITE_END()
