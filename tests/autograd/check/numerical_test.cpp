/// Numerical derivatives by Ridders' method: their accuracy, and whether their error bars are honest.

#include "autograd/check/numerical.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstring>
#include <numbers>
#include <string>

#include "core/random.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(numerical)

namespace {

struct Known {
  std::string name;
  double (*f)(double);
  double (*derivative)(double);
  double low, high;
};

const std::vector<Known> known_functions{
    {"exp", [](double x) { return std::exp(x); }, [](double x) { return std::exp(x); }, -3, 3},
    {"sin", [](double x) { return std::sin(x); }, [](double x) { return std::cos(x); }, -10, 10},
    {"sin 16x", [](double x) { return std::sin(16 * x); }, [](double x) { return 16 * std::cos(16 * x); }, -3, 3},
    {"log", [](double x) { return std::log(x); }, [](double x) { return 1 / x; }, 0.01, 5},
    {"sqrt", [](double x) { return std::sqrt(x); }, [](double x) { return 0.5 / std::sqrt(x); }, 0.01, 5},
    {"1/x", [](double x) { return 1 / x; }, [](double x) { return -1 / (x * x); }, 0.05, 3},
    {"x^5", [](double x) { return x * x * x * x * x; }, [](double x) { return 5 * x * x * x * x; }, -3, 3},
    {"runge", [](double x) { return 1 / (1 + 25 * x * x); },
     [](double x) { return -50 * x / ((1 + 25 * x * x) * (1 + 25 * x * x)); }, -2, 2},
    {"tanh", [](double x) { return std::tanh(x); }, [](double x) { return 1 - std::tanh(x) * std::tanh(x); }, -4, 4},
    {"erf", [](double x) { return std::erf(x); }, [](double x) { return 2 * std::numbers::inv_sqrtpi * std::exp(-x * x); }, -2, 2},
    {"x + 1000", [](double x) { return x + 1000; }, [](double) { return 1.0; }, -2, 2},
    {"linear", [](double x) { return 3 * x; }, [](double) { return 3.0; }, -2, 2},
    {"constant", [](double) { return 7.0; }, [](double) { return 0.0; }, -2, 2},
};

/// A pseudo-random number in [-1, 1) that depends on every bit of x.
double hash(double x) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &x, sizeof bits);
  return 2 * Random(5).uniform(bits) - 1;
}

}  // namespace

BOOST_AUTO_TEST_CASE(error_bars_hold_the_truth_and_are_narrow) {
  for (const Known& known : known_functions) {
    const Random random(11);
    double worst_bar = 0, size = 0, worst_ratio = 0;
    for (std::uint64_t i = 0; i < 400; ++i) {
      const double x = known.low + (known.high - known.low) * random.uniform(i), truth = known.derivative(x);
      const Derivative d = differentiate(known.f, x);
      // The exact derivative is itself rounded, by about one unit in the last place.
      const double error = std::abs(d.central.value - truth), own = 4e-16 * std::abs(truth);
      worst_ratio = std::max(worst_ratio, (error - own) / std::max(d.central.error, 1e-300));
      worst_bar = std::max(worst_bar, d.central.error / std::max(1.0, std::abs(truth)));
      size = std::max(size, std::abs(truth));
      BOOST_TEST(!d.kink);
      BOOST_TEST(!d.jump);
    }
    BOOST_TEST_CONTEXT(known.name << ": worst error / bar " << worst_ratio << ", widest bar " << worst_bar) {
      BOOST_TEST(worst_ratio <= 1);
      BOOST_TEST(worst_bar < 1e-9);
    }
  }
}

