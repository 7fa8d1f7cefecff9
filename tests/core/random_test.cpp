#include "core/random.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <vector>

#include "core/parallel.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(random_numbers)

// The known answers for philox4x32-10 published by the authors of Random123 (kat_vectors): counter, key, result. The key of a
// Random is its seed, low word first; its counter consists of the block's number and the stream, low words first.
BOOST_AUTO_TEST_CASE(philox_gives_the_published_answers) {
  using Block = std::array<std::uint32_t, 4>;
  const std::uint64_t ones = ~std::uint64_t{0};
  BOOST_CHECK((Random(0, 0).block(0) == Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  BOOST_CHECK((Random(ones, ones).block(ones) == Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  BOOST_CHECK((Random(0x299f31d0a4093822, 0x0370734413198a2e).block(0x85a308d3243f6a88) ==
               Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

BOOST_AUTO_TEST_CASE(many_blocks_at_once_are_the_same_blocks) {
  const Random random(0x299f31d0a4093822, 0x0370734413198a2e);
  for (const std::uint64_t first : {std::uint64_t{0}, std::uint64_t{0xFFFFFFFFu} - 40, ~std::uint64_t{0} - 200}) {
    std::vector<std::uint32_t> words(4 * 141);  // two full batches and a remainder, with a carry into the high word
    random.blocks(first, words);
    for (std::size_t i = 0; i < words.size() / 4; ++i) {
      const auto expected = random.block(first + i);
      BOOST_TEST(std::equal(expected.begin(), expected.end(), words.begin() + static_cast<std::ptrdiff_t>(4 * i)));
    }
  }
}

BOOST_AUTO_TEST_CASE(uniform_numbers_fill_the_interval) {
  const Random random(1);
  double sum = 0, low = 1, high = 0;
  const int n = 100000;
  for (int i = 0; i < n; ++i) {
    const double u = random.uniform(static_cast<std::uint64_t>(i));
    sum += u, low = std::min(low, u), high = std::max(high, u);
  }
  BOOST_TEST(low >= 0);
  BOOST_TEST(high < 1);
  BOOST_TEST(low < 1e-3);
  BOOST_TEST(high > 1 - 1e-3);
  BOOST_TEST(std::abs(sum / n - 0.5) < 5 * std::sqrt(1.0 / 12 / n));
}

BOOST_AUTO_TEST_CASE(normal_numbers_have_the_moments) {
  const auto x = randn<double>({200000}, Random(2), 3.0);
  double m1 = 0, m2 = 0, m4 = 0;
  for (const double v : x) m1 += v / 3, m2 += v * v / 9, m4 += v * v * v * v / 81;
  const auto n = static_cast<double>(x.size());
  BOOST_TEST(std::abs(m1 / n) < 5 / std::sqrt(n));
  BOOST_TEST(std::abs(m2 / n - 1) < 5 * std::sqrt(2 / n));
  BOOST_TEST(std::abs(m4 / n - 3) < 5 * std::sqrt(96 / n));
}

BOOST_AUTO_TEST_CASE(complex_normal_numbers_are_circular) {
  const auto z = randn<std::complex<double>>({200000}, Random(3), 2.0);
  const auto n = static_cast<double>(z.size());
  double power = 0;
  std::complex<double> square = 0;
  for (const auto v : z) power += std::norm(v) / 4, square += v * v / 4.0;
  BOOST_TEST(std::abs(power / n - 1) < 5 / std::sqrt(n));
  BOOST_TEST(std::abs(square) / n < 5 / std::sqrt(n));
}

BOOST_AUTO_TEST_CASE(below_is_even) {
  const Random random(4);
  std::vector<int> count(7);
  const int n = 70000;
  for (int i = 0; i < n; ++i) ++count.at(random.below(static_cast<std::uint64_t>(i), 7));
  double chi_squared = 0;
  for (const int c : count) chi_squared += (c - n / 7.0) * (c - n / 7.0) / (n / 7.0);
  // With 6 degrees of freedom, larger values have a chance of one in ten thousand; the seed is fixed.
  BOOST_TEST(chi_squared < 28);
  BOOST_TEST(random.below(5, 1) == 0U);
  BOOST_TEST(random.below(5, ~std::uint64_t{0}) > 1U);
}

BOOST_AUTO_TEST_CASE(rand_keeps_its_bounds) {
  for (const float v : rand<float>({10000}, Random(5), -2.F, 3.F)) BOOST_REQUIRE(v >= -2.F && v < 3.F);
}

// One number in 2^25 is so close to 1 that it is rounded to 1 in float. This seed starts with such a number.
BOOST_AUTO_TEST_CASE(rand_in_float_never_reaches_its_upper_bound) {
  const Random random(16390493);
  BOOST_TEST(static_cast<float>(random.uniform(0)) == 1.F);
  BOOST_TEST(rand<float>({1}, random).item() < 1.F);
  BOOST_TEST(rand<float>({1}, random, 5.F, 6.F).item() < 6.F);
}

BOOST_AUTO_TEST_CASE(streams_and_seeds_differ) {
  const auto a = randn<double>({64}, Random(1, 0)), b = randn<double>({64}, Random(1, 1)), c = randn<double>({64}, Random(2, 0));
  BOOST_CHECK(!std::equal(a.begin(), a.end(), b.begin()));
  BOOST_CHECK(!std::equal(a.begin(), a.end(), c.begin()));
}

BOOST_AUTO_TEST_CASE(numbers_do_not_depend_on_the_number_of_threads) {
  const int before = num_threads();
  const auto numbers = [](int threads) {
    set_num_threads(threads);
    return randn<std::complex<float>>({3, 7001}, Random(9));
  };
  const auto one = numbers(1);
  for (const int threads : {2, 3, 8}) {
    const auto many = numbers(threads);
    BOOST_CHECK(std::equal(one.begin(), one.end(), many.begin()));
  }
  set_num_threads(before);
}

BOOST_AUTO_TEST_SUITE_END()
