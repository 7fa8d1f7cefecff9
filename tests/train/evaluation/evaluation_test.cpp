#include "train/evaluation/evaluation.h"

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "autograd/tape.h"
#include "data/corpora/topics.h"
#include "tests/data/temporary_directory.h"
#include "tests/sanitized.h"
#include "tests/train/small_run.h"
#include "train/loop/training_run.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(evaluation)

namespace {

const double rounding = 1e-12;

LabelledCorpus some_articles() { return make_labelled_corpus(topic_articles(50, 45, 0), 1000, 0, 0); }

std::unique_ptr<Model<double>> some_model(const LabelledCorpus& corpus) {
  ModelConfig config = ModelConfig::defaults("transformer");
  config.task = TextTask::Classify;
  config.vocab_size = corpus.tokens->size();
  config.n_layers = 1;
  config.d_model = 8;
  config.n_heads = 2;
  config.d_ff = 8;
  return make_model<double>(config, 3);
}

/// The configuration of a language model in float64, with windows of 16 tokens.
RunConfig language_run(const Settings& more) {
  Settings settings = settings_of({{"precision", "float64"}});
  settings.insert(settings.end(), more.begin(), more.end());
  return small_run(settings);
}

const std::vector<Settings> language_models = {settings_of({{"family", "transformer"}, {"position", "learned"}}),
                                               settings_of({{"family", "transformer"}, {"position", "rope"}}),
                                               settings_of({{"family", "complexformer"}, {"pcl_weight", "0.1"}}),
                                               settings_of({{"family", "crope"}}),
                                               settings_of({{"family", "qic"}}),
                                               settings_of({{"family", "crat"},
                                                            {"irw_layers", "0"},
                                                            {"irw_dim", "4"},
                                                            {"irw_top_k", "3"},
                                                            {"irw_length", "10"},
                                                            {"irw_passages", "80"}})};

}  // namespace

