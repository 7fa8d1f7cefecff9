#include "train/data/class_weights.h"

#include <boost/test/unit_test.hpp>

#include "nn/model.h"
#include "tests/error_text.h"
#include "tests/train/small_run.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(class_weights_of_a_loss)

namespace {

/// Six examples: four of class 0, two of class 1, none of class 2.
LabelledTexts examples() {
  LabelledTexts texts;
  const std::vector<Vocabulary::Id> words = {2, 3};
  for (const std::int64_t label : {0, 1, 0, 0, 1, 0}) texts.add(words, label);
  return texts;
}

std::vector<double> weights(const std::string& text) { return class_weights(text, {"ham", "spam", "a=b,c"}, examples()); }

}  // namespace

BOOST_AUTO_TEST_CASE(given_or_balanced) {
  BOOST_TEST(weights("").empty());
  BOOST_TEST(weights("balanced") == (std::vector<double>{0.5, 1, 1}), boost::test_tools::per_element());
  BOOST_TEST(weights("spam=2.5") == (std::vector<double>{1, 2.5, 1}), boost::test_tools::per_element());
  BOOST_TEST(weights("a=b,c=3,ham=0.5") == (std::vector<double>{0.5, 1, 3}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(mistakes_are_named) {
  const auto error = [](const char* text) { return error_of([&] { weights(text); }); };
  BOOST_TEST(error("spma=2") == "class_weights: unknown label \"spma\"; did you mean spam?");
  BOOST_TEST(error("balance") == "class_weights: \"balance\" is neither `balanced` nor LABEL=WEIGHT,...");
  BOOST_TEST(error("spam=0") == "class_weights: \"spam\" must be above 0, got 0");
  BOOST_TEST(error("spam=many") == "class_weights: \"many\" is not a number");
  BOOST_TEST(error("spam=1,spam=2") == "class_weights: \"spam\" is given twice");
}

BOOST_AUTO_TEST_CASE(the_loss_is_the_weighted_mean_of_the_losses_of_single_examples) {
  ModelConfig config = small_run().model;
  config.task = TextTask::Classify;
  config.n_classes = 3;
  config.vocab_size = 9;
  const auto model = make_model<double>(config, 1);
  const std::vector<std::int32_t> words = {2, 3, 4, 5, 6, 7, 8, 2}, labels = {0, 2, 1, 2};
  const std::vector<double> weights = {0.5, 3, 2};
  double sum = 0, total = 0;
  for (std::size_t n = 0; n < 4; ++n) {
    const double loss = model->loss(Ids({1, 2}, {words[2 * n], words[2 * n + 1]}), Ids({1}, {labels[n]})).cross_entropy;
    const double weight = weights[static_cast<std::size_t>(labels[n])];
    sum += weight * loss, total += weight;
  }
  const ForwardContext context{.class_weights = &weights};
  const Ids tokens({4, 2}, std::vector<std::int32_t>(words)), targets({4}, std::vector<std::int32_t>(labels));
  BOOST_TEST(model->loss(tokens, targets, context).cross_entropy == sum / total, boost::test_tools::tolerance(1e-12));
  const std::vector<double> alike = {7, 7, 7};
  BOOST_TEST(model->loss(tokens, targets, {.class_weights = &alike}).cross_entropy == model->loss(tokens, targets).cross_entropy,
             boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_SUITE_END()
