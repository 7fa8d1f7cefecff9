#include "nn/families/crat/model.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "autograd/ops/elementwise/sinusoid.h"
#include "autograd/tape.h"
#include "core/gemm.h"
#include "core/parallel.h"
#include "tests/error_text.h"
#include "tests/nn/language_models.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(crat)

namespace {

ModelConfig small(std::vector<std::int64_t> irw_layers = {}) {
  ModelConfig config = ModelConfig::defaults("crat");
  config.vocab_size = 13, config.max_seq_len = 12, config.d_model = 16, config.n_heads = 2, config.d_ff = 24;
  auto& own = config.own<CratConfig>();
  own.irw_layers = std::move(irw_layers), own.irw_dim = 4, own.irw_top_k = 3;
  return config;
}

std::vector<ModelConfig> every_kind() {
  std::vector<ModelConfig> kinds{small(), small({1}), small({0, 1}), small({1}), small({0})};
  auto &averaged = kinds[2].own<CratConfig>(), &dot = kinds[3].own<CratConfig>(), &real = kinds[4].own<CratConfig>();
  averaged.angular_reduce = AngularReduce::Mean, averaged.phase_offsets = false;
  dot.attention = ScoreKind::Dot, dot.rotation = false;
  real.states = StateKind::Real, real.attention = ScoreKind::Dot;
  return kinds;
}

/// An index that returns the results of an exact search of stored encodings.
class StoredEncodings final : public RowIndex {
 public:
  explicit StoredEncodings(Tensor<float> rows) : rows_(std::move(rows)) {}
  Ids nearest(const Tensor<float>& queries, std::int64_t k, std::span<const RowRange> excluded) const override {
    return nearest_rows(queries, rows_, k, excluded);
  }

 private:
  Tensor<float> rows_;
};

template <RealScalar R>
std::vector<R> gradients(Model<R>& model, const ForwardContext& context) {
  zero_grad(model.parameters());
  backward(model.loss(random_ids({2, 9}, 4), random_ids({2, 9}, 5), context).total);
  std::vector<R> all;
  for (const auto& p : model.parameters())
    std::visit(
        [&]<Scalar T>(const Var<T>& v) {
          const Tensor<T> g = v.grad();
          const R* numbers = reinterpret_cast<const R*>(g.data());
          all.insert(all.end(), numbers, numbers + g.size() * (ComplexScalar<T> ? 2 : 1));
        },
        p.var);
  return all;
}

}  // namespace

BOOST_AUTO_TEST_CASE(generation_with_a_cache_gives_the_logits_of_the_whole_sequence) {
  const Ids passages = random_ids({20, 5}, 1), tokens = random_ids({2, 10}, 2);
  const Knowledge knowledge{.passages = &passages};
  const ForwardContext context{.knowledge = &knowledge};
  for (const ModelConfig& config : every_kind()) {
    const auto model = make_model<double>(config, 1);
    BOOST_TEST(worst_difference_with_a_cache(*model, tokens, context) < 1e-12, config.to_json());
  }
}

BOOST_AUTO_TEST_CASE(passages_are_encoded_once_for_a_text) {
  const Ids passages = random_ids({20, 5}, 1), tokens = random_ids({2, 4}, 2);
  const Knowledge knowledge{.passages = &passages};
  const auto model = make_model<double>(small({0, 1}), 1);
  const auto cache = model->make_cache(2);
  const auto encoded = [&] {  // counts how often an encoder is applied to the 20 passage means, which have 16 elements each
    const GemmLog log;
    model->next_logits(tokens, *cache, {.knowledge = &knowledge});
    std::int64_t count = 0;
    for (const auto& [shape, times] : log.counts()) count += shape.M == 20 && shape.N == 4 && shape.K == 16 ? times : 0;
    return count;
  };
  BOOST_TEST(encoded() == 2);  // once for each of two windows
  BOOST_TEST(encoded() == 0);
}

