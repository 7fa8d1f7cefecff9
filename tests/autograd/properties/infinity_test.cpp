/// What every op does at ±inf. at_infinity() finds it by trial; these tests state what it should be: the limit if there is one, and
/// no NaN in the gradient of a finite value.

#include "autograd/check/infinity.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>

#include "autograd/ops/elementwise/complex_activation.h"
#include "autograd/ops/elementwise/complex_parts.h"
#include "autograd/ops/elementwise/phase.h"
#include "autograd/ops/elementwise/trigonometric.h"
#include "autograd/ops/functions/hyperbolic.h"
#include "autograd/ops/functions/variable_power.h"
#include "autograd/ops/rows/reduction.h"
#include "autograd/tape.h"
#include "tests/autograd/properties/degrees.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(infinities)

namespace {

constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();

bool same(double a, double b) { return (std::isnan(a) && std::isnan(b)) || a == b || std::abs(a - b) < 1e-6; }

/// The limits of value and derivative at inf and at -inf, by op. NaN if there is no limit, or none within the reals.
const std::map<std::string, Limits>& limits() {
  constexpr double quarter = std::numbers::pi / 2;
  static const std::map<std::string, Limits> table = {
      {"abs", {inf, 1, inf, -1}},
      {"abs2", {inf, inf, inf, -inf}},
      {"acos", {nan, nan, nan, nan}},
      {"acosh", {inf, 0, nan, nan}},
      {"asin", {nan, nan, nan, nan}},
      {"asinh", {inf, 0, -inf, 0}},
      {"atan", {quarter, 0, -quarter, 0}},
      {"atanh", {nan, 0, nan, 0}},  // the formula of the derivative, 1/(1 - x²), has a limit outside the domain too
      {"cos", {nan, nan, nan, nan}},
      {"cosh", {inf, inf, inf, -inf}},
      {"erf", {1, 0, -1, 0}},
      {"erfc", {0, 0, 2, 0}},
      {"erfinv", {nan, nan, nan, nan}},
      {"exp", {inf, inf, 0, 0}},
      {"expm1", {inf, inf, -1, 0}},
      {"gelu", {inf, 1, 0, 0}},
      {"lgamma", {inf, inf, inf, 0}},  // at -inf the same as at its poles, 0 and the negative integers
      {"log", {inf, 0, nan, 0}},       // outside the domain, as for atanh
      {"log1p", {inf, 0, nan, 0}},     // outside the domain, as for atanh
      {"log_sigmoid", {0, 0, -inf, 1}},
      {"neg", {-inf, -1, inf, -1}},
      {"relu", {inf, 1, 0, 0}},
      {"scale", {-inf, -1.75, inf, -1.75}},
      {"sigmoid", {1, 0, 0, 0}},
      {"silu", {inf, 1, 0, 0}},
      {"sin", {nan, nan, nan, nan}},
      {"sinc", {0, 0, 0, 0}},
      {"sinh", {inf, inf, -inf, inf}},
      {"softplus", {inf, 1, 0, 0}},
      {"sqrt", {inf, 0, nan, nan}},
      {"square", {inf, inf, inf, -inf}},
      {"tan", {nan, nan, nan, nan}},
      {"tanh", {1, 0, -1, 0}},
  };
  return table;
}

/// Ops whose gradient may be NaN although their value is finite, and why.
const std::map<std::string, std::string>& without_a_limit() {
  static const std::map<std::string, std::string> table = {
      {"attention", "a key's gradient contains an infinite query times a weight of 0"},
      {"linear_cross_entropy", "a weight's gradient contains an infinite h times a probability of 0"},
      {"power", "powers of -inf exist for whole exponents only, and dp is NaN, as for every negative base"},
      {"magnitude_relu",
       "the Euclidean magnitude does not depend on θ, whose gradient multiplies infinite gradients of cos θ and sin θ by 0"},
  };
  return table;
}

template <RealScalar R>
void check_limits() {
  for (const Op* op : Op::all()) {
    if (not_measured().contains(op->name())) continue;
    const InfinityReport report = at_infinity<R>(*op);
    BOOST_TEST(report.text() != "", op->name());
    if (!report.limits) continue;
    BOOST_TEST_CONTEXT(op->name() << ", " << scalar_name<R>() << ": " << report.text()) {
      const auto expected = limits().find(op->name());
      BOOST_REQUIRE_MESSAGE(expected != limits().end(), op->name() << " is elementwise; add its limits at ±inf to the table");
      BOOST_TEST(same(report.limits->value, expected->second.value));
      BOOST_TEST(same(report.limits->derivative, expected->second.derivative));
      BOOST_TEST(same(report.limits->value_below, expected->second.value_below));
      BOOST_TEST(same(report.limits->derivative_below, expected->second.derivative_below));
    }
  }
}

template <RealScalar R>
void check_finite_values(const Op& op) {
  OpCheck check;
  op.check(check);
  for (const OpCheck::Case& c : check.cases())
    put_infinities<R>(c, [&](const InfinitePlace& place, const Sample* sample) {
      if (!sample) return;
      NotFinite value, gradient;
      for (const auto z : sample->value) value.add(z);
      for (const Numbers& g : sample->gradients)
        for (const auto z : g) gradient.add(z);
      BOOST_TEST(!(value.none() && gradient.nan), op.name() << " (" << c.label << ", " << scalar_name<R>() << "): input "
                                                            << place.input << ", element " << place.element << " is "
                                                            << place.number << ", the value is finite and the gradient NaN");
    });
}

using C = std::complex<double>;

/// The value w and the gradient of Re w at one complex number.
template <class F>
std::pair<C, C> at(const F& f, C z) {
  const Var<C> x = variable(Tensor<C>({1}, {z}));
  const auto w = f(x);
  Tape& tape = Tape::current();
  if constexpr (ComplexScalar<typename std::decay_t<decltype(w)>::value_type>)
    tape.backward(sum(real(w)));
  else
    tape.backward(sum(w));
  return {C(w.value()(0)), x.grad()(0)};
}

}  // namespace

