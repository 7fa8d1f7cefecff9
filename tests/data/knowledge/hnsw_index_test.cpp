#include "data/knowledge/hnsw_index.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <set>

#include "core/parallel.h"
#include "core/random.h"
#include "tests/error_text.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(hnsw_index)

BOOST_AUTO_TEST_CASE(what_it_finds_is_allowed_and_mostly_right) {
  if (!have_hnsw()) return;
  const auto rows = randn<float>({3000, 16}, Random(1)), queries = randn<float>({64, 16}, Random(2));
  const HnswIndex index(rows);
  // The cases exclude no rows, a few, more than the graph search visits, all but k, and exactly the best match.
  const Ids best = nearest_rows(queries, rows, 1);
  for (const RowRange& range :
       {RowRange{}, RowRange{10, 15}, RowRange{100, 2500}, RowRange{5, 3000}, RowRange{best[0], best[0] + 1}}) {
    const std::vector<RowRange> excluded{range, range};
    const Ids found = index.nearest(queries, 5, excluded);
    BOOST_TEST((found.shape() == Shape{64, 5}));
    for (std::int64_t n = 0; n < 64; ++n) {
      const std::set<std::int32_t> different(found.data() + n * 5, found.data() + (n + 1) * 5);
      BOOST_TEST(different.size() == 5u);
      for (const std::int32_t row : different) BOOST_TEST((row >= 0 && row < 3000 && !range.contains(row)));
    }
    BOOST_TEST(index.recall(queries, 5, excluded) > 0.8);
  }
  // When this many rows are excluded, the index falls back to exact search, so its recall is 1.
  const std::vector<RowRange> many{{100, 2500}};
  BOOST_TEST(index.recall(queries, 5, many) == 1);
}

BOOST_AUTO_TEST_CASE(equal_rows_make_equal_answers_whatever_the_threads) {
  if (!have_hnsw()) return;
  const int threads = num_threads();
  const auto rows = randn<float>({2000, 8}, Random(1)), queries = randn<float>({100, 8}, Random(2));
  std::vector<std::vector<std::int32_t>> answers;
  for (const int n : {1, 3}) {
    set_num_threads(n);
    const Ids found = HnswIndex(rows.clone()).nearest(queries, 7, {});
    answers.emplace_back(found.span().begin(), found.span().end());
  }
  set_num_threads(threads);
  BOOST_TEST(answers[0] == answers[1]);
}

BOOST_AUTO_TEST_CASE(the_best_comes_first) {
  if (!have_hnsw()) return;
  const Tensor<float> rows({4, 1}, {1, 3, 2, -1});
  const Ids found = HnswIndex(rows).nearest(Tensor<float>::ones({1, 1}), 3, {});
  BOOST_TEST((std::vector<std::int32_t>(found.span().begin(), found.span().end()) == std::vector<std::int32_t>{1, 2, 0}));
}

BOOST_AUTO_TEST_CASE(errors) {
  if (!have_hnsw()) {
    BOOST_TEST(
        error_of([] {
          HnswIndex(Tensor<float>::ones({4, 2}));
        }) ==
        "hnsw: argand was built without hnswlib; install libhnswlib-dev and rebuild, or use exact search (`irw_index` exact)");
    return;
  }
  const HnswIndex index(Tensor<float>::ones({4, 2}));
  const std::vector<RowRange> excluded{{0, 2}};
  BOOST_TEST(error_of([&] {
               index.nearest(Tensor<float>::ones({1, 2}), 3, excluded);
             }) == "nearest: cannot choose 3 of 4 rows when 2 of them are excluded");
  BOOST_TEST(error_of([&] {
               index.nearest(Tensor<float>::ones({1, 3}), 3, {});
             }) == "nearest: expects queries [N, r] and rows [P, r], got [1, 3] and [4, 2]");
}

BOOST_AUTO_TEST_SUITE_END()