BOOST_AUTO_TEST_CASE(a_text_goes_on_with_another_knowledge_base) {
  const Ids first = random_ids({20, 5}, 1), second = random_ids({20, 5}, 7), tokens = random_ids({2, 4}, 2);
  const Knowledge old{.passages = &first}, other{.passages = &second};
  const auto model = make_model<double>(small({0, 1}), 1);
  const auto write = [&](const Knowledge& before, const Knowledge& then) {
    const auto cache = model->make_cache(2);
    model->next_logits(tokens, *cache, {.knowledge = &before});
    return model->next_logits(tokens, *cache, {.knowledge = &then});
  };
  const auto same = [](const Tensor<double>& a, const Tensor<double>& b) { return std::ranges::equal(a.span(), b.span()); };
  BOOST_TEST(same(write(old, old), write(old, old)));
  BOOST_TEST(!same(write(old, old), write(old, other)));
  // Encodings cached from another knowledge base have no effect: only the states of the first four tokens matter, and they are
  // equal here.
  const Ids copy = first;
  const Knowledge copied{.passages = &copy};
  BOOST_TEST(same(write(old, other), write(copied, other)));
}

BOOST_AUTO_TEST_CASE(the_fused_loss_is_the_cross_entropy_of_the_logits) {
  const Ids passages = random_ids({20, 5}, 1), tokens = random_ids({2, 8}, 2), targets = random_ids({2, 8}, 3);
  const Knowledge knowledge{.passages = &passages};
  const ForwardContext context{.knowledge = &knowledge};
  const NoGrad none;
  for (const ModelConfig& config : every_kind()) {
    const auto model = make_model<double>(config, 1);
    const double expected = mean_cross_entropy(model->logits(tokens, context).value(), targets);
    BOOST_TEST(std::abs(model->loss(tokens, targets, context).cross_entropy - expected) < 1e-12);
  }
}

BOOST_AUTO_TEST_CASE(a_row_never_sees_the_passages_excluded_for_it) {
  const auto model = make_model<double>(small({0, 1}), 1);
  const NoGrad none;
  Ids passages = random_ids({8, 5}, 1);
  const Ids tokens = random_ids({2, 8}, 2);
  const Knowledge knowledge{.passages = &passages};
  const ForwardContext context{.knowledge = &knowledge, .excluded = {{0, 5}, {3, 8}}};
  const Tensor<double> before = model->logits(tokens, context).value().clone();
  const auto same_row = [&](std::int64_t b) {
    const Tensor<double> after = model->logits(tokens, context).value();
    return std::equal(before.data() + b * 8 * 13, before.data() + (b + 1) * 8 * 13, after.data() + b * 8 * 13);
  };
  for (std::int64_t i = 0; i < 3 * 5; ++i) passages[i] = passages[i] % 12 + 1;  // changes passages 0 to 2
  BOOST_TEST(same_row(0));
  BOOST_TEST(!same_row(1));
}

BOOST_AUTO_TEST_CASE(an_index_only_proposes_and_encodings_stay_fresh) {
  const auto model = make_model<float>(small({0, 1}), 1);
  const Ids passages = random_ids({20, 5}, 1);
  const auto encodings = model->encode_passages(passages);
  BOOST_TEST(encodings.size() == 2u);
  BOOST_TEST((encodings[0].shape() == Shape{20, 4}));
  const StoredEncodings first(encodings[0]), second(encodings[1]);
  const Knowledge exact{.passages = &passages}, indexed{.passages = &passages, .indexes = {&first, &second}};
  const std::vector<RowRange> excluded{{0, 5}, {10, 20}};
  const auto expected = gradients<float>(*model, {.knowledge = &exact, .excluded = excluded});
  const auto found = gradients<float>(*model, {.knowledge = &indexed, .excluded = excluded});
  BOOST_TEST(expected.size() == found.size());
  for (std::size_t i = 0; i < expected.size(); ++i) BOOST_TEST(std::abs(expected[i] - found[i]) < 1e-6f);
}

