#include "core/nearest.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <limits>
#include <numeric>

#include "core/parallel.h"
#include "core/random.h"
#include "tests/error_text.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(nearest)

namespace {

/// The reference: sorts all candidates.
template <RealScalar R>
Ids by_sorting(const Tensor<R>& queries, const Tensor<R>& rows, std::int64_t k, const std::vector<RowRange>& excluded) {
  const std::int64_t N = queries.dim(0), P = rows.dim(0), r = rows.dim(1);
  Ids found(Shape{N, k});
  for (std::int64_t n = 0; n < N; ++n) {
    std::vector<std::pair<R, std::int64_t>> candidates;
    for (std::int64_t p = 0; p < P; ++p) {
      const auto group = static_cast<std::size_t>(n * static_cast<std::int64_t>(excluded.size()) / N);
      if (!excluded.empty() && excluded[group].contains(p)) continue;
      R score = 0;
      for (std::int64_t c = 0; c < r; ++c) score += queries(n, c) * rows(p, c);
      candidates.emplace_back(-score, p);
    }
    std::sort(candidates.begin(), candidates.end());
    for (std::int64_t j = 0; j < k; ++j)
      found[n * k + j] = static_cast<std::int32_t>(candidates[static_cast<std::size_t>(j)].second);
  }
  return found;
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_largest_dot_products_in_order_whatever_the_threads) {
  const int threads = num_threads();
  const auto queries = randn<double>({66, 5}, Random(1)), rows = randn<double>({2500, 5}, Random(2));
  const std::vector<RowRange> excluded{{0, 2000}, {1000, 1100}, {7, 7}};
  for (const auto& ranges : {std::vector<RowRange>{}, excluded}) {
    const Ids expected = by_sorting(queries, rows, 7, ranges);
    for (const int n : {1, 3}) {
      set_num_threads(n);
      const Ids found = nearest_rows(queries, rows, 7, ranges);
      BOOST_TEST(std::equal(found.span().begin(), found.span().end(), expected.span().begin()));
    }
  }
  set_num_threads(threads);
}

BOOST_AUTO_TEST_CASE(excluded_rows_are_never_found_and_the_search_does_not_run_dry) {
  // The excluded rows are by far the best, and exactly k others remain.
  Tensor<float> rows = Tensor<float>::full({100, 2}, 1);
  for (std::int64_t p = 3; p < 98; ++p) rows(p, 0) = 1000;
  const std::vector<RowRange> excluded{{3, 98}};
  const Ids found = nearest_rows(Tensor<float>::ones({4, 2}), rows, 5, excluded);
  for (std::int64_t n = 0; n < 4; ++n)
    for (std::int64_t j = 0; j < 5; ++j) BOOST_TEST(found[n * 5 + j] == (j < 3 ? j : j + 95));
}

BOOST_AUTO_TEST_CASE(equal_and_undefined_scores) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor<float> rows({4, 1}, {nan, 2, 2, nan});
  const Ids found = nearest_rows(Tensor<float>::ones({1, 1}), rows, 4);
  BOOST_TEST((std::vector<std::int32_t>(found.span().begin(), found.span().end()) == std::vector<std::int32_t>{1, 2, 0, 3}));
}

BOOST_AUTO_TEST_CASE(errors) {
  const auto find = [](std::int64_t k, std::vector<RowRange> excluded) {
    return error_of([&] { nearest_rows(Tensor<float>::ones({4, 2}), Tensor<float>::ones({6, 2}), k, excluded); });
  };
  BOOST_TEST(find(7, {}) == "nearest: cannot choose 7 of 6 rows");
  BOOST_TEST(find(3, {{0, 3}}) == "");
  BOOST_TEST(find(3, {{0, 3}, {1, 5}}) == "nearest: cannot choose 3 of 6 rows when 4 of them are excluded");
  BOOST_TEST(find(1, {{0, 1}, {0, 1}, {0, 1}}) ==
             "nearest: the number of excluded ranges, 3, does not divide the number of queries, 4");
  BOOST_TEST(find(1, {{2, 7}}) == "nearest: the excluded rows [2, 7) are out of range for 6 rows");
  BOOST_TEST(error_of([] {
               nearest_rows(Tensor<float>::ones({4, 2}), Tensor<float>::ones({6, 3}), 1);
             }) == "nearest: expects queries [N, r] and rows [P, r], got [4, 2] and [6, 3]");
}

BOOST_AUTO_TEST_SUITE_END()
