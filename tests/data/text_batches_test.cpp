#include "data/text_batches.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <numeric>
#include <set>

#include "tests/data/temporary_directory.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(text_batches)

namespace {

using Numbers = std::vector<std::int64_t>;

/// Text i consists of the token i + 2, repeated 1 to 40 times, and its label is i modulo 4.
LabelledTexts some_texts(std::int64_t n) {
  LabelledTexts texts;
  for (std::int64_t i = 0; i < n; ++i)
    texts.add(std::vector<Vocabulary::Id>(static_cast<std::size_t>(1 + i * 17 % 40), static_cast<Vocabulary::Id>(i + 2)), i % 4);
  return texts;
}

Numbers epoch(const TextBatches& batches, std::uint64_t number) {
  Numbers texts;
  const auto n = static_cast<std::uint64_t>(batches.batches_per_epoch());
  for (std::uint64_t i = number * n; i < (number + 1) * n; ++i) {
    const TextBatch batch = batches.at(i);
    texts.insert(texts.end(), batch.texts.begin(), batch.texts.end());
  }
  return texts;
}

Numbers sorted(Numbers numbers) {
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

Numbers count_up(std::int64_t n) {
  Numbers numbers(static_cast<std::size_t>(n));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

void check_rows(const TextBatch& batch, const LabelledTexts& texts, std::int64_t longest) {
  const auto B = static_cast<std::int64_t>(batch.texts.size());
  std::int64_t T = 0;
  for (const std::int64_t i : batch.texts) T = std::max(T, std::min(texts.length(i), longest));
  BOOST_TEST_REQUIRE((batch.tokens.shape() == Shape{B, T}));  // padded to the longest text of the batch
  BOOST_TEST_REQUIRE((batch.labels.shape() == Shape{B}));
  for (std::int64_t b = 0; b < B; ++b) {
    const std::int64_t i = batch.texts[static_cast<std::size_t>(b)];
    BOOST_REQUIRE(batch.labels[b] == texts.label(i));
    for (std::int64_t t = 0; t < T; ++t) BOOST_REQUIRE(batch.tokens[b * T + t] == (t < texts.length(i) ? i + 2 : pad_id));
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(an_epoch_visits_every_text_once) {
  for (const std::int64_t N : {1, 7, 8, 9, 399, 400, 401, 1000})
    for (const std::int64_t B : {1, 8}) {
      const LabelledTexts texts = some_texts(N);
      const TextBatches batches(texts, B, 100, 3);
      BOOST_TEST(batches.batches_per_epoch() == (N + B - 1) / B);
      for (std::uint64_t e = 0; e < 3; ++e) BOOST_TEST((sorted(epoch(batches, e)) == count_up(N)));
    }
}

BOOST_AUTO_TEST_CASE(rows_are_texts_padded_to_the_longest) {
  const LabelledTexts texts = some_texts(203);
  for (const std::int64_t longest : {100, 5, 1}) {
    const TextBatches batches(texts, 8, longest, 3);
    for (std::uint64_t i = 0; i < 60; ++i) check_rows(batches.at(i), texts, longest);
    const EvaluationTexts evaluation(texts, 8, longest);
    for (std::int64_t i = 0; i < evaluation.size(); ++i) check_rows(evaluation[i], texts, longest);
  }
}

BOOST_AUTO_TEST_CASE(texts_of_similar_length_go_together) {
  const LabelledTexts texts = some_texts(4000);
  const TextBatches batches(texts, 8, 100, 3);
  std::int64_t places = 0, words = 0;
  for (std::uint64_t i = 0; i < 500; ++i) {
    const TextBatch batch = batches.at(i);
    places += batch.tokens.size();
    words += batch.tokens.size() - std::count(batch.tokens.span().begin(), batch.tokens.span().end(), pad_id);
  }
  BOOST_TEST(static_cast<double>(places) < 1.05 * static_cast<double>(words));  // without buckets the factor would be 1.8
}

BOOST_AUTO_TEST_CASE(long_and_short_batches_take_turns) {
  // Within an epoch, a batch's length and its index must be uncorrelated; over 500 batches, chance gives a standard deviation of
  // 0.045.
  const TextBatches batches(some_texts(4000), 8, 100, 3);
  double correlation = 0;
  for (std::uint64_t i = 0; i < 500; ++i)
    correlation += (static_cast<double>(batches.at(i).tokens.shape()[1]) - 20.5) * (static_cast<double>(i) - 249.5);
  BOOST_TEST(std::abs(correlation / 500 / 11.5 / 144.3) < 0.15);
}

BOOST_AUTO_TEST_CASE(epochs_and_seeds_differ) {
  const LabelledTexts texts = some_texts(500);
  std::set<Numbers> orders;
  for (const std::uint64_t seed : {1, 2}) {
    const TextBatches batches(texts, 8, 100, seed);
    for (std::uint64_t e = 0; e < 10; ++e) orders.insert(epoch(batches, e));
  }
  BOOST_TEST(orders.size() == 20U);
}

BOOST_AUTO_TEST_CASE(a_batch_is_a_function_of_its_number) {
  const LabelledTexts texts = some_texts(100);
  const TextBatches a(texts, 8, 100, 3), b(texts, 8, 100, 3);
  std::vector<Numbers> seen;
  for (std::uint64_t i = 0; i < 40; ++i) seen.push_back(a.at(i).texts);
  for (const std::uint64_t i : {39, 0, 25, 13, 12, 26}) BOOST_TEST(b.at(i).texts == seen[i], boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(evaluation_sees_every_text_the_shortest_first) {
  const LabelledTexts texts = some_texts(203);
  const EvaluationTexts evaluation(texts, 8, 100);
  Numbers seen;
  for (std::int64_t i = 0; i < evaluation.size(); ++i) {
    const TextBatch batch = evaluation[i];
    for (const std::int64_t text : batch.texts) {
      if (!seen.empty()) BOOST_REQUIRE(texts.length(seen.back()) <= texts.length(text));
      seen.push_back(text);
    }
  }
  BOOST_TEST((sorted(seen) == count_up(203)));
}

BOOST_AUTO_TEST_CASE(invalid_sizes_are_refused) {
  BOOST_TEST(error_of([] { TextBatches({}, 8, 100, 0); }) == "batches: requires at least one text");
  BOOST_TEST(error_of([] { TextBatches(some_texts(3), 0, 100, 0); }) ==
             "batches: batch and length must be at least 1, got 0 and 100");
  BOOST_TEST(error_of([] { EvaluationTexts({}, 8, 100); }) == "evaluation: requires at least one text");
  BOOST_TEST(error_of([] { EvaluationTexts(some_texts(3), 8, 0); }) ==
             "evaluation: batch and length must be at least 1, got 8 and 0");
  BOOST_TEST(error_of([] { EvaluationTexts(some_texts(8), 8, 9)[1]; }) == "evaluation: batch 1 is out of range for 1 batches");
}

BOOST_AUTO_TEST_SUITE_END()
