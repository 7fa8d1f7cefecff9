#include "data/labelled_texts.h"

#include <boost/test/unit_test.hpp>

#include "data/lowercase.h"
#include "tests/data/temporary_directory.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(labelled_texts)

namespace {

using Words = std::vector<std::string>;
using List = std::vector<Vocabulary::Id>;

List ids(std::span<const Vocabulary::Id> span) { return {span.begin(), span.end()}; }

const std::vector<Article> three = {{0, "The cat", "THE dog the"}, {1, "", "dog <pad> Cat bird"}, {0, "a", ""}};

}  // namespace

BOOST_AUTO_TEST_CASE(lower_case_of_every_alphabet) {
  BOOST_TEST(lowercase("") == "");
  BOOST_TEST(lowercase("AZ az [@] 09") == "az az [@] 09");
  BOOST_TEST(lowercase("ÄÉÑ ŁŽ ΑΩ ЖЯ") == "äéñ łž αω жя");
  BOOST_TEST(lowercase("straße € 中 😀 ǅ") == "straße € 中 😀 ǆ");
  BOOST_TEST(lowercase("\U00010400") == "\U00010428");  // a Deseret capital letter, four bytes long
  BOOST_TEST(lowercase("Σ") == "σ");                    // Python would write ς at the end of a word
  BOOST_TEST(error_of([] { lowercase("A\xff"); }) == "lowercase: \"A\\xff\" is not UTF-8");
}

BOOST_AUTO_TEST_CASE(frequent_words_come_first_and_equals_in_the_order_of_the_text) {
  // The frequencies are 3 for "the", 2 for "cat" and "dog", and 1 for "bird" and "a".
  BOOST_TEST(frequent_words(three, 100).words() == (Words{"<pad>", "<unk>", "the", "cat", "dog", "bird", "a"}),
             boost::test_tools::per_element());
  BOOST_TEST(frequent_words(three, 3).words() == (Words{"<pad>", "<unk>", "the", "cat", "dog"}), boost::test_tools::per_element());
  BOOST_TEST(frequent_words({}, 3).words() == (Words{"<pad>", "<unk>"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_text_can_not_pretend_to_be_padding) {
  const Vocabulary vocabulary = frequent_words(three, 2);
  BOOST_TEST(classifier_ids(vocabulary, "Cat <PAD> the\nbird <unk>") == (List{3, 1, 2, 1, 1}), boost::test_tools::per_element());
  BOOST_TEST(classifier_ids(vocabulary, " \t ").empty());
}

BOOST_AUTO_TEST_CASE(texts_keep_their_labels) {
  const LabelledTexts texts(three, frequent_words(three, 3));
  BOOST_TEST(texts.size() == 3);
  BOOST_TEST(ids(texts.text(0)) == (List{2, 3, 2, 4, 2}), boost::test_tools::per_element());
  BOOST_TEST(ids(texts.text(1)) == (List{4, 1, 3, 1}), boost::test_tools::per_element());
  BOOST_TEST(ids(texts.text(2)) == (List{1}), boost::test_tools::per_element());
  BOOST_TEST(texts.length(1) == 4);
  BOOST_TEST(texts.label(1) == 1);
  BOOST_TEST(error_of([&] { texts.text(3); }) == "texts: text 3 is out of range for 3 texts");
  BOOST_TEST(error_of([] { LabelledTexts().add({}, 0); }) == "texts: text 0 has no words");
}

BOOST_AUTO_TEST_CASE(words_are_counted_in_the_articles_that_are_trained_on) {
  const ArticleSets sets{{"A", "B"}, three, three};
  const LabelledCorpus corpus = make_labelled_corpus(sets, 100, 1, 2);
  BOOST_TEST(corpus.tokens->words().words() == (Words{"<pad>", "<unk>", "the", "cat", "dog"}), boost::test_tools::per_element());
  BOOST_TEST(corpus.train.size() == 1);
  BOOST_TEST(corpus.test.size() == 2);
  BOOST_TEST(corpus.classes == sets.classes, boost::test_tools::per_element());
  const LabelledCorpus all = make_labelled_corpus(sets, 100, 0, 9);
  BOOST_TEST(all.train.size() == 3);
  BOOST_TEST(all.test.size() == 3);
}

BOOST_AUTO_TEST_SUITE_END()
