#include "data/batches.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <numeric>
#include <set>

#include "tests/data/temporary_directory.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(batches)

namespace {

/// The tokens 0, 1, 2, ..., each equal to its position.
Ids count_up(std::int64_t n) {
  Ids ids({n});
  std::iota(ids.data(), ids.data() + n, 0);
  return ids;
}

// The starts of the windows of one epoch, for batches of one window.
std::vector<std::int64_t> epoch(const LmBatches& batches, std::uint64_t number) {
  std::vector<std::int64_t> starts;
  const auto n = static_cast<std::uint64_t>(batches.windows_per_epoch());
  for (std::uint64_t i = number * n; i < (number + 1) * n; ++i) starts.push_back(batches.at(i).starts[0]);
  return starts;
}

}  // namespace

BOOST_AUTO_TEST_CASE(targets_are_the_following_tokens) {
  LmBatches batches(count_up(1000), 4, 10, 1);
  const LmBatch batch = batches.next();
  BOOST_TEST((batch.tokens.shape() == Shape{4, 10}));
  BOOST_TEST((batch.targets.shape() == Shape{4, 10}));
  for (std::int64_t b = 0; b < 4; ++b)
    for (std::int64_t t = 0; t < 10; ++t) {
      BOOST_TEST(batch.tokens[b * 10 + t] == batch.starts[static_cast<std::size_t>(b)] + t);
      BOOST_TEST(batch.targets[b * 10 + t] == batch.tokens[b * 10 + t] + 1);
    }
}

BOOST_AUTO_TEST_CASE(an_epoch_visits_every_window_once) {
  for (const std::int64_t N : {11, 12, 20, 21, 29, 30, 31, 57, 1000, 10241}) {
    constexpr std::int64_t T = 10;
    const LmBatches batches(count_up(N), 1, T, 5);
    for (std::uint64_t e = 0; e < 5; ++e) {
      std::vector<std::int64_t> starts = epoch(batches, e);
      std::sort(starts.begin(), starts.end());
      BOOST_TEST(starts.front() < T);
      BOOST_TEST(starts.back() + T < N);  // the last target is still within the text
      for (std::size_t i = 1; i < starts.size(); ++i) BOOST_REQUIRE(starts[i] - starts[i - 1] == T);
      BOOST_TEST(N - 1 - static_cast<std::int64_t>(starts.size()) * T < 2 * T);  // two more windows would not fit
    }
  }
}

BOOST_AUTO_TEST_CASE(epochs_differ_in_offset_and_order) {
  const LmBatches batches(count_up(2000), 1, 10, 5);
  std::set<std::int64_t> offsets;
  std::set<std::vector<std::int64_t>> orders;
  for (std::uint64_t e = 0; e < 60; ++e) {
    std::vector<std::int64_t> order = epoch(batches, e);
    offsets.insert(*std::min_element(order.begin(), order.end()));
    orders.insert(order);
  }
  // In 60 draws, one of the 10 offsets is missing with probability 0.02; with this seed, none is.
  BOOST_TEST(offsets.size() == 10U);
  BOOST_TEST(orders.size() == 60U);
}

BOOST_AUTO_TEST_CASE(the_order_is_random) {
  // On average, a random order leaves one of n elements in place, and about two pairs of neighbours stay neighbours.
  const LmBatches batches(count_up(20001), 1, 10, 11);
  int kept = 0, neighbours = 0;
  double correlation = 0;
  for (std::uint64_t e = 0; e < 10; ++e) {
    const std::vector<std::int64_t> order = epoch(batches, e);
    const auto n = static_cast<double>(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      const double place = static_cast<double>(order[i] / 10);
      kept += place == static_cast<double>(i);
      neighbours += i > 0 && std::abs(order[i] - order[i - 1]) == 10;
      correlation += 12 * (place / n - 0.5) * (static_cast<double>(i) / n - 0.5) / n / 10;
    }
  }
  BOOST_TEST(kept < 30);                     // mean 10
  BOOST_TEST(neighbours < 45);               // mean 20
  BOOST_TEST(std::abs(correlation) < 0.03);  // standard deviation 1/sqrt(20 000) = 0.007
}

BOOST_AUTO_TEST_CASE(a_batch_is_a_function_of_its_number) {
  LmBatches a(count_up(5000), 8, 16, 3);
  std::vector<std::vector<std::int64_t>> seen;
  for (int i = 0; i < 100; ++i) seen.push_back(a.next().starts);
  BOOST_TEST(a.position() == 100U);
  LmBatches b(count_up(5000), 8, 16, 3);
  b.seek(73);
  for (std::size_t i = 73; i < 100; ++i) BOOST_TEST(b.next().starts == seen[i]);
  BOOST_TEST(b.at(4).starts == seen[4]);
  const LmBatches other(count_up(5000), 8, 16, 4);
  BOOST_TEST(other.at(0).starts != seen[0]);
}

