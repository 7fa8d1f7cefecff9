#include "train/generation/sampling.h"

#include <array>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>

#include "tests/error_text.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(sampling)

namespace {

constexpr int draws = 20000;

/// How often each of four tokens with probabilities 0.1, 0.4, 0.2, 0.3 is drawn.
std::array<double, 4> frequencies(const SamplingOptions& options) {
  const std::array<double, 4> logits = {std::log(0.1), std::log(0.4), std::log(0.2), std::log(0.3)};
  std::array<double, 4> count{};
  for (std::uint64_t i = 0; i < draws; ++i) count[static_cast<std::size_t>(sample<double>(logits, options, i))] += 1.0 / draws;
  return count;
}

void close(const std::array<double, 4>& seen, const std::array<double, 4>& expected) {
  for (std::size_t k = 0; k < 4; ++k) {
    if (expected[k] == 0)
      BOOST_TEST(seen[k] == 0);
    else
      BOOST_TEST(std::abs(seen[k] - expected[k]) < 5 * std::sqrt(expected[k] * (1 - expected[k]) / draws) + 1e-12);
  }
}

std::string refused(double temperature, std::int64_t top_k, double top_p) {
  return error_of([&] { SamplingOptions{.temperature = temperature, .top_k = top_k, .top_p = top_p}.validate(); });
}

}  // namespace

BOOST_AUTO_TEST_CASE(follows_the_distribution) { close(frequencies({}), {0.1, 0.4, 0.2, 0.3}); }

BOOST_AUTO_TEST_CASE(temperature_sharpens) {
  close(frequencies({.temperature = 0.5}), {0.01 / 0.3, 0.16 / 0.3, 0.04 / 0.3, 0.09 / 0.3});
  close(frequencies({.temperature = 0}), {0, 1, 0, 0});
}

BOOST_AUTO_TEST_CASE(top_k_and_top_p_cut_the_tail) {
  close(frequencies({.top_k = 2}), {0, 0.4 / 0.7, 0, 0.3 / 0.7});
  close(frequencies({.top_k = 99}), {0.1, 0.4, 0.2, 0.3});
  close(frequencies({.top_p = 0.65}), {0, 0.4 / 0.7, 0, 0.3 / 0.7});  // 0.4 + 0.3 is the first sum to reach it
  close(frequencies({.top_p = 0.01}), {0, 1, 0, 0});
}

BOOST_AUTO_TEST_CASE(a_draw_is_a_function_of_seed_and_number) {
  const std::array<float, 3> logits = {0, 0, 0};
  bool differ = false;
  for (std::uint64_t i = 0; i < 50; ++i) {
    BOOST_TEST(sample<float>(logits, {.seed = 3}, i) == sample<float>(logits, {.seed = 3}, i));
    differ = differ || sample<float>(logits, {.seed = 3}, i) != sample<float>(logits, {.seed = 4}, i);
  }
  BOOST_TEST(differ);
  BOOST_TEST(sample<float>(logits, {.temperature = 0}, 0) == 0);  // ties: the smaller id
}

BOOST_AUTO_TEST_CASE(extreme_logits) {
  const double inf = std::numeric_limits<double>::infinity();
  BOOST_TEST(sample<double>(std::array<double, 3>{-inf, 1e308, -1e308}, {}, 0) == 1);
  const auto error = [](double logit) { return error_of([&] { sample<double>(std::array<double, 2>{0, logit}, {}, 0); }); };
  BOOST_TEST(error(std::nan("")) == "sample: the model's logits are not finite");
  BOOST_TEST(error(inf) == "sample: the model's logits are not finite");
}

BOOST_AUTO_TEST_CASE(options_are_checked) {
  BOOST_TEST(refused(-1, 0, 1) == "temperature: must not be negative, got -1");
  BOOST_TEST(refused(1, -1, 1) == "top_k: must not be negative, got -1");
  BOOST_TEST(refused(1, 0, 0) == "top_p: must be in (0, 1], got 0");
  BOOST_TEST(refused(1, 0, 1.5) == "top_p: must be in (0, 1], got 1.5");
  BOOST_TEST(refused(0, 5, 0.5) == "");
}

BOOST_AUTO_TEST_SUITE_END()