BOOST_AUTO_TEST_CASE(gradients_do_not_depend_on_the_number_of_threads) {
  const int before = num_threads();
  const Ids passages = random_ids({50, 5}, 1);
  const Knowledge knowledge{.passages = &passages};
  std::vector<std::vector<float>> runs;
  for (const int threads : {1, 3}) {
    set_num_threads(threads);
    ModelConfig config = small({1});
    config.dropout = 0.2;
    const auto model = make_model<float>(config, 1);
    runs.push_back(gradients<float>(*model, {.training = true, .seed = 5, .step = 2, .knowledge = &knowledge}));
  }
  set_num_threads(before);
  BOOST_TEST(runs[0] == runs[1]);
}

BOOST_AUTO_TEST_CASE(without_phases_positions_are_the_sinusoids_of_the_transformer) {
  const Tensor<double> ours = sinusoid(constant(Tensor<double>::zeros({4})), 3, 5).value(), known = sinusoids<double>(3, 5, 8);
  for (std::int64_t i = 0; i < ours.size(); ++i) BOOST_TEST(std::abs(ours.data()[i] - known.data()[i]) < 1e-15);
}

BOOST_AUTO_TEST_CASE(a_complex_model_counts_as_many_degrees_of_freedom_as_its_width) {
  // Parameters: embedding 13·16 + 16, phases 8, states 3 (8·16 + 8), a block 2·8 gains + 4 complex 8x8 + 8, up and down 2·(8·12) +
  // 12 + 8, out 16·16 + 16, its norm 32, head 13·16 + 13.
  const std::int64_t block = 16 + 2 * (4 * 64 + 8) + 2 * (2 * 96 + 20);
  BOOST_TEST(count_parameters(make_model<float>(small(), 0)->parameters()) ==
             13 * 16 + 16 + 8 + 3 * 136 + 2 * block + 272 + 32 + 13 * 17);
}

BOOST_AUTO_TEST_CASE(errors_say_what_to_do) {
  const auto model = make_model<float>(small({1}), 1);
  BOOST_TEST(error_of([&] {
               model->logits(Ids({1, 3}));
             }) == "crat: reflection windows (irw_layers) need a knowledge base, but none was given");
  const Ids passages = random_ids({4, 5}, 1);
  const Knowledge knowledge{.passages = &passages};
  BOOST_TEST(error_of([&] {
               model->logits(Ids({1, 3}), {.knowledge = &knowledge, .excluded = {{0, 2}}});
             }) == "nearest: cannot choose 3 of 4 rows when 2 of them are excluded");
  const auto refusal = [](const std::string& keys) {
    return error_of([&] { ModelConfig::from_json(R"({"family": "crat", "vocab_size": 9, )" + keys + "}"); });
  };
  BOOST_TEST(refusal(R"("irw_layers": [2])") == "config: irw_layers contains layer 2, but layers run from 0 to 1");
  BOOST_TEST(refusal(R"("irw_layers": [1, 1])") == "config: irw_layers must be strictly increasing");
  BOOST_TEST(refusal(R"("irw_layers": 1)") == "config: \"irw_layers\" must be a list of whole numbers, got 1");
  BOOST_TEST(refusal(R"("irw_layers": [0.5])") == "config: \"irw_layers\" must be a list of whole numbers, got [0.5]");
  BOOST_TEST(refusal(R"("states": "real")") == "config: real states have no phases; choose states complex or attention dot");
  BOOST_TEST(refusal(R"("n_heads": 128)") ==
             "config: complex heads need an even width: 2 * n_heads 128 does not divide d_model 128");
  BOOST_TEST(refusal(R"("position": "rope")") == "config: the family crat has no key \"position\"");
  const ModelConfig config = small({0, 1});
  BOOST_TEST(ModelConfig::from_json(config.to_json()).to_json() == config.to_json());
}

BOOST_AUTO_TEST_SUITE_END()