BOOST_AUTO_TEST_CASE(every_token_counts_once_whatever_the_batch) {
  for (const Settings& settings : language_models) {
    TrainingRun<double> run(language_run(settings), small_corpus());
    run.step();
    const std::string family = run.config().model.family().name;
    for (const std::int64_t stride : sanitized ? std::vector<std::int64_t>{7} : std::vector<std::int64_t>{16, 7, 1}) {
      const auto with = [&](std::int64_t batch) {
        return run.evaluate(evaluation_set(small_corpus().test, {.batch = batch, .length = 16, .stride = stride}));
      };
      const Evaluation one = with(1);
      BOOST_TEST(one.count == small_corpus().test.size() - 1);
      for (const std::int64_t batch : {3, 8, 64}) {
        const Evaluation many = with(batch);
        BOOST_TEST(many.count == one.count);
        BOOST_TEST(std::abs(many.loss - one.loss) <= rounding * one.loss,
                   family << ", stride " << stride << ", batch " << batch << ": " << many.loss << ", " << one.loss);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_token_is_scored_after_the_tokens_of_its_window) {
  TrainingRun<double> run(language_run(language_models[0]), small_corpus());
  run.step();
  const std::span<const std::int32_t> text = small_corpus().test.span();
  constexpr std::int64_t T = 16, S = 5;
  const NoGrad none;
  double sum = 0;
  for (std::int64_t target = 1; target < std::ssize(text); ++target) {
    // The first window ends before token 17, the next ones before 22, 27, ..., and the last one before the last token.
    std::int64_t end = T;
    while (end < target) end += S;
    end = std::min<std::int64_t>(end, std::ssize(text) - 1);
    const auto context = text.subspan(static_cast<std::size_t>(end - T), static_cast<std::size_t>(target - end + T));
    const Tensor<double> logits = run.model().logits(Ids({1, std::ssize(context)}, {context.begin(), context.end()})).value();
    const double* last = logits.data() + logits.size() - run.config().model.vocab_size;
    double total = 0;
    for (std::int64_t w = 0; w < run.config().model.vocab_size; ++w) total += std::exp(last[w]);
    sum += std::log(total) - last[text[static_cast<std::size_t>(target)]];
  }
  const Evaluation found = run.evaluate(evaluation_set(small_corpus().test, {.batch = 8, .length = T, .stride = S}));
  BOOST_TEST(found.loss == sum / static_cast<double>(text.size() - 1), boost::test_tools::tolerance(rounding));
}

BOOST_AUTO_TEST_CASE(the_first_protocol_leaves_tokens_out) {
  TrainingRun<double> run(language_run({}), small_corpus());
  const auto with = [&](std::int64_t batch) {
    return run.evaluate(evaluation_set(small_corpus().test, {.name = "full-blocks", .batch = batch, .length = 16})).count;
  };
  BOOST_TEST(with(1) == 192);
  BOOST_TEST(with(8) == 128);
  const auto refused = [](const TextProtocol& protocol) {
    try {
      evaluation_set(small_corpus().test, protocol);
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  BOOST_TEST(refused({.batch = 8, .length = 16, .stride = 0}) == "stride: must be in [1, 16] (the window length), got 0");
  BOOST_TEST(refused({.batch = 8, .length = 16, .stride = 17}) == "stride: must be in [1, 16] (the window length), got 17");
  BOOST_TEST(refused({.name = "full-blocks", .batch = 8, .length = 16, .stride = 16}) ==
             "stride: full-blocks has no overlapping windows; use `protocol` every-token to set a stride");
}

BOOST_AUTO_TEST_CASE(no_passage_that_is_read_overlaps_what_is_scored) {
  RunConfig config = language_run(language_models.back());
  config.model.vocab_size = small_corpus().tokens->size();
  const auto model = make_model<double>(config.model, 0);
  const auto retriever = Retriever::of(config, small_corpus());
  const auto store = retriever->store(0, *model);
  const Ids text({300}, {small_corpus().train.data(), small_corpus().train.data() + 300});
  std::int64_t reads = 0;
  for (const std::int64_t stride : {16, 7}) {
    const EvaluationSet set = evaluation_set(text, {.batch = 4, .length = 16, .stride = stride});
    Knowledge knowledge = store->knowledge();
    evaluate<double>(*model, set, [&](const Batch& batch) {
      knowledge.watch = [&store, &reads, places = batch.places](const Ids& chosen) {
        const std::int64_t per_row = chosen.size() / std::ssize(places);
        for (std::int64_t i = 0; i < chosen.size(); ++i, ++reads) {
          const std::int64_t start = places[static_cast<std::size_t>(i / per_row)];
          const RowRange hidden = store->base().overlapping(start, start + 17);
          BOOST_REQUIRE(!hidden.contains(chosen[i]));
        }
      };
      return ForwardContext{.knowledge = &knowledge, .excluded = retriever->excluded(*store, batch)};
    });
  }
  BOOST_TEST(reads > 2 * 300 * 3);
}

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
  BOOST_TEST_REQUIRE(table.size() == 5U);
  BOOST_TEST(table[0] == "class     accuracy  precision      F1  articles  labelled as     World    Sports  Sci/Tech");
  BOOST_TEST(table[1] == "World       75.0 %     75.0 %  75.0 %         4                      3         1         0");
  BOOST_TEST(table[2] == "Sports      50.0 %     50.0 %  50.0 %         2                      1         1         0");
  BOOST_TEST(table[3] == "Sci/Tech         -          -       -         0                      0         0         0");
  BOOST_TEST(table[4] == "mean        62.5 %     62.5 %  62.5 %         6");
  BOOST_TEST(error_of([&] { m.add(3, 0); }) == "confusion: label 3 or prediction 0 is out of range for 3 classes");
  BOOST_TEST(error_of([&] { m.table({"a"}); }) == "confusion: got 1 names for 3 classes");
  BOOST_TEST(error_of([] { ConfusionMatrix(0); }) == "confusion: requires at least one class, got 0");
}

BOOST_AUTO_TEST_CASE(unknown_tokens_cost_the_bits_that_spell_them) {
  // Every kind of tokenizer with an unknown token, on a text in which it knows only the white space.
  for (const char* kind : {"char", "words"}) {
    const TokenizerPtr tokens = make_tokens({.kind = kind}, "aa b\nb aa\n");
    const TokenText read = tokens->encode("xyz wxy wz\nzzz <unk>\n");
    EvaluationSet set = evaluation_set(read.ids, {.batch = 1, .length = 2}, read.bytes, read.unknown);
    std::int64_t targets = 0, bytes = 0, unknown = 0, unknown_bytes = 0;
    for (std::int64_t i = 0; i < set.size; ++i) {
      const Batch batch = set.at(i);
      targets += batch.targets.size(), bytes += batch.target_bytes, unknown += batch.unknown, unknown_bytes += batch.unknown_bytes;
    }
    const bool words = std::string_view(kind) == "words";
    BOOST_TEST(targets == (words ? 6 : 20), kind);
    BOOST_TEST(bytes == (words ? 18 : 20), kind);
    BOOST_TEST(unknown == (words ? 3 : 15), kind);  // in the case of words, a literal <unk> in the text does not count as unknown
    BOOST_TEST(unknown_bytes == (words ? 10 : 15), kind);
    // A model that predicts <unk> well must not be rewarded with few bits per byte.
    const Evaluation certain{
        .loss = 0, .count = targets, .bytes = bytes, .unknown = unknown, .unknown_bytes = unknown_bytes, .confusion = std::nullopt};
    BOOST_TEST(
        *certain.bits_per_byte() == std::log2(257.0) * static_cast<double>(unknown + unknown_bytes) / static_cast<double>(bytes),
        boost::test_tools::tolerance(1e-12));
  }
}

BOOST_AUTO_TEST_CASE(a_summary) {
  BOOST_TEST(summary({.loss = 2, .count = 8, .confusion = std::nullopt}) == "loss 2.0000, perplexity 7.39");
  BOOST_TEST(summary({.loss = 2, .count = 8, .bytes = 32, .confusion = std::nullopt}) ==
             "loss 2.0000, perplexity 7.39, 0.721 bits per byte");  // 2 / ln 2 · 8 / 32
  // Two unknown tokens with 10 bytes in total add log2(257) · 12 / 32 bits per byte.
  const Evaluation half_known{.loss = 2, .count = 8, .bytes = 32, .unknown = 2, .unknown_bytes = 10, .confusion = std::nullopt};
  BOOST_TEST(summary(half_known) == "loss 2.0000, perplexity 7.39, 3.723 bits per byte, 25.0 % of the tokens unknown");
  const Evaluation almost{.loss = 2, .count = 8000, .bytes = 32000, .unknown = 1, .unknown_bytes = 5, .confusion = std::nullopt};
  BOOST_TEST(summary(almost) == "loss 2.0000, perplexity 7.39, 0.723 bits per byte, under 0.1 % of the tokens unknown");
  ConfusionMatrix m(2);
  m.add(0, 0), m.add(0, 1), m.add(1, 1);
  const Evaluation labels{.loss = 0.5, .count = 3, .confusion = m};
  BOOST_TEST(summary(labels) == "loss 0.5000, accuracy 66.7 %");
  BOOST_TEST(labels.objective() == 1 - 2.0 / 3);
  BOOST_TEST(labels.objective("loss") == 0.5);
  BOOST_TEST(labels.objective("f1") == 1 - 2.0 / 3);  // the score is 2/3 for each class
  ConfusionMatrix one_sided(2);                       // the accuracy is 0.9, but one class is never found
  one_sided.add(0, 0, 9), one_sided.add(1, 0);
  BOOST_TEST((Evaluation{.loss = 1, .count = 10, .confusion = one_sided}).objective("f1") == 1 - (18.0 / 19 + 0) / 2);
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
