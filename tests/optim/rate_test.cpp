#include "optim/rate.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>

#include "tests/error_text.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(rate)

using boost::test_tools::tolerance;

namespace {
std::string error_of_warm_up(const WarmupCosine& rate) {
  return error_of([&] { rate.validate(); });
}
}  // namespace

BOOST_AUTO_TEST_CASE(rates_at_known_steps) {
  BOOST_TEST(constant_rate(0.5)(1000) == 0.5);
  const Rate line = linear_rate(1, 3, 4);
  BOOST_TEST(line(0) == 1);
  BOOST_TEST(line(1) == 1.5);
  BOOST_TEST(line(4) == 3);
  BOOST_TEST(line(5) == 3);
  const Rate cosine = cosine_rate(1, 0, 6);
  BOOST_TEST(cosine(2) == 0.75, tolerance(1e-15));
  BOOST_TEST(cosine(6) == 0, tolerance(1e-15));
  const Rate stair = exponential_rate(1, 0.5, 3);
  BOOST_TEST(stair(2) == 1);
  BOOST_TEST(stair(3) == 0.5);
  BOOST_TEST(stair(8) == 0.25);
  const Rate root = inverse_root_rate(2, 4);
  BOOST_TEST(root(0) == 0.5);
  BOOST_TEST(root(3) == 2);
  BOOST_TEST(root(15) == 1);
}

BOOST_AUTO_TEST_CASE(schedules_compose) {
  const Rate again = restarted(linear_rate(4, 0, 4), 3);
  BOOST_TEST(again(2) == 2);
  BOOST_TEST(again(3) == 4);
  // A warm-up, a plateau and a decay ("warm-up, stable, decay").
  const Rate wsd = sequential({{linear_rate(0, 1, 2), 2}, {constant_rate(1), 5}, {linear_rate(1, 0, 2), 2}});
  BOOST_TEST(wsd(1) == 0.5);
  BOOST_TEST(wsd(6) == 1);
  BOOST_TEST(wsd(8) == 0.5);
  BOOST_TEST(wsd(20) == 0);
}

BOOST_AUTO_TEST_CASE(the_rate_of_the_programs_is_made_of_them) {
  const Rate whole = WarmupCosine{.peak = 1e-3, .final = 1e-4, .warmup = 5, .total = 40};
  const Rate parts = sequential({{linear_rate(1e-3 / 5, 1e-3, 4), 5}, {cosine_rate(1e-3, 1e-4, 35)}});
  for (std::int64_t step = 0; step < 50; ++step) BOOST_TEST(parts(step) == whole(step), tolerance(1e-14));
}

BOOST_AUTO_TEST_CASE(invalid_arguments_are_refused) {
  BOOST_TEST(error_of([] { constant_rate(-1); }) == "rate: rates must be finite and not negative, got -1 and -1");
  BOOST_TEST(error_of([] { cosine_rate(1, std::numeric_limits<double>::infinity(), 3); }) ==
             "rate: rates must be finite and not negative, got 1 and inf");
  BOOST_TEST(error_of([] { linear_rate(1, 0, 0); }) == "rate: needs at least one step, got 0");
  BOOST_TEST(error_of([] { constant_rate(1)(-1); }) == "rate: steps are counted from 0, got -1");
  BOOST_TEST(error_of([] { sequential({}); }) == "rate: sequential needs at least one rate");
}

BOOST_AUTO_TEST_CASE(warm_up_counts_from_zero_then_cosine) {
  const WarmupCosine rate{.peak = 1, .final = 0.1, .warmup = 4, .total = 104};
  BOOST_TEST(rate(0) == 0.25);
  BOOST_TEST(rate(3) == 1.0);
  BOOST_TEST(rate(4) == 1.0);
  BOOST_TEST(rate(54) == 0.55, tolerance(1e-15));
  BOOST_TEST(rate(29) == 0.1 + 0.45 * (1 + std::sqrt(0.5)), tolerance(1e-15));
  BOOST_TEST(rate(104) == 0.1, tolerance(1e-15));
  BOOST_TEST(rate(1000) == 0.1, tolerance(1e-15));
}

BOOST_AUTO_TEST_CASE(no_warm_up_and_only_warm_up) {
  BOOST_TEST((WarmupCosine{.peak = 2, .final = 0, .warmup = 0, .total = 10}(0)) == 2.0);
  BOOST_TEST((WarmupCosine{.peak = 2, .final = 0, .warmup = 10, .total = 10}(9)) == 2.0);
  BOOST_TEST((WarmupCosine{.peak = 2, .final = 0.5, .warmup = 10, .total = 10}(10)) == 0.5);
}

BOOST_AUTO_TEST_CASE(invalid_warm_ups_are_refused) {
  BOOST_TEST(error_of_warm_up({.peak = 0}) == "rate: the learning rate must be positive, got 0");
  BOOST_TEST(error_of_warm_up({.peak = std::numeric_limits<double>::quiet_NaN()}) ==
             "rate: the learning rate must be positive, got nan");
  BOOST_TEST(error_of_warm_up({.final = -1}) == "rate: the final learning rate must not be negative, got -1");
  BOOST_TEST(error_of_warm_up({.warmup = -1}) == "rate: the warm-up must not be negative, got -1 steps");
  BOOST_TEST(error_of_warm_up({.total = 0}) == "rate: needs at least one step, got 0");
  BOOST_TEST(error_of_warm_up({.warmup = 50, .total = 20}) == "rate: a warm-up of 50 steps is longer than the total of 20 steps");
  BOOST_TEST(error_of_warm_up({}) == "");
}

BOOST_AUTO_TEST_SUITE_END()