BOOST_AUTO_TEST_CASE(one_sided_derivatives_agree_where_the_function_is_smooth) {
  for (const Known& known : known_functions) {
    const Random random(12);
    for (std::uint64_t i = 0; i < 50; ++i) {
      const double x = known.low + (known.high - known.low) * random.uniform(i), truth = known.derivative(x);
      const Derivative d = differentiate(known.f, x);
      BOOST_TEST_CONTEXT(known.name << " at " << x) {
        BOOST_TEST(std::abs(d.left.value - truth) <= 2 * d.left.error + 4e-16 * std::abs(truth));
        BOOST_TEST(std::abs(d.right.value - truth) <= 2 * d.right.error + 4e-16 * std::abs(truth));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(large_steps_across_a_singularity_do_no_harm) {
  // |x - 1| at distances from its kink far below the first step, and log(x) where the first steps leave the domain.
  for (const double distance : {0.05, 1e-2, 1e-3, 1e-4}) {
    const Derivative d = differentiate([](double x) { return std::abs(x - 1); }, 1 + distance);
    BOOST_TEST(std::abs(d.central.value - 1) <= 1e-9);
    BOOST_TEST(!d.kink);
    const Derivative l = differentiate([](double x) { return std::log(x); }, distance);
    BOOST_TEST(std::abs(l.central.value * distance - 1) <= 1e-9);
  }
}

BOOST_AUTO_TEST_CASE(steps_are_not_whole_periods) {
  // With steps halved from 1/8, the difference quotients of sin(64 π x) would all be 0, and so would agree on a wrong slope.
  const Derivative d = differentiate([](double x) { return std::sin(64 * std::numbers::pi * x); }, 0.0);
  BOOST_TEST(std::abs(d.central.value / (64 * std::numbers::pi) - 1) < 1e-10);
}

BOOST_AUTO_TEST_CASE(kinks_are_seen_with_both_slopes) {
  const Derivative symmetric = differentiate([](double x) { return std::abs(x); }, 0.0);
  BOOST_TEST(symmetric.kink);
  BOOST_TEST(!symmetric.jump);
  BOOST_TEST(std::abs(symmetric.left.value + 1) < 1e-12);
  BOOST_TEST(std::abs(symmetric.right.value - 1) < 1e-12);

  const Derivative curved = differentiate([](double x) { return x < 1 ? std::exp(x) : std::exp(1) * std::cos(x - 1); }, 1.0);
  BOOST_TEST(curved.kink);
  BOOST_TEST(std::abs(curved.left.value - std::exp(1)) < 1e-6);
  BOOST_TEST(std::abs(curved.right.value) < 1e-6);
}

BOOST_AUTO_TEST_CASE(a_kink_nearer_than_the_shortest_step_widens_the_bar) {
  for (double distance = 1e-9; distance < 1e-5; distance *= 1.07) {
    const Derivative d = differentiate([](double x) { return std::abs(x); }, distance);
    BOOST_TEST_INFO(distance << " from the kink of |x|: " << d.central.value << " ± " << d.central.error);
    BOOST_TEST((d.kink || std::abs(d.central.value - 1) <= d.central.error));
  }
}

BOOST_AUTO_TEST_CASE(jumps_are_seen_from_either_side) {
  const auto step = [](double x) { return x < 1 ? 0.5 * x : x + 3; };
  const Derivative at = differentiate(step, 1.0);
  BOOST_TEST(at.jump);
  BOOST_TEST(!at.kink);
  BOOST_TEST(std::abs(at.jump_left.value + 3.5) < 1e-9);
  BOOST_TEST(std::abs(at.jump_right.value) < 1e-9);
  const Derivative mirrored = differentiate([&](double x) { return step(-x); }, -1.0);
  BOOST_TEST(mirrored.jump);
  BOOST_TEST(std::abs(mirrored.jump_right.value + 3.5) < 1e-9);
}

BOOST_AUTO_TEST_CASE(steep_is_neither_kink_nor_jump) {
  for (const double steepness : {1e2, 1e4, 1e7, 1e9}) {
    const Derivative step = differentiate([=](double x) { return std::tanh(steepness * x); }, 0.0);
    BOOST_TEST(!step.jump);
    const Derivative bend = differentiate([=](double x) { return std::sqrt(x * x + 1 / (steepness * steepness)); }, 0.0);
    if (steepness < 1e7) BOOST_TEST(!bend.kink);  // a bend within 1e-7 of the point is a kink to double precision
  }
}

BOOST_AUTO_TEST_CASE(noise_widens_the_bar) {
  const Random random(13);
  for (const double noise : {1e-10, 1e-7, 1e-4})
    for (std::uint64_t i = 0; i < 100; ++i) {
      const double x = random.uniform(i);
      const Derivative d = differentiate([noise](double t) { return std::sin(t) + noise * hash(t); }, x);
      BOOST_TEST_CONTEXT("noise " << noise << " at " << x) {
        BOOST_TEST(std::abs(d.central.value - std::cos(x)) <= 10 * d.central.error);
        BOOST_TEST(!d.kink);
      }
    }
}

BOOST_AUTO_TEST_CASE(no_derivative_means_no_narrow_bar) {
  const Derivative root = differentiate([](double x) { return std::cbrt(x); }, 0.0);
  BOOST_TEST(!(root.central.error <= 1e-6 * std::abs(root.central.value)));
  const Derivative outside = differentiate([](double x) { return std::sqrt(x); }, 0.0);
  BOOST_TEST(std::isinf(outside.central.error));
}

BOOST_AUTO_TEST_SUITE_END()
