#include "data/corpora/topics.h"

#include <boost/test/unit_test.hpp>
#include <map>

#include "data/labelled_texts.h"
#include "tests/data/temporary_directory.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(topics)

BOOST_AUTO_TEST_CASE(four_topics_equally_often) {
  const ArticleSets sets = topic_articles(4000, 10, 0);
  BOOST_TEST(sets.classes.size() == 4U);
  std::map<std::int64_t, int> counts;
  for (const Article& article : sets.train) ++counts[article.label];
  BOOST_TEST(counts.size() == 4U);
  for (const auto& [label, count] : counts) BOOST_TEST(std::abs(count - 1000) < 110);  // four standard deviations
}

BOOST_AUTO_TEST_CASE(articles_are_a_function_of_seed_and_number) {
  const auto texts = [](const std::vector<Article>& articles) {
    std::vector<std::string> list;
    for (const Article& article : articles) list.push_back(article.text());
    return list;
  };
  const ArticleSets few = topic_articles(20, 10, 1), more = topic_articles(50, 30, 1), other = topic_articles(20, 10, 2);
  const auto a = texts(few.train), b = texts(more.train), c = texts(few.test), d = texts(more.test);
  BOOST_TEST(std::equal(a.begin(), a.end(), b.begin()));
  BOOST_TEST(std::equal(c.begin(), c.end(), d.begin()));
  BOOST_TEST((texts(other.train) != a));
  BOOST_TEST((c != a));
}

BOOST_AUTO_TEST_CASE(every_word_belongs_to_at_most_one_topic) {
  // 4 x 26 words that belong to topics, and these others: the every a and today people say that again is but not nobody knows why
  // near "."
  const ArticleSets sets = topic_articles(4000, 10, 0);
  BOOST_TEST(frequent_words(sets.train, 1000).size() == 2 + 4 * 26 + 17);
}

BOOST_AUTO_TEST_CASE(the_best_possible_accuracy) {
  const Article sure{1, "the ship sails", "and the captain ."}, wrong{0, "the ship sails", "near the oven ."},
      tie{0, "the ship and the oven", ""};
  const auto accuracy = [](std::vector<Article> articles) { return best_possible_accuracy(articles); };
  BOOST_TEST(accuracy({sure}) == 1);
  BOOST_TEST(accuracy({wrong}) == 0);
  BOOST_TEST(accuracy({tie}) == 0.5);
  BOOST_TEST(accuracy({sure, wrong, tie, tie}) == 0.5);
  BOOST_TEST(error_of([&] {
               accuracy({{0, "stocks fall", ""}});
             }) == "topics: \"stocks fall \" is not an article of the embedded corpus");
  const ArticleSets sets = topic_articles(4000, 10, 0);
  const double best = best_possible_accuracy(sets.train);
  BOOST_TEST(best > 0.8);   // there is something to learn
  BOOST_TEST(best < 0.98);  // but it cannot be learnt perfectly
}

BOOST_AUTO_TEST_SUITE_END()
