#include "train/ablation/comparison.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <numbers>

using namespace argand;

BOOST_AUTO_TEST_SUITE(comparison, *boost::unit_test::tolerance(1e-6))

// With two degrees of freedom Student's t has P(|t| > x) = 1 - x / √(2 + x²); with one it is Cauchy's, P(|t| > x) = 1 - 2/π atan
// x.

BOOST_AUTO_TEST_CASE(three_pairs_by_hand) {
  const PairedDifference c = compare_pairs({{1, 2, 3}}).at(0);
  BOOST_TEST(c.pairs == 3U);
  BOOST_TEST(c.mean == 2.0);
  const double reach = 4.302652730 / std::sqrt(3.0);  // the 97.5 % quantile of t with two degrees of freedom, from tables; s = 1
  BOOST_TEST(*c.low == 2 - reach);
  BOOST_TEST(*c.high == 2 + reach);
  BOOST_TEST(*c.p == 1 - std::sqrt(12.0) / std::sqrt(14.0));  // t = 2 √3
  const PairedDifference other_way = compare_pairs({{-1, -2, -3}}).at(0);
  BOOST_TEST(*other_way.low == -*c.high);
  BOOST_TEST(*other_way.p == *c.p);
}

BOOST_AUTO_TEST_CASE(intervals_of_several_rows_are_wider_and_p_grows_in_steps) {
  // The third row has only one pair and the fourth has none, so neither is tested, and m is 2.
  const auto rows = compare_pairs({{1, 2, 3}, {1, 3}, {7}, {}});
  const double t2 = 0.975 * std::sqrt(2 / (1 - 0.975 * 0.975)), t1 = std::tan(std::numbers::pi * 0.4875);
  BOOST_TEST(*rows[0].high == 2 + t2 / std::sqrt(3.0));
  BOOST_TEST(*rows[1].low == 2 - t1);  // s = √2, s / √2 = 1
  const double p0 = 1 - std::sqrt(12.0 / 14), p1 = 1 - 2 / std::numbers::pi * std::atan(2.0);
  BOOST_TEST(*rows[0].p == 2 * p0);
  BOOST_TEST(*rows[1].p == p1);
  BOOST_TEST(rows[2].mean == 7.0);
  BOOST_TEST(rows[2].pairs == 1U);
  BOOST_TEST((!rows[2].low && !rows[2].high && !rows[2].p));
  BOOST_TEST((rows[3].pairs == 0U && !rows[3].p));
}

BOOST_AUTO_TEST_CASE(a_later_p_is_never_below_an_earlier_one_nor_above_1) {
  // Holm's factors give the p-values 3 p, 2 p' and p''; on its own, the second would be less than the first.
  const auto rows = compare_pairs({{1, 2, 3}, {1.02, 2, 3}, {-1, 1, 0.1}});
  BOOST_TEST(*rows[0].p <= *rows[1].p + 1e-12);
  const double p_of_second = *compare_pairs({{1.02, 2, 3}}).at(0).p, p_of_first = *compare_pairs({{1, 2, 3}}).at(0).p;
  BOOST_TEST((p_of_second < p_of_first));
  BOOST_TEST(*rows[1].p == 3 * p_of_second);  // the smallest of three
  BOOST_TEST(*rows[0].p == 3 * p_of_second);  // 2 p_of_first would be smaller
  BOOST_TEST(*rows[2].p <= 1.0);
  for (const PairedDifference& c : compare_pairs({{-1, 1}, {1, -1}, {-2, 2}})) BOOST_TEST(*c.p == 1.0);
}

BOOST_AUTO_TEST_CASE(equal_differences_have_intervals_of_no_width) {
  const auto rows = compare_pairs({{0, 0, 0}, {0.5, 0.5}});
  BOOST_TEST(*rows[0].p == 1.0);
  BOOST_TEST((*rows[0].low == 0.0 && *rows[0].high == 0.0));
  BOOST_TEST(*rows[1].p == 0.0);
  BOOST_TEST((*rows[1].low == 0.5 && *rows[1].high == 0.5));
}

// Tests what the intervals claim: in many experiments with three rows that do not differ, about 5 % report a difference.
BOOST_AUTO_TEST_CASE(intervals_have_their_stated_coverage) {
  std::uint64_t state = 1;
  const auto uniform = [&] {  // a linear congruential generator with the constants of Knuth's MMIX
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (static_cast<double>(state >> 11) + 0.5) / 9007199254740992.0;
  };
  const auto normal = [&] { return std::sqrt(-2 * std::log(uniform())) * std::cos(2 * std::numbers::pi * uniform()); };
  const int experiments = 4000;
  int wrong = 0, small_p = 0;
  for (int e = 0; e < experiments; ++e) {
    std::vector<std::vector<double>> rows(3);
    for (auto& row : rows)
      for (int seed = 0; seed < 4; ++seed) row.push_back(normal());
    bool missed = false, significant = false;
    for (const PairedDifference& c : compare_pairs(rows)) {
      missed |= *c.low > 0 || *c.high < 0;
      significant |= *c.p < 0.05;
    }
    wrong += missed, small_p += significant;
  }
  // For independent rows the rate is 1 - (1 - 0.05/3)³ = 4.92 %; in 4000 experiments its standard deviation is 0.34 %.
  BOOST_TEST((wrong > 0.0492 * experiments - 3.5 * 13.7 && wrong < 0.0492 * experiments + 3.5 * 13.7), wrong);
  BOOST_TEST(wrong == small_p);  // Holm's smallest p and Bonferroni's intervals agree on whether any row differs
}

BOOST_AUTO_TEST_SUITE_END()
