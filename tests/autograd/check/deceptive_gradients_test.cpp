/// Deceptive gradients: wrong ones in places that checks tend to miss, and correct ones that look wrong. No wrong one may pass, and
/// those that function values can disprove must fail; no correct one may fail, and those that values can confirm must pass.

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstring>
#include <functional>

#include "autograd/gradcheck.h"
#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/tape.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(deceptive_gradients)

namespace {

using Real = std::function<double(double)>;

/// The function y_k = s_k f(x_k), whose gradient is claimed to be s_k g(x_k).
struct Deception {
  std::string name;
  Real f, g;
  std::vector<double> points;
  /// The verdict on the worst element: Pass (then all pass), Fail, or Inconclusive if values cannot decide, so the check may claim
  /// nothing more.
  Verdict expected;
  std::vector<double> scales = {};
};

Report check(const Deception& d) {
  const auto size = static_cast<std::int64_t>(d.points.size());
  Tensor<double> x({size});
  std::copy(d.points.begin(), d.points.end(), x.data());
  const auto scale = [&d](std::size_t k) { return d.scales.empty() ? 1.0 : d.scales[k]; };
  const auto op = [&](const Var<double>& v) {
    Tensor<double> y(v.shape());
    for (std::int64_t k = 0; k < y.size(); ++k) y.data()[k] = scale(static_cast<std::size_t>(k)) * d.f(v.value().data()[k]);
    return record(
        *Op::find("exp"), std::move(y),
        [&d, scale, x = v.value(), dx = accumulator(v)](const Tensor<double>& dy) {
          Tensor<double> g(x.shape());
          for (std::int64_t k = 0; k < g.size(); ++k)
            g.data()[k] = scale(static_cast<std::size_t>(k)) * d.g(x.data()[k]) * dy.data()[k];
          dx.add(g);
        },
        [](auto w) -> decltype(w) { throw Error("this test needs no tangent"); }, v);
  };
  return gradcheck(GradcheckOptions{.name = d.name, .blame_ops = false}, op, x);
}

/// A pseudo-random number in [-1, 1) that depends on every bit of x.
double hash(double x) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &x, sizeof bits);
  return 2 * Random(5).uniform(bits) - 1;
}

