#include "data/knowledge/knowledge_base.h"

#include <boost/test/unit_test.hpp>
#include <numeric>

#include "tests/error_text.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(knowledge_base)

namespace {

/// The tokens 0, 1, 2, ..., each equal to its position.
Ids counting(std::int64_t N) {
  Ids ids(Shape{N});
  std::iota(ids.data(), ids.data() + N, 0);
  return ids;
}

/// Whether passage p contains any token from [first, last), checked token by token.
bool overlap(const KnowledgeBase& base, std::int64_t p, std::int64_t first, std::int64_t last) {
  for (std::int64_t l = 0; l < base.length(); ++l) {
    const std::int64_t token = base.passages()[p * base.length() + l];
    if (token >= first && token < last) return true;
  }
  return false;
}

void check_overlaps(const KnowledgeBase& base, std::int64_t N, std::int64_t window) {
  const std::int64_t bound = KnowledgeBase::most_overlapping(N, base.length(), base.size(), window);
  for (std::int64_t first = 0; first + window <= N; ++first) {
    const RowRange range = base.overlapping(first, first + window);
    BOOST_TEST(range.size() <= bound);
    for (std::int64_t p = 0; p < base.size(); ++p) BOOST_TEST(range.contains(p) == overlap(base, p, first, first + window));
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(passages_are_the_text_at_their_positions) {
  const Ids text = counting(1000);
  for (const KnowledgeBase& base : {KnowledgeBase::whole(text, 7), KnowledgeBase::drawn(text, 7, 40, Random(3))}) {
    BOOST_TEST((base.passages().shape() == Shape{base.size(), 7}));
    for (std::int64_t p = 0; p < base.size(); ++p)
      for (std::int64_t l = 0; l < 7; ++l) BOOST_TEST(base.passages()[p * 7 + l] == base.start(p) + l);
  }
  BOOST_TEST(KnowledgeBase::whole(text, 7).size() == 142);
  BOOST_TEST(KnowledgeBase::whole(text, 7).start(141) == 987);
}

BOOST_AUTO_TEST_CASE(drawn_passages_are_spread_over_the_text_and_differ_between_draws) {
  const Ids text = counting(1000);
  const KnowledgeBase one = KnowledgeBase::drawn(text, 10, 50, Random(1, 1)),
                      two = KnowledgeBase::drawn(text, 10, 50, Random(1, 2));
  std::int64_t equal = 0;
  for (std::int64_t p = 0; p < 50; ++p) {
    BOOST_TEST(one.start(p) >= p * 991 / 50);
    BOOST_TEST(one.start(p) < (p + 1) * 991 / 50);
    equal += one.start(p) == two.start(p);
  }
  BOOST_TEST(equal < 15);
  // Every start position is drawn eventually; a text of 12 tokens has 10 of them for passages of 3 tokens.
  std::vector<int> seen(10);
  for (std::uint64_t s = 0; s < 100; ++s) {
    const KnowledgeBase base = KnowledgeBase::drawn(counting(12), 3, 4, Random(1, s));
    for (std::int64_t p = 0; p < 4; ++p) ++seen[static_cast<std::size_t>(base.start(p))];
  }
  for (const int n : seen) BOOST_TEST(n > 0);
}

BOOST_AUTO_TEST_CASE(the_overlapping_passages_are_exactly_those_that_share_a_token) {
  const Ids text = counting(120);
  for (const std::int64_t window : {1, 5, 30}) {
    for (const std::int64_t L : {1, 4, 9}) check_overlaps(KnowledgeBase::whole(text, L), 120, window);
    for (std::uint64_t s = 0; s < 5; ++s) {
      check_overlaps(KnowledgeBase::drawn(text, 6, 17, Random(s)), 120, window);
      check_overlaps(KnowledgeBase::drawn(text, 6, 115, Random(s)), 120, window);  // a passage starts at every position
    }
  }
  const KnowledgeBase base = KnowledgeBase::whole(text, 10);
  BOOST_TEST((base.overlapping(5, 5) == RowRange{}));
  BOOST_TEST((base.overlapping(0, 120) == RowRange{0, 12}));
  BOOST_TEST((base.overlapping(10, 20) == RowRange{1, 2}));
  BOOST_TEST((base.overlapping(9, 21) == RowRange{0, 3}));
  BOOST_TEST((base.overlapping(-50, 1) == RowRange{0, 1}));
}

BOOST_AUTO_TEST_CASE(errors) {
  BOOST_TEST(error_of([] { KnowledgeBase::whole(counting(5), 6); }) == "knowledge: no passage of 6 tokens fits in a text of 5");
  BOOST_TEST(error_of([] { KnowledgeBase::whole(counting(5), 0); }) == "knowledge: no passage of 0 tokens fits in a text of 5");
  BOOST_TEST(error_of([] { KnowledgeBase::drawn(counting(9), 6, 5, Random(0)); }) ==
             "knowledge: cannot draw 5 passages of 6 tokens from a text of 9");
  BOOST_TEST(error_of([] { KnowledgeBase::drawn(counting(9), 6, 4, Random(0)); }) == "");
  BOOST_TEST(error_of([] { KnowledgeBase::whole(Ids({2, 8}), 3); }) == "knowledge: a text must have shape [N], got [2, 8]");
}

BOOST_AUTO_TEST_SUITE_END()
