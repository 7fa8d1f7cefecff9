#include "nn/model.h"

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "autograd/tape.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "nn/decoder_config.h"
#include "nn/families/complexformer/config.h"
#include "tests/error_text.h"
#include "tests/nn/language_models.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(model)

namespace {

ModelConfig small(const std::string& family) {
  ModelConfig config = ModelConfig::defaults(family);
  config.vocab_size = 13, config.max_seq_len = 12, config.d_model = 16, config.n_heads = 2, config.d_ff = 24;
  return config;
}

std::vector<ModelConfig> every_kind() {
  std::vector<ModelConfig> kinds;
  for (const PositionKind position : every<PositionKind>()) {
    kinds.push_back(small("transformer"));
    kinds.back().own<DecoderConfig>().position = position;
    kinds.back().own<DecoderConfig>().scale_embeddings = position == PositionKind::Sinusoidal;
  }
  kinds.push_back(small("transformer"));
  auto& own = kinds.back().own<DecoderConfig>();
  own.norm = NormKind::RmsNorm, own.ffn = FeedForwardKind::SwiGlu, own.qk_norm = true, own.tie_embeddings = false;
  for (const Adaptation adaptation : every<Adaptation>()) {
    kinds.push_back(small("complexformer"));
    kinds.back().own<ComplexFormerConfig>().adaptation = adaptation;
  }
  return kinds;
}

}  // namespace

BOOST_AUTO_TEST_CASE(scaled_embeddings_are_as_large_as_the_sinusoids) {
  ModelConfig config = small("transformer");
  config.vocab_size = 3000, config.d_model = 64, config.own<DecoderConfig>().scale_embeddings = true;
  const auto scaled = make_model<double>(config, 1);
  config.own<DecoderConfig>().scale_embeddings = false;
  const auto plain = make_model<double>(config, 1);
  const auto deviation = [](Model<double>& model) {
    const Tensor<double>& e = std::get<Var<double>>(model.parameters().at(0).var).value();
    double squares = 0;
    for (const double x : e.span()) squares += x * x;
    return std::sqrt(squares / static_cast<double>(e.size()));
  };
  BOOST_TEST(scaled->parameters().at(0).name == "embedding.weight");
  BOOST_TEST(deviation(*scaled) == 0.125, boost::test_tools::tolerance(0.01));
  BOOST_TEST(deviation(*plain) == 0.02, boost::test_tools::tolerance(0.01));
  config.own<DecoderConfig>().embedding_std = 0.3;
  const auto chosen = make_model<double>(config, 1);
  BOOST_TEST(deviation(*chosen) == 0.3, boost::test_tools::tolerance(0.01));
  config.own<DecoderConfig>().embedding_std = -0.3;
  BOOST_TEST(error_of([&] { config.validate(); }) == "config: embedding_std cannot be negative, got -0.3");
  config.own<DecoderConfig>().embedding_std = 0;
  // Embeddings eight times as large, without scaling, give the same states, provided the output layer does not share them.
  config.own<DecoderConfig>().tie_embeddings = false;
  const auto by_hand = make_model<double>(config, 1);
  config.own<DecoderConfig>().scale_embeddings = true;
  const auto by_key = make_model<double>(config, 1);
  auto from = by_key->parameters(), to = by_hand->parameters();
  for (std::size_t i = 0; i < from.size(); ++i) {
    const Tensor<double>& x = std::get<Var<double>>(from[i].var).value();
    Tensor<double>& y = std::get<Var<double>>(to[i].var).value();
    for (std::int64_t j = 0; j < x.size(); ++j) y.data()[j] = (i == 0 ? 8 : 1) * x.data()[j];
  }
  const Ids tokens = random_ids({2, 8});
  const Tensor<double> a = by_key->logits(tokens).value(), b = by_hand->logits(tokens).value();
  for (std::int64_t i = 0; i < a.size(); ++i) BOOST_TEST(std::abs(a.data()[i] - b.data()[i]) < 1e-12);
}

BOOST_AUTO_TEST_CASE(generation_with_a_cache_gives_the_logits_of_the_whole_sequence) {
  for (const ModelConfig& config : every_kind()) {
    const auto model = make_model<double>(config, 1);
    for (const std::int64_t B : {1, 2})
      BOOST_TEST(worst_difference_with_a_cache(*model, random_ids({B, 12})) < 1e-12, config.to_json());
  }
}

BOOST_AUTO_TEST_CASE(the_fused_loss_is_the_cross_entropy_of_the_logits) {
  for (const ModelConfig& config : every_kind()) {
    const auto model = make_model<double>(config, 1);
    const Ids tokens = random_ids({3, 8}), targets = random_ids({3, 8});
    const NoGrad none;
    const double expected = mean_cross_entropy(model->logits(tokens).value(), targets);
    BOOST_TEST(std::abs(model->loss(tokens, targets).cross_entropy - expected) < 1e-12);
  }
}