/// x rounded to 8 bits, as bfloat16 does.
double coarse(double x) {
  int exponent = 0;
  return std::ldexp(std::round(std::ldexp(std::frexp(x, &exponent), 8)), exponent - 8);
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double dsigmoid(double x) { return std::exp(-x) / ((1 + std::exp(-x)) * (1 + std::exp(-x))); }
double dtanh(double x) { return 1 / (std::cosh(x) * std::cosh(x)); }

Real constant(double c) {
  return [c](double) { return c; };
}
Real times(double c, const Real& f) {
  return [=](double x) { return c * f(x); };
}
Real plus(double c, const Real& f) {
  return [=](double x) { return c + f(x); };
}
const Real identity = [](double x) { return x; };
const Real square = [](double x) { return x * x; };
const Real dsquare = [](double x) { return 2 * x; };
const Real modulus = [](double x) { return std::abs(x); };
const Real sign = [](double x) { return x < 0 ? -1.0 : 1.0; };
const Real relu = [](double x) { return x > 0 ? x : 0; };
const Real step = [](double x) { return x > 0 ? 1.0 : 0.0; };
Real wave(double k) {
  return [k](double x) { return std::sin(k * x); };
}
Real dwave(double k) {
  return [k](double x) { return k * std::cos(k * x); };
}
/// The function x³ + a sin(kx).
Real ripple(double a, double k) {
  return [=](double x) { return x * x * x + a * std::sin(k * x); };
}
Real dripple(double a, double k) {
  return [=](double x) { return 3 * x * x + a * k * std::cos(k * x); };
}
const Real dcube = [](double x) { return 3 * x * x; };
Real noisy(double size) {
  return [size](double x) { return std::sin(x) + size * hash(x); };
}
const Real through_float = [](double x) { return static_cast<double>(std::sin(static_cast<float>(x))); };
const Real through_bfloat = [](double x) { return coarse(x * x); };
const Real cosine = [](double x) { return std::cos(x); };

const std::vector<double> some{0.3, -0.7, 1.9};
const std::vector<double> thousand = [] {
  std::vector<double> x;
  for (std::uint64_t k = 0; k < 1000; ++k) x.push_back(4 * Random(9).uniform(k) - 2);
  return x;
}();
/// Scales from 1 to 1e-21: each element must be accurate relative to its own size.
const std::vector<double> falling{1, 1e-3, 1e-6, 1e-9, 1e-12, 1e-15, 1e-18, 1e-21};
const std::vector<double> eight{0.3, -0.7, 1.9, 0.4, 1.1, -1.2, 0.8, 0.6};

/// g, multiplied by `factor` at one point.
Real wrong_at(double point, double factor, const Real& g) {
  return [=](double x) { return x == point ? factor * g(x) : g(x); };
}

constexpr Verdict fails = Verdict::Fail, open = Verdict::Inconclusive, pass = Verdict::Pass;

const std::vector<Deception> wrong{
    {"zero under an offset of 1e12", plus(1e12, square), constant(0), some, fails},
    {"-3 times under 1e12", plus(1e12, square), times(-3, dsquare), some, fails},
    {"twice under 1e12", plus(1e12, square), times(2, dsquare), some, fails},
    {"1 % too much under 1e12", plus(1e12, square), times(1.01, dsquare), some, open},
    {"1 % too much under 1e8", plus(1e8, square), times(1.01, dsquare), some, fails},
    {"1e-5 too much under -1e5", plus(-1e5, square), times(1 + 1e-5, dsquare), some, fails},
    {"negated under 1e300", plus(1e300, times(1e295, square)), times(-1e295, dsquare), some, fails},
    {"a slope below the last place of an offset", plus(1e12, times(1e-6, identity)), constant(-1e-6), some, open},
    {"sign of 1 + 1e-10 x", plus(1, times(1e-10, identity)), constant(-1e-10), thousand, fails},
    {"one sign of a thousand 1 + 1e-10 x", plus(1, times(1e-10, identity)), wrong_at(thousand[997], -1, constant(1e-10)), thousand,
     fails},
    {"zero for 1 + 1e-10 x", plus(1, times(1e-10, identity)), constant(0), thousand, fails},
    {"10 % of 1 + 1e-10 x", plus(1, times(1e-10, identity)), constant(1.1e-10), thousand, fails},
    {"1e-6 of 1 + 1e-10 x", plus(1, times(1e-10, identity)), constant((1 + 1e-6) * 1e-10), thousand, open},
    {"the alias of sin(1e5 x)", wave(1e5), constant(46839.8), {10}, fails},
    {"half the slope of sin(1e5 x)", wave(1e5), times(0.5, dwave(1e5)), {10, 11, 12.5, 99}, fails},
    {"zero for sin(1e5 x)", wave(1e5), constant(0), {10, 11, 12.5, 99}, fails},
    {"1e-3 too much for sin(3e4 x)", wave(3e4), times(1.001, dwave(3e4)), {10, 40, 77}, fails},
    {"negated sin(1e7 x)", wave(1e7), times(-1, dwave(1e7)), some, fails},
    {"zero where the first step is a period", wave(20 * M_PI), constant(0), {0, 0.5}, fails},
    {"zero where the second step is a period", wave(20 * M_PI * M_PI), constant(0), {0, 0.1}, fails},
    {"zero where every halved step is a period", wave(0x1p20 * M_PI), constant(0), {0, 0.5}, fails},
    {"a ripple forgotten", ripple(1e-6, 1e6), dcube, some, fails},
    {"a ripple of the wrong sign", ripple(1e-6, 1e6), dripple(-1e-6, 1e6), some, fails},
    {"a tiny ripple forgotten", ripple(1e-10, 1e6), dcube, some, fails},
    {"a slower ripple forgotten", ripple(1e-8, 1e4), dcube, some, fails},
    {"only the ripple", ripple(1e-3, 300), [](double x) { return 0.3 * std::cos(300 * x); }, some, fails},
    {"the smallest of mixed scales negated", square, wrong_at(0.6, -1, dsquare), eight, open, falling},
    {"1e-9 of mixed scales negated", square, wrong_at(0.4, -1, dsquare), eight, fails, falling},
    {"1e-9 of mixed scales zero", square, wrong_at(0.4, 0, dsquare), eight, fails, falling},
    {"1e-9 of mixed scales 1 % off", square, wrong_at(0.4, 1.01, dsquare), eight, fails, falling},
    {"1e-6 of mixed scales 1e-5 off", square, wrong_at(1.9, 1 + 1e-5, dsquare), eight, fails, falling},
    {"the largest of mixed scales twice", square, wrong_at(0.3, 2, dsquare), eight, fails, falling},
    {"tiny values negated", times(1e-20, square), times(-1e-20, dsquare), some, fails},
    {"tiny values, zero", times(1e-200, square), constant(0), some, fails},
    {"huge values, 1e-6 off", times(1e200, square), times((1 + 1e-6) * 1e200, dsquare), some, fails},
    {"one part in 1e7", square, times(1 + 1e-7, dsquare), some, fails},
    {"the other side of |x|", modulus, times(-1, sign), {1e-4, -1e-3, 3e-7}, fails},
    {"zero near the kink of |x|", modulus, constant(0), {1e-6, -1e-5}, fails},
    {"half a step near the kink of relu", relu, constant(0.5), {1e-3, -1e-3}, fails},
    {"a slope left of relu", plus(1, relu), constant(1), {-1e-5}, fails},
    {"1e-3 at the bottom of x^2", square, constant(1e-3), {0}, fails},
    {"1e-9 at the bottom of (x - 1)^2", [](double x) { return (x - 1) * (x - 1); }, constant(1e-9), {1}, fails},
    {"1e-6 at the top of cos", cosine, constant(1e-6), {0}, fails},
    {"a slope of a constant", constant(7), constant(1e-9), some, fails},
    {"a slope of 1e-10 in a constant", constant(7), constant(1e-10), some, fails},
    {"noise of 1e-6, doubled", noisy(1e-6), times(2, cosine), some, fails},
    {"noise of 1e-6, 1e-7 off", noisy(1e-6), times(1 + 1e-7, cosine), some, open},
    {"noise of 1e-12, negated", noisy(1e-12), times(-1, cosine), some, fails},
    {"through float32, doubled", through_float, times(2, cosine), some, fails},
    {"through float32, zero", through_float, constant(0), some, fails},
    {"through float32, 1e-7 off", through_float, times(1 + 1e-7, cosine), some, open},
    {"through bfloat16, zero", through_bfloat, constant(0), {1.7, -1.3}, open},
    {"rounded to a tenth, straight through", [](double x) { return std::round(10 * x) / 10; }, constant(1), some, fails},
    {"sigmoid at 28, zero", sigmoid, constant(0), {28}, fails},
    {"sigmoid at 28, negated", sigmoid, times(-1, dsigmoid), {28}, fails},
    {"sigmoid at 20, 10 % off", sigmoid, times(1.1, dsigmoid), {20, 0.1}, fails},
    {"tanh at 15, zero", [](double x) { return std::tanh(x); }, constant(0), {15}, fails},
    {"steep tanh, twice",
     [](double x) { return std::tanh(1e6 * x); },
     [](double x) { return 2e6 * dtanh(1e6 * x); },
     {0, 1e-6},
     fails},
    {"steep tanh, zero", [](double x) { return std::tanh(1e6 * x); }, constant(0), {0, 1e-6}, fails},
    {"a pole nearby, negated", [](double x) { return 1 / x; }, [](double x) { return 1 / (x * x); }, {1e-4}, fails},
    {"not a number", square, constant(NAN), some, fails},
    {"infinite", square, constant(INFINITY), some, fails},
    {"a constant factor in a large exponential", [](double x) { return std::exp(30 * x); },
     [](double x) { return std::exp(30 * x); }, some, fails},
    {"wrong for negative x only", square, [](double x) { return x < 0 ? x : 2 * x; }, thousand, fails},
};

const std::vector<Deception> right{
    {"x^2 + 1e12", plus(1e12, square), dsquare, some, open},
    {"x^2 + 1e8", plus(1e8, square), dsquare, some, open},
    {"x^2 - 1e3", plus(-1e3, square), dsquare, some, pass},
    {"a large part of 1e300", plus(1e300, times(1e299, square)), times(1e299, dsquare), some, pass},
    {"a slope below the last place of an offset", plus(1e12, times(1e-6, identity)), constant(1e-6), some, open},
    {"1 + 1e-10 x", plus(1, times(1e-10, identity)), constant(1e-10), thousand, open},
    {"1 + 5e-11 x", plus(1, times(5e-11, identity)), constant(5e-11), some, open},
    {"1 + 1e-14 x", plus(1, times(1e-14, identity)), constant(1e-14), some, open},
    {"1 + 1e-17 x", plus(1, times(1e-17, identity)), constant(1e-17), some, open},
    {"sin(1e3 x)", wave(1e3), dwave(1e3), some, pass},
    {"sin(1e5 x)", wave(1e5), dwave(1e5), {10, 11, 12.5, 99}, open},
    {"sin(1e7 x)", wave(1e7), dwave(1e7), some, open},
    {"sin(1e12 x)", wave(1e12), dwave(1e12), some, open},
    {"sin(1e14 x)", wave(1e14), dwave(1e14), some, open},
    {"sin with the period of the first step", wave(20 * M_PI), dwave(20 * M_PI), {0, 0.5}, pass},
    {"sin with the period of the second step", wave(20 * M_PI * M_PI), dwave(20 * M_PI * M_PI), {0, 0.1}, pass},
    {"sin with every halved step a period", wave(0x1p20 * M_PI), dwave(0x1p20 * M_PI), {0, 0.5}, open},
    {"a ripple", ripple(1e-6, 1e6), dripple(1e-6, 1e6), some, open},
    {"a slower ripple", ripple(1e-8, 1e4), dripple(1e-8, 1e4), some, open},
    {"a long ripple", ripple(1e-3, 300), dripple(1e-3, 300), some, pass},
    {"mixed scales", square, dsquare, eight, pass, falling},
    {"mixed scales of waves", wave(3), dwave(3), eight, pass, falling},
    {"mixed scales under an offset", plus(1, square), dsquare, eight, pass, falling},
    {"huge and tiny side by side", square, dsquare, {0.3, -0.7, 1.9}, pass, {1e150, 1, 1e-150}},
    {"tiny values", times(1e-20, square), times(1e-20, dsquare), some, pass},
    {"tinier values", times(1e-200, square), times(1e-200, dsquare), some, pass},
    {"huge values", times(1e200, square), times(1e200, dsquare), some, pass},
    {"one part in 1e10, which is within the tolerance", square, times(1 + 1e-10, dsquare), some, pass},
    {"|x| near its kink", modulus, sign, {1e-4, -1e-3, 3e-7}, pass},
    {"|x| closer to its kink", modulus, sign, {1e-8, -1e-9, 1e-12}, open},
    {"relu near its kink", relu, step, {1e-3, -1e-3, 1e-6, -1e-6}, pass},
    {"relu + 1 near its kink", plus(1, relu), step, {-1e-5, 1e-5}, open},
    {"a step function near its step", step, constant(0), {1e-5, -1e-5, 0.05}, pass},
    {"the bottom of x^2", square, dsquare, {0}, pass},
    {"the bottom of (x - 1)^2", [](double x) { return (x - 1) * (x - 1); }, [](double x) { return 2 * (x - 1); }, {1}, pass},
    {"the bottom of x^4", [](double x) { return x * x * x * x; }, [](double x) { return 4 * x * x * x; }, {0}, pass},
    {"the saddle of x^3", [](double x) { return x * x * x; }, dcube, {0}, pass},
    {"the top of cos", cosine, [](double x) { return -std::sin(x); }, {0}, pass},
    {"near the top of cos", cosine, [](double x) { return -std::sin(x); }, {1e-8}, open},
    {"a constant", constant(7), constant(0), some, pass},
    {"a huge constant", constant(-1e300), constant(0), some, pass},
    {"the constant 0", constant(0), constant(0), some, pass},
    {"noise of 1e-6", noisy(1e-6), cosine, some, open},
    {"noise of 1e-12", noisy(1e-12), cosine, some, open},
    {"noise of 1e-3", noisy(1e-3), cosine, thousand, open},
    {"only noise", [](double x) { return hash(x); }, constant(0), some, open},
    {"through float32", through_float, cosine, thousand, open},
    {"through bfloat16", through_bfloat, dsquare, {1.7, -1.3}, open},
    {"sigmoid at 28", sigmoid, dsigmoid, {28}, open},
    {"sigmoid at 40", sigmoid, dsigmoid, {40}, open},
    {"sigmoid far left", sigmoid, dsigmoid, {-30, -200}, open},
    {"tanh at 15", [](double x) { return std::tanh(x); }, dtanh, {15}, open},
    {"steep tanh", [](double x) { return std::tanh(1e6 * x); }, [](double x) { return 1e6 * dtanh(1e6 * x); }, {0, 1e-6}, open},
    {"a pole nearby", [](double x) { return 1 / x; }, [](double x) { return -1 / (x * x); }, {1e-4}, open},
    {"the edge of a domain", [](double x) { return std::log(x); }, [](double x) { return 1 / x; }, {1e-3}, open},
    {"a large exponential", [](double x) { return std::exp(30 * x); }, [](double x) { return 30 * std::exp(30 * x); }, some, pass},
    {"cancellation inside", [](double x) { return (x + 1e9) - 1e9; }, constant(1), some, open},
    {"large arguments", [](double x) { return x * x; }, dsquare, {1e10, -1e100}, pass},
    {"tiny arguments", [](double x) { return std::sin(x); }, cosine, {1e-10, 1e-300}, pass},
};

}  // namespace

BOOST_AUTO_TEST_CASE(no_wrong_gradient_passes) {
  BOOST_TEST(wrong.size() >= 40U);
  for (const Deception& d : wrong) {
    const Report result = check(d);
    BOOST_TEST(!result.ok(), d.name << " passes");
    BOOST_TEST((d.expected != fails || result.count(Verdict::Fail) > 0), d.name << " does not fail:\n" << report_text(result));
  }
}

BOOST_AUTO_TEST_CASE(no_right_gradient_fails) {
  BOOST_TEST(right.size() >= 40U);
  for (const Deception& d : right) {
    const Report result = check(d);
    BOOST_TEST(result.count(Verdict::Fail) == 0, report_text(result));
    BOOST_TEST((d.expected != pass || result.ok()), report_text(result));
  }
}

BOOST_AUTO_TEST_CASE(nothing_checked_is_not_a_pass) {
  const Report result = gradcheck([](auto x) { return scale(x, 2); }, Tensor<double>({0}));
  BOOST_TEST(!result.ok());
  BOOST_TEST(result.diagnosis() == "no element to check");
}

BOOST_AUTO_TEST_SUITE_END()
