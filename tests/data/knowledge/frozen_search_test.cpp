#include "data/knowledge/frozen_search.h"

#include <boost/test/unit_test.hpp>

#include "core/parallel.h"
#include "core/random.h"
#include "tests/error_text.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(frozen_search)

namespace {

Ids some_ids(const Shape& shape, std::uint64_t seed) {
  Ids ids(shape);
  for (std::int64_t i = 0; i < ids.size(); ++i)
    ids[i] = static_cast<Ids::value_type>(Random(seed).below(static_cast<std::uint64_t>(i), 30));
  return ids;
}

std::vector<Ids::value_type> numbers(const Ids& ids) { return {ids.span().begin(), ids.span().end()}; }

}  // namespace

BOOST_AUTO_TEST_CASE(a_chunk_finds_the_passage_that_begins_with_it) {
  const Ids passages = some_ids({40, 10}, 1);
  const FrozenSearch search(passages, 5);
  Ids chunks(Shape{40, 5});
  for (std::int64_t p = 0; p < 40; ++p) std::copy_n(passages.data() + p * 10, 5, chunks.data() + p * 5);
  const Ids found = search(chunks, 3, {});
  for (std::int64_t p = 0; p < 40; ++p) BOOST_TEST(found[3 * p] == p);
}

BOOST_AUTO_TEST_CASE(only_the_first_tokens_are_looked_at) {
  Ids passages = some_ids({40, 10}, 1);
  const Ids chunks = some_ids({20, 5}, 2), before = FrozenSearch(passages, 5)(chunks, 4, {});
  for (std::int64_t p = 0; p < 40; ++p) passages[p * 10 + 5 + p % 5] = 31;
  BOOST_TEST(numbers(before) == numbers(FrozenSearch(passages, 5)(chunks, 4, {})));
  passages[before[0] * 10] = passages[before[0] * 10 + 1] = passages[before[0] * 10 + 2] = 31;
  BOOST_TEST(numbers(before) != numbers(FrozenSearch(passages, 5)(chunks, 4, {})));
}

BOOST_AUTO_TEST_CASE(the_largest_scores_of_those_that_are_not_excluded_come_first) {
  const Ids passages = some_ids({60, 8}, 3), chunks = some_ids({6, 8}, 4);
  std::vector<std::vector<Bm25::Id>> documents;
  for (std::int64_t p = 0; p < 60; ++p) documents.emplace_back(passages.data() + p * 8, passages.data() + p * 8 + 8);
  const Bm25 bm25(documents);
  const std::vector<RowRange> excluded{{0, 20}, {50, 60}, {7, 7}};
  const int before = num_threads();
  for (const int threads : {1, 3}) {
    set_num_threads(threads);
    const Ids found = FrozenSearch(passages, 8)(chunks, 5, excluded);
    BOOST_TEST(found.shape().str() == "[6, 5]");
    for (std::int64_t n = 0; n < 6; ++n) {
      const auto scores = bm25.scores({chunks.data() + n * 8, 8});
      const RowRange hidden = excluded[static_cast<std::size_t>(n / 2)];
      std::vector<std::int64_t> order;
      for (std::int64_t p = 0; p < 60; ++p)
        if (!hidden.contains(p)) order.push_back(p);
      std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
        return scores[static_cast<std::size_t>(a)] > scores[static_cast<std::size_t>(b)];
      });
      for (std::int64_t j = 0; j < 5; ++j) BOOST_TEST(found[5 * n + j] == order[static_cast<std::size_t>(j)]);
    }
  }
  set_num_threads(before);
}

BOOST_AUTO_TEST_CASE(errors_say_what_is_wrong) {
  const Ids passages = some_ids({4, 6}, 1);
  BOOST_TEST(error_of([&] { FrozenSearch(passages, 7); }) == "knowledge: cannot search passages of 6 tokens by their first 7");
  BOOST_TEST(error_of([&] {
               FrozenSearch(passages, 3)(some_ids({2, 3}, 1), 3, std::vector<RowRange>{{0, 2}});
             }) == "nearest: cannot choose 3 of 4 rows when 2 of them are excluded");
}

BOOST_AUTO_TEST_SUITE_END()
