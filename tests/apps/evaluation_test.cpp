#include "apps/evaluation.h"

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "data/topics.h"
#include "tests/data/temporary_directory.h"

using namespace argand;

namespace {

const double rounding = 1e-12;

LabelledCorpus some_articles() { return make_labelled_corpus(topic_articles(50, 45, 0), 1000, 0, 0); }

std::unique_ptr<Model<double>> some_model(const LabelledCorpus& corpus) {
  ModelConfig config = ModelConfig::defaults("transformer");
  config.task = "classify";
  config.vocab_size = corpus.vocabulary.size();
  config.n_layers = 1;
  config.d_model = 8;
  config.n_heads = 2;
  config.d_ff = 8;
  return make_model<double>(config, 3);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(evaluation)

BOOST_AUTO_TEST_CASE(the_confusion_matrix) {
  ConfusionMatrix m(3);
  for (const auto& [label, predicted] : std::vector<std::pair<int, int>>{{0, 0}, {0, 0}, {0, 1}, {1, 1}, {1, 0}, {0, 0}})
    m.add(label, predicted);
  BOOST_TEST(m.total() == 6);
  BOOST_TEST(m.correct() == 4);
  BOOST_TEST(m.count(0, 1) == 1);
  BOOST_TEST(m.of_class(0) == 4);
  BOOST_TEST(m.labelled_as(0) == 4);
  BOOST_TEST(*m.accuracy() == 4.0 / 6);
  BOOST_TEST(*m.recall(0) == 0.75);
  BOOST_TEST(*m.precision(1) == 0.5);
  BOOST_TEST(!m.recall(2).has_value());
  BOOST_TEST(!m.precision(2).has_value());
  BOOST_TEST(!ConfusionMatrix(2).accuracy().has_value());
  const std::vector<std::string> table = m.table({"World", "Sports", "Sci/Tech"});
  BOOST_TEST_REQUIRE(table.size() == 4U);
  BOOST_TEST(table[0] == "class     accuracy  precision  articles  labelled as     World    Sports  Sci/Tech");
  BOOST_TEST(table[1] == "World       75.0 %     75.0 %         4                      3         1         0");
  BOOST_TEST(table[2] == "Sports      50.0 %     50.0 %         2                      1         1         0");
  BOOST_TEST(table[3] == "Sci/Tech         -          -         0                      0         0         0");
  BOOST_TEST(error_of([&] { m.add(3, 0); }) == "confusion: no classes 3 and 0 among 3");
  BOOST_TEST(error_of([&] { m.table({"a"}); }) == "confusion: 1 names for 3 classes");
  BOOST_TEST(error_of([] { ConfusionMatrix(0); }) == "confusion: at least one class is needed, got 0");
}

BOOST_AUTO_TEST_CASE(a_summary) {
  BOOST_TEST(summary({.loss = 2, .count = 8, .confusion = std::nullopt}) == "loss 2.0000, perplexity 7.39");
  ConfusionMatrix m(2);
  m.add(0, 0), m.add(0, 1), m.add(1, 1);
  const Evaluation labels{.loss = 0.5, .count = 3, .confusion = m};
  BOOST_TEST(summary(labels) == "loss 0.5000, accuracy 66.7 %");
  BOOST_TEST(labels.objective() == 1 - 2.0 / 3);
  BOOST_TEST((Evaluation{.loss = 2, .count = 8, .confusion = std::nullopt}).objective() == 2);
}

BOOST_AUTO_TEST_CASE(every_article_counts_alike_whatever_the_batches) {
  const LabelledCorpus corpus = some_articles();
  const auto model = some_model(corpus);
  const Evaluation one = evaluate<double>(*model, evaluation_set(corpus.test, 1, 128));
  BOOST_TEST(one.count == 45);
  BOOST_TEST(one.confusion->total() == 45);
  for (const std::int64_t B : {7, 8, 45, 100}) {  // the last batch is smaller, and short articles are padded
    const Evaluation many = evaluate<double>(*model, evaluation_set(corpus.test, B, 128));
    BOOST_TEST(many.loss == one.loss, boost::test_tools::tolerance(rounding));
    BOOST_TEST(many.count == 45);
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) BOOST_TEST(many.confusion->count(i, j) == one.confusion->count(i, j));
  }
}

BOOST_AUTO_TEST_CASE(loss_and_matrix_are_those_of_the_logits) {
  const LabelledCorpus corpus = some_articles();
  const auto model = some_model(corpus);
  const Evaluation evaluation = evaluate<double>(*model, evaluation_set(corpus.test, 8, 128));
  double loss = 0;
  std::int64_t right = 0;
  for (std::int64_t i = 0; i < corpus.test.size(); ++i) {
    const std::vector<Vocabulary::Id> words(corpus.test.text(i).begin(), corpus.test.text(i).end());
    const Tensor<double> logits = model->logits(Ids(Shape{1, corpus.test.length(i)}, words)).value();
    double total = 0;
    for (const double x : logits) total += std::exp(x);
    loss += (std::log(total) - logits.data()[corpus.test.label(i)]) / 45;
    right += std::max_element(logits.begin(), logits.end()) - logits.begin() == corpus.test.label(i);
  }
  BOOST_TEST(evaluation.loss == loss, boost::test_tools::tolerance(rounding));
  BOOST_TEST(evaluation.confusion->correct() == right);
}

BOOST_AUTO_TEST_SUITE_END()