BOOST_AUTO_TEST_CASE(invalid_sizes_are_refused) {
  BOOST_TEST(error_of([] { LmBatches(count_up(10), 2, 10, 0); }) ==
             "batches: a text of 10 tokens is too short for windows of 10 and their targets; use at least 11 tokens, or a smaller "
             "length");
  BOOST_TEST(error_of([] { LmBatches(count_up(10), 0, 5, 0); }) == "batches: batch and length must be at least 1, got 0 and 5");
  BOOST_TEST(error_of([] { LmBatches(Ids({2, 5}), 1, 2, 0); }) == "batches: tokens must have shape [N], got [2, 5]");
  BOOST_TEST(LmBatches(count_up(11), 2, 10, 0).at(7).tokens[0] == 0);  // the text has a single window
  BOOST_TEST(error_of([] { EvaluationBatches(count_up(21), 2, 10); }) ==
             "evaluation: a text of 21 tokens is too short for a block of 2 x 10 and the two tokens after it");
  BOOST_TEST(error_of([] { EvaluationWindows(count_up(30), 2, 10, 0); }) ==
             "evaluation: the stride must be in [1, 10] (the window length), got 0");
  BOOST_TEST(error_of([] { EvaluationWindows(count_up(30), 2, 10, 11); }) ==
             "evaluation: the stride must be in [1, 10] (the window length), got 11");
  BOOST_TEST(error_of([] { EvaluationWindows(count_up(30), 0, 10, 10); }) ==
             "evaluation: batch and length must be at least 1, got 0 and 10");
  BOOST_TEST(error_of([] { EvaluationWindows(count_up(1), 2, 10, 10); }) ==
             "evaluation: a text of one token has nothing to score: its first token has no context");
  BOOST_TEST(error_of([] { EvaluationWindows(Ids(Shape{0}), 2, 10, 10); }) ==
             "evaluation: a text of no tokens has nothing to score: its first token has no context");
  BOOST_TEST(error_of([] { EvaluationWindows(count_up(22), 2, 10, 10)[2]; }) ==
             "evaluation: batch 2 is out of range for 2 batches");
  BOOST_TEST(error_of([] { EvaluationBatches(count_up(22), 2, 10)[1]; }) == "evaluation: block 1 is out of range for 1 blocks");
}

BOOST_AUTO_TEST_CASE(every_token_but_the_first_is_scored_once_whatever_the_batch) {
  constexpr std::int64_t T = 4;
  for (std::int64_t N = 2; N < 40; ++N)
    for (std::int64_t S = 1; S <= T; ++S) {
      std::vector<std::pair<std::int64_t, std::int64_t>> windows;  // start and number of targets of each window, for B = 1
      for (const std::int64_t B : {1, 3, 64}) {
        const EvaluationWindows evaluation(count_up(N), B, T, S);
        std::vector<std::int64_t> scored;
        std::vector<std::pair<std::int64_t, std::int64_t>> seen;
        for (std::int64_t i = 0; i < evaluation.size(); ++i) {
          const LmBatch batch = evaluation[i];
          const std::int64_t rows = batch.tokens.shape()[0], length = batch.tokens.shape()[1], n = batch.targets.shape()[1];
          BOOST_TEST_REQUIRE(length == std::min(T, N - 1));
          BOOST_TEST_REQUIRE(
              (rows <= B && batch.targets.shape()[0] == rows && static_cast<std::int64_t>(batch.starts.size()) == rows));
          for (std::int64_t b = 0; b < rows; ++b) {
            const std::int64_t start = batch.starts[static_cast<std::size_t>(b)];
            seen.push_back({start, n});
            for (std::int64_t t = 0; t < length; ++t) BOOST_REQUIRE(batch.tokens[b * length + t] == start + t);
            for (std::int64_t t = 0; t < n; ++t) {
              const std::int64_t target = batch.targets[b * n + t];
              BOOST_REQUIRE(target == start + length - n + t + 1);
              // A target's context is everything before it, or at least T - S + 1 tokens.
              BOOST_REQUIRE(target - start >= std::min(target, T - S + 1));
              scored.push_back(target);
            }
          }
        }
        std::vector<std::int64_t> all(static_cast<std::size_t>(N - 1));
        std::iota(all.begin(), all.end(), 1);
        BOOST_TEST(scored == all, boost::test_tools::per_element());  // also in the correct order
        if (B == 1) windows = seen;
        BOOST_TEST((seen == windows));
      }
    }
}

BOOST_AUTO_TEST_CASE(adjacent_windows_share_batches) {
  const EvaluationWindows apart(count_up(100), 8, 10, 10), overlapping(count_up(100), 8, 10, 5);
  BOOST_TEST(apart.size() == 3);         // 9 full windows, and the one that scores the 9 targets that remain
  BOOST_TEST(overlapping.size() == 5);   // the first, 17 that score 5 tokens, and the one that scores 4
  BOOST_TEST(apart[2].starts[0] == 89);  // moved back until it is full
}

BOOST_AUTO_TEST_CASE(evaluation_reads_the_text_in_blocks) {
  constexpr std::int64_t B = 3, T = 4;
  for (std::int64_t N = B * T + 2; N < 60; ++N) {
    const EvaluationBatches evaluation(count_up(N), B, T);
    // There must be as many blocks as the loop `for j in range(0, N - 1 - B T, B T)` has iterations.
    std::int64_t blocks = 0;
    for (std::int64_t j = 0; j < N - 1 - B * T; j += B * T, ++blocks) {
      const LmBatch batch = evaluation[blocks];
      for (std::int64_t i = 0; i < B * T; ++i) {
        BOOST_REQUIRE(batch.tokens[i] == j + i);
        BOOST_REQUIRE(batch.targets[i] == j + i + 1);
      }
    }
    BOOST_TEST(evaluation.size() == blocks);
  }
}

BOOST_AUTO_TEST_SUITE_END()
