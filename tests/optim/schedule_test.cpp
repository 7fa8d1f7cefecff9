#include "optim/schedule.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>

#include "core/error.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(schedule)

using boost::test_tools::tolerance;

namespace {
std::string error_of(const Schedule& s) {
  try {
    s.validate();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}
}  // namespace

BOOST_AUTO_TEST_CASE(warm_up_counts_from_zero_then_cosine) {
  const Schedule s{.peak = 1, .final = 0.1, .warmup = 4, .total = 104};
  BOOST_TEST(s.at(0) == 0.25);
  BOOST_TEST(s.at(3) == 1.0);
  BOOST_TEST(s.at(4) == 1.0);
  BOOST_TEST(s.at(54) == 0.55, tolerance(1e-15));
  BOOST_TEST(s.at(29) == 0.1 + 0.45 * (1 + std::sqrt(0.5)), tolerance(1e-15));
  BOOST_TEST(s.at(104) == 0.1, tolerance(1e-15));
  BOOST_TEST(s.at(1000) == 0.1, tolerance(1e-15));
}

BOOST_AUTO_TEST_CASE(no_warm_up_and_only_warm_up) {
  BOOST_TEST((Schedule{.peak = 2, .final = 0, .warmup = 0, .total = 10}.at(0)) == 2.0);
  BOOST_TEST((Schedule{.peak = 2, .final = 0, .warmup = 10, .total = 10}.at(9)) == 2.0);
  BOOST_TEST((Schedule{.peak = 2, .final = 0.5, .warmup = 10, .total = 10}.at(10)) == 0.5);
}

BOOST_AUTO_TEST_CASE(what_cannot_be) {
  BOOST_TEST(error_of({.peak = 0}) == "schedule: the learning rate must be positive, got 0");
  BOOST_TEST(error_of({.peak = std::numeric_limits<double>::quiet_NaN()}) ==
             "schedule: the learning rate must be positive, got nan");
  BOOST_TEST(error_of({.final = -1}) == "schedule: the final learning rate must not be negative, got -1");
  BOOST_TEST(error_of({.warmup = -1}) == "schedule: the warm-up must not be negative, got -1 steps");
  BOOST_TEST(error_of({.total = 0}) == "schedule: needs at least one step, got 0");
  BOOST_TEST(error_of({.warmup = 50, .total = 20}) == "schedule: a warm-up of 50 steps is longer than the total of 20 steps");
  BOOST_TEST(error_of({}) == "no error");
}

BOOST_AUTO_TEST_SUITE_END()
