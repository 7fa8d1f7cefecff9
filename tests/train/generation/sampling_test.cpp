#include "train/generation/sampling.h"

#include <array>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <vector>

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
  close(frequencies({.top_p = 0.65}), {0, 0.4 / 0.7, 0, 0.3 / 0.7});  // 0.4 + 0.3 is the first sum that reaches 0.65
  close(frequencies({.top_p = 0.01}), {0, 1, 0, 0});
}

BOOST_AUTO_TEST_CASE(min_p_keeps_what_is_nearly_as_likely_as_the_likeliest) {
  close(frequencies({.min_p = 0.5}), {0, 0.4 / 0.9, 0.2 / 0.9, 0.3 / 0.9});  // the tokens with a probability of at least 0.2
  close(frequencies({.min_p = 0.51}), {0, 0.4 / 0.7, 0, 0.3 / 0.7});
  close(frequencies({.min_p = 1}), {0, 1, 0, 0});
  // The squares of the probabilities are 0.01, 0.16, 0.04, 0.09.
  close(frequencies({.temperature = 0.5, .min_p = 0.3}), {0, 0.16 / 0.25, 0, 0.09 / 0.25});
  close(frequencies({.top_k = 2, .min_p = 0.1}), {0, 0.4 / 0.7, 0, 0.3 / 0.7});
}

BOOST_AUTO_TEST_CASE(repetition_brings_logits_down_on_either_side_of_zero) {
  // The logits are ln 4, 0 and -ln 2. A penalty of 2 halves the first and doubles the last, which gives weights 2, 1 and 1/4 with
  // the sum 3.25.
  const std::array<double, 3> logits = {std::log(4), 0, -std::log(2)};
  const std::vector<std::int32_t> text = {2, 0, 2, 2};
  std::array<double, 3> count{};
  for (std::uint64_t i = 0; i < draws; ++i)
    count[static_cast<std::size_t>(sample<double>(logits, {.repetition_penalty = 2}, i, text))] += 1.0 / draws;
  for (std::size_t k = 0; k < 3; ++k) {
    const double expected = std::array{2.0, 1.0, 0.25}[k] / 3.25;
    BOOST_TEST(std::abs(count[k] - expected) < 5 * std::sqrt(expected * (1 - expected) / draws));
  }
  const std::vector<std::int32_t> first = {0};
  BOOST_TEST(sample<double>(std::array<double, 2>{1, 0.8}, {.temperature = 0, .repetition_penalty = 1.5}, 0, first) == 1);
  BOOST_TEST(sample<double>(std::array<double, 2>{1, 0.8}, {.temperature = 0}, 0, first) == 0);
  BOOST_TEST(error_of([&] {
               sample<double>(std::array<double, 2>{1e308, 0}, {.repetition_penalty = 1e-9}, 0, first);
             }) == "sample: the model's logits are not finite");
}

BOOST_AUTO_TEST_CASE(a_draw_is_a_function_of_seed_and_number) {
  const std::array<float, 3> logits = {0, 0, 0};
  bool differ = false;
  for (std::uint64_t i = 0; i < 50; ++i) {
    BOOST_TEST(sample<float>(logits, {.seed = 3}, i) == sample<float>(logits, {.seed = 3}, i));
    differ = differ || sample<float>(logits, {.seed = 3}, i) != sample<float>(logits, {.seed = 4}, i);
  }
  BOOST_TEST(differ);
  BOOST_TEST(sample<float>(logits, {.temperature = 0}, 0) == 0);  // a tie goes to the smaller id
}

BOOST_AUTO_TEST_CASE(extreme_logits) {
  const double inf = std::numeric_limits<double>::infinity();
  BOOST_TEST(sample<double>(std::array<double, 3>{-inf, 1e308, -1e308}, {}, 0) == 1);
  const auto error = [](double logit) { return error_of([&] { sample<double>(std::array<double, 2>{0, logit}, {}, 0); }); };
  BOOST_TEST(error(std::nan("")) == "sample: the model's logits are not finite");
  BOOST_TEST(error(inf) == "sample: the model's logits are not finite");
}

BOOST_AUTO_TEST_CASE(options_are_checked) {
  BOOST_TEST(error_of([] { SamplingOptions{.min_p = 1.1}.validate(); }) == "min_p: must be in [0, 1], got 1.1");
  BOOST_TEST(error_of([] { SamplingOptions{.repetition_penalty = 0}.validate(); }) == "repetition_penalty: must be above 0, got 0");
  BOOST_TEST(refused(-1, 0, 1) == "temperature: must not be negative, got -1");
  BOOST_TEST(refused(1, -1, 1) == "top_k: must not be negative, got -1");
  BOOST_TEST(refused(1, 0, 0) == "top_p: must be in (0, 1], got 0");
  BOOST_TEST(refused(1, 0, 1.5) == "top_p: must be in (0, 1], got 1.5");
  BOOST_TEST(refused(0, 5, 0.5) == "");
}

BOOST_AUTO_TEST_SUITE_END()