BOOST_AUTO_TEST_CASE(causal_models_do_not_look_ahead_and_classifiers_ignore_padding) {
  const NoGrad none;
  for (ModelConfig config : every_kind()) {
    const auto model = make_model<double>(config, 1);
    Ids tokens = random_ids({1, 8});
    const Tensor<double> before = model->logits(tokens).value();
    tokens[7] = tokens[7] % 12 + 1;
    const Tensor<double> after = model->logits(tokens).value();
    for (std::int64_t i = 0; i < 7 * 13; ++i) BOOST_TEST(before.data()[i] == after.data()[i]);

    config.task = TextTask::Classify;
    PositionKind& position = config.own<DecoderConfig>().position;
    if (position == PositionKind::Learned) position = PositionKind::Rope;
    const auto classifier = make_model<double>(config, 1);
    const Ids text({1, 3}, {4, 5, 6}), padded({1, 5}, {4, 5, 6, 0, 0});
    const Tensor<double> a = classifier->logits(text).value(), b = classifier->logits(padded).value();
    for (std::int64_t c = 0; c < 4; ++c) BOOST_TEST(std::abs(a(0, c) - b(0, c)) < 1e-13);
  }
}

BOOST_AUTO_TEST_CASE(gradients_do_not_depend_on_the_number_of_threads) {
  const int before = num_threads();
  ModelConfig config = small("complexformer");
  config.own<ComplexFormerConfig>().pcl_weight = 0.01, config.dropout = 0.2;
  std::vector<std::vector<float>> runs;
  for (int threads : {1, 2, 3}) {
    set_num_threads(threads);
    const auto model = make_model<float>(config, 1);
    backward(model->loss(random_ids({4, 12}), random_ids({4, 12}), {.training = true, .seed = 5, .step = 2}).total);
    runs.emplace_back();
    for (const auto& p : model->parameters()) {
      const Tensor<float> g = std::get<Var<float>>(p.var).grad();
      runs.back().insert(runs.back().end(), g.begin(), g.end());
    }
  }
  set_num_threads(before);
  BOOST_TEST(runs[0] == runs[1]);
  BOOST_TEST(runs[0] == runs[2]);
}

BOOST_AUTO_TEST_CASE(training_with_dropout_needs_the_number_of_the_step) {
  for (const char* family : {"transformer", "complexformer"}) {
    ModelConfig config = small(family);
    config.dropout = 0.2;
    const auto model = make_model<float>(config, 1);
    const Ids x = random_ids({2, 8});
    const NoGrad none;
    BOOST_TEST(error_of([&] { model->loss(x, x, {.training = true}); }) ==
               "dropout: training needs ForwardContext::step; without it, every step would drop the same activations");
    BOOST_TEST(error_of([&] { model->loss(x, x, {.training = true, .step = 0}); }) == "");
    BOOST_TEST(error_of([&] { model->loss(x, x); }) == "");
    config.dropout = 0;
    BOOST_TEST(error_of([&] { make_model<float>(config, 1)->loss(x, x, {.training = true}); }) == "");
  }
}

BOOST_AUTO_TEST_CASE(only_the_first_training_step_allocates_from_the_system) {
  const auto model = make_model<float>(small("complexformer"), 1);
  const auto step = [&] {
    backward(model->loss(random_ids({4, 12}), random_ids({4, 12})).total);
    zero_grad(model->parameters());
  };
  step();
  const auto before = memory_stats().system_allocations;
  for (int i = 0; i < 3; ++i) step();
  BOOST_TEST(memory_stats().system_allocations == before);
}

BOOST_AUTO_TEST_CASE(errors_say_what_to_do) {
  const auto says = [](const std::string& text) { return [text](const Error& e) { return e.what() == text; }; };
  BOOST_CHECK_EXCEPTION(ModelConfig::defaults("complexformr"), Error,
                        says("config: family \"complexformr\" is not one of transformer|complexformer|crope|crat|qic; did you mean "
                             "complexformer?"));
  BOOST_CHECK_EXCEPTION(ModelConfig::from_json(R"({"family": "transformer", "d_modl": 8})"), Error,
                        says("config: the family transformer has no key \"d_modl\"; did you mean d_model?"));
  BOOST_CHECK_EXCEPTION(ModelConfig::from_json(R"({"family": "transformer", "d_model": "8"})"), Error,
                        says("config: \"d_model\" must be a whole number, got \"8\""));
  BOOST_CHECK_EXCEPTION(ModelConfig::from_json("{"), Error, says("config: not a JSON object"));
  ModelConfig config = small("complexformer");
  config.n_heads = 3;
  BOOST_CHECK_EXCEPTION(make_model<float>(config, 0), Error, says("config: n_heads 3 does not divide d_model 16"));
  config.n_heads = 16;
  BOOST_CHECK_EXCEPTION(make_model<float>(config, 0), Error,
                        says("config: each head needs an even width to form pairs: d_model 16 / n_heads 16 = 1"));
  const auto model = make_model<float>(small("complexformer"), 1);
  BOOST_CHECK_EXCEPTION(model->logits(Ids({1, 13})), Error, says("complexformer: 13 tokens exceed max_seq_len 12"));
  BOOST_CHECK_EXCEPTION(model->logits(Ids({1, 2}, {3, 13})), Error,
                        says("embedding: id 13 at [0, 1] is outside the vocabulary of 13"));
}

BOOST_AUTO_TEST_CASE(a_cache_serves_its_own_model_only) {
  const ModelConfig narrow = small("transformer");
  ModelConfig wide = narrow;
  wide.d_model = 32;
  const auto a = make_model<double>(narrow, 0), b = make_model<double>(wide, 0);
  const auto cache = a->make_cache(1);
  BOOST_TEST(error_of([&] { b->next_logits(Ids({1, 1}), *cache); }) == "transformer: the cache belongs to another model");
}

BOOST_AUTO_TEST_SUITE_END()
