#include "train/loop/rate_finder.h"

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "tests/error_text.h"
#include "tests/train/small_run.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(rate_finder)

BOOST_AUTO_TEST_CASE(the_suggestion_is_below_the_lowest_loss_and_not_above_the_steepest) {
  // The loss falls for rates above 1e-4, is steepest at 1e-3 and lowest at 1e-2, and then rises.
  std::vector<RatePoint> points;
  for (int k = 0; k <= 120; ++k) {
    const double x = -6 + k * 0.05;  // the decimal logarithm of the rate
    const double loss = 3 - 1 / (1 + std::exp(-6 * (x + 3))) + (x > -2 ? 5 * (x + 2) * (x + 2) : 0);
    points.push_back({.lr = std::pow(10, x), .loss = loss, .smooth = loss});
  }
  const double found = suggested_rate(points);
  BOOST_TEST(found > 4e-4);
  BOOST_TEST(found < 1.7e-3);
  for (RatePoint& p : points) p.smooth = p.lr;  // the loss rises from the first point on
  BOOST_TEST(suggested_rate(points) == 0);
  BOOST_TEST(suggested_rate({}) == 0);
}

BOOST_AUTO_TEST_CASE(a_run_is_taken_up_the_rates_until_it_diverges) {
  const RunConfig config = small_run(settings_of({{"clip", "0"}}));
  TrainingRun<float> run(config, small_corpus());
  std::int64_t seen = 0;
  const RateCurve curve = find_rate<float>(run, {.steps = 60, .lowest = 1e-5, .highest = 1e3}, [&](const RatePoint&) { ++seen; });
  BOOST_TEST(seen == std::ssize(curve.points));
  BOOST_TEST(curve.diverged);
  BOOST_TEST(curve.points[0].lr == 1e-5);
  BOOST_TEST(curve.points[0].smooth == curve.points[0].loss);
  BOOST_TEST(curve.points[1].smooth == (0.9 * curve.points[0].loss + curve.points[1].loss) / 1.9,
             boost::test_tools::tolerance(1e-12));
  BOOST_TEST(curve.suggestion > 1e-4);
  BOOST_TEST(curve.suggestion < 1);
  TrainingRun<float> again(config, small_corpus());
  BOOST_TEST(find_rate<float>(again, {.steps = 60, .lowest = 1e-5, .highest = 1e3}).suggestion == curve.suggestion);
  BOOST_TEST(error_of([&] { find_rate<float>(again, {.steps = 5}); }) == "find_lr: requires at least 10 steps, got 5");
}

BOOST_AUTO_TEST_SUITE_END()