BOOST_AUTO_TEST_CASE(real_functions_have_their_limits) {
  check_limits<double>();
  check_limits<float>();
}

BOOST_AUTO_TEST_CASE(a_finite_value_has_no_nan_in_its_gradient) {
  for (const Op* op : Op::all()) {
    if (without_a_limit().contains(op->name()) || not_measured().contains(op->name())) continue;
    check_finite_values<double>(*op);
    check_finite_values<float>(*op);
  }
}

BOOST_AUTO_TEST_CASE(directions_of_infinite_complex_numbers) {
  const double half = std::sqrt(0.5), pi = std::numbers::pi;
  // Pairs of z and z/|z|: a finite part is negligible next to an infinite one, and two infinite parts form the angle that atan2
  // gives.
  const std::vector<std::pair<C, C>> directions = {
      {{inf, 0}, {1, 0}},   {{inf, -3}, {1, 0}},        {{-inf, 2}, {-1, 0}},         {{0, inf}, {0, 1}},
      {{5, -inf}, {0, -1}}, {{inf, inf}, {half, half}}, {{-inf, inf}, {-half, half}}, {{-inf, -inf}, {-half, -half}}};
  for (const auto& [z, u] : directions) {
    BOOST_TEST_CONTEXT(z) {
      const auto near = [](C a, C b) { return std::abs(a - b) < 1e-12; };
      const auto modulus = at([](const auto& v) { return abs(v); }, z);
      BOOST_TEST(modulus.first.real() == inf);
      BOOST_TEST(near(modulus.second, u));
      const auto phase = at([](const auto& v) { return angle(v); }, z);
      BOOST_TEST(near(phase.first, std::abs(std::arg(u)) > pi - 1e-9 ? std::copysign(pi, z.imag()) : std::arg(u)));
      BOOST_TEST(near(phase.second, 0));
      const auto phasor = at([](const auto& v) { return unit_phasor(v); }, z);
      BOOST_TEST(near(phasor.first, u));
      BOOST_TEST(near(phasor.second, 0));
      // cardioid's factor (1 + cos θ)/2 is 0 on the negative real axis; the gradient of Re w has degree 0.
      const auto heart = at([](const auto& v) { return cardioid(v); }, z);
      const auto finite = at([](const auto& v) { return cardioid(v); }, 3.0 * u);
      BOOST_TEST(near(heart.second, finite.second));
      if (u.real() == -1) BOOST_TEST(near(heart.first, 0));
    }
  }
  // A NaN paired with an infinity remains a NaN.
  for (const C z : {C(inf, nan), C(nan, -inf)}) {
    BOOST_TEST(std::isnan(at([](const auto& v) { return abs(v); }, z).first.real()));
    BOOST_TEST(std::isnan(std::abs(at([](const auto& v) { return abs(v); }, z).second)));
  }
}

BOOST_AUTO_TEST_CASE(powers_that_vanish) {
  const auto x = variable(Tensor<double>({2}, {inf, 2})), p = variable(Tensor<double>({2}, {-2, -inf}));
  backward(sum(pow(x, p)));
  for (int i = 0; i < 2; ++i) {
    BOOST_TEST(x.grad()(i) == 0);
    BOOST_TEST(p.grad()(i) == 0);
  }
}

BOOST_AUTO_TEST_CASE(saturated_complex_functions) {
  for (const double y : {0.0, -2.0, inf, -inf}) {
    BOOST_TEST_CONTEXT("imaginary part " << y) {
      const auto tangent = [](const auto& v) { return tanh(v); };
      const auto logistic = [](const auto& v) { return sigmoid(v); };
      BOOST_TEST((at(tangent, {inf, y}) == std::pair(C(1), C(0))));
      BOOST_TEST((at(tangent, {-inf, y}) == std::pair(C(-1), C(0))));
      BOOST_TEST((at(logistic, {inf, y}) == std::pair(C(1), C(0))));
      BOOST_TEST((at(logistic, {-inf, y}) == std::pair(C(0), C(0))));
      BOOST_TEST((at([](const auto& v) { return tan(v); }, {y, inf}) == std::pair(C(0, 1), C(0))));
    }
  }
  // Along the real axis sinc tends to 0; along the imaginary axis it grows without bound.
  BOOST_TEST((at([](const auto& v) { return sinc(v); }, {-inf, 3}) == std::pair(C(0), C(0))));
  BOOST_TEST(std::isinf(at([](const auto& v) { return sinc(v); }, {0, inf}).first.real()));
}

BOOST_AUTO_TEST_SUITE_END()
