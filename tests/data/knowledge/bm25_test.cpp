#include "data/knowledge/bm25.h"

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "tests/error_text.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(bm25)

BOOST_AUTO_TEST_CASE(scores_are_those_of_the_formula) {
  const std::vector<std::vector<std::int32_t>> documents{{0, 1, 1, 2}, {1, 3}, {}};
  const Bm25 index(documents);
  const std::vector<std::int32_t> query{1, 2, 2, 9, -1};  // no document contains 9 or -1
  const std::vector<float> scores = index.scores(query);
  // There are N = 3 documents of average length 2; word 1 is in two of them, word 2 in one.
  const double idf1 = std::log(1 + 1.5 / 2.5), idf2 = std::log(1 + 2.5 / 1.5);
  const auto part = [](double f, double length) { return f * 2.2 / (f + 1.2 * (0.25 + 0.75 * length / 2)); };
  BOOST_TEST_REQUIRE(scores.size() == 3u);
  BOOST_TEST(std::abs(static_cast<double>(scores[0]) - (idf1 * part(2, 4) + 2 * idf2 * part(1, 4))) < 1e-6);
  BOOST_TEST(std::abs(static_cast<double>(scores[1]) - idf1 * part(1, 2)) < 1e-6);
  BOOST_TEST(scores[2] == 0);
}

BOOST_AUTO_TEST_CASE(words_are_letters_and_digits) {
  Vocabulary vocabulary;
  const auto ids = search_words("Oil's up 5%, \"OIL\" (AP) \xC3\x89t\xC3\xA9-oil", vocabulary);
  BOOST_TEST(vocabulary.decode(ids) == "oil s up 5 oil ap \xC3\xA9t\xC3\xA9 oil");
  BOOST_TEST(search_words(" ... ", vocabulary).empty());
}

BOOST_AUTO_TEST_CASE(errors) {
  BOOST_TEST(error_of([] { Bm25({}); }) == "bm25: requires at least one document");
  BOOST_TEST(error_of([] { Bm25({{1, -2}}); }) == "bm25: word ids must not be negative, got -2");
}

BOOST_AUTO_TEST_SUITE_END()
