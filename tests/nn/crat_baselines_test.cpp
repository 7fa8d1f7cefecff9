/// The baselines of CRAT: RETRO's chunked cross-attention and Fusion-in-Decoder.

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <set>

#include "core/parallel.h"
#include "data/knowledge/frozen_search.h"
#include "nn/decoder_config.h"
#include "nn/families/crat/chunk_reader.h"
#include "nn/families/crat/config.h"
#include "tests/error_text.h"
#include "tests/nn/language_models.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(crat_baselines)

namespace {

ModelConfig baseline(Baseline kind, std::vector<std::int64_t> layers) {
  ModelConfig config = ModelConfig::defaults("crat");
  config.vocab_size = 13, config.max_seq_len = 16, config.d_model = 16, config.n_heads = 2, config.d_ff = 24;
  auto& own = config.own<CratConfig>();
  own.baseline = kind, own.irw_layers = std::move(layers), own.irw_top_k = 2, own.encoder_layers = 2;
  return config;
}

std::vector<ModelConfig> every_baseline() {
  return {baseline(Baseline::Retro, {1}), baseline(Baseline::Retro, {0, 1}), baseline(Baseline::Fid, {0, 1}),
          baseline(Baseline::Fid, {1})};
}

/// Knowledge searched with chunks half as long as the passages.
Knowledge searched(const Ids& passages) {
  return {.passages = &passages, .search = FrozenSearch(passages, chunk_length(passages))};
}

/// For logits [B, T, V]: whether row b is the same in x and y at the positions from, ..., to - 1.
bool same(const Tensor<double>& x, const Tensor<double>& y, std::int64_t b, std::int64_t from, std::int64_t to) {
  const std::int64_t T = x.dim(1), V = x.dim(2);
  return std::equal(x.data() + (b * T + from) * V, x.data() + (b * T + to) * V, y.data() + (b * T + from) * V);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_token_changes_no_logits_before_its_own) {
  const std::int64_t T = 13;
  const NoGrad none;
  for (const std::int64_t length : {6, 3, 1}) {  // the chunks have 3, 1 and 1 tokens
    const Ids passages = random_ids({12, length}, 1);
    const Knowledge knowledge = searched(passages);
    for (const ModelConfig& config : every_baseline()) {
      const auto model = make_model<double>(config, 1);
      Ids tokens = random_ids({2, T}, 2);
      const Tensor<double> before = model->logits(tokens, {.knowledge = &knowledge}).value();
      for (std::int64_t t = 0; t < T; ++t) {
        Ids other = Ids(tokens.shape(), {tokens.span().begin(), tokens.span().end()});
        other[t] = other[t] % 12 + 1;
        const Tensor<double> after = model->logits(other, {.knowledge = &knowledge}).value();
        BOOST_TEST(same(before, after, 0, 0, t), config.to_json() << " token " << t);
        BOOST_TEST(!same(before, after, 0, t, t + 1));
        BOOST_TEST(same(before, after, 1, 0, T));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(what_is_found_for_a_chunk_is_read_from_its_last_token_on) {
  // With chunks of 3 tokens, changes the second half of each retrieved passage, which no search reads.
  const NoGrad none;
  Ids passages = random_ids({12, 6}, 1);
  const Knowledge knowledge = searched(passages);
  const Ids tokens = random_ids({1, 13}, 2);
  for (const ModelConfig& config : every_baseline()) {
    const auto model = make_model<double>(config, 1);
    const Tensor<double> before = model->logits(tokens, {.knowledge = &knowledge}).value();
    for (std::int64_t u = 0; u < 4; ++u) {
      const Ids chunk({1, 3}, {tokens.data() + 3 * u, tokens.data() + 3 * u + 3});
      std::int64_t first = u;  // the first chunk that finds the same passage
      const Ids::value_type found = knowledge.search(chunk, 2, {})[0];
      for (std::int64_t v = u; v-- > 0;) {
        const Ids earlier = knowledge.search(Ids({1, 3}, {tokens.data() + 3 * v, tokens.data() + 3 * v + 3}), 2, {});
        if (earlier[0] == found || earlier[1] == found) first = v;
      }
      const Ids::value_type old = passages[found * 6 + 5];
      passages[found * 6 + 5] = old % 12 + 1;
      const Tensor<double> after = model->logits(tokens, {.knowledge = &knowledge}).value();
      passages[found * 6 + 5] = old;
      BOOST_TEST(same(before, after, 0, 0, 3 * first + 2));
      BOOST_TEST(!same(before, after, 0, 3 * first + 2, 3 * first + 3), config.to_json() << " chunk " << u);
    }
  }
}

BOOST_AUTO_TEST_CASE(every_token_reads_the_last_chunk_that_is_complete_however_the_text_is_cut) {
  const std::int64_t T = 14, B = 2;
  const Ids passages = random_ids({9, 4}, 1);
  for (const std::int64_t m : {1, 2, 3, 5, 20})
    for (const std::int64_t prompt : {1, 2, 3, 4, 5, 7, 14})
      for (const std::int64_t step : {1, 2, 3, 6}) {
        ChunkCache<double> past;
        std::int64_t complete = 0;
        Knowledge knowledge{.passages = &passages, .search = [&](const Ids& chunks, std::int64_t k, auto) {
                              return Ids(Shape{chunks.shape()[0], k});
                            }};
        for (std::int64_t first = 0; first < T;) {
          const std::int64_t n = std::min(T - first, first == 0 ? prompt : step);
          ChunkReader<double> chunks(Ids(Shape{B, n}), first, m, prompt == T ? nullptr : &past);
          chunks.look_up(knowledge, 1, {});
          // The passage found for chunk u is marked with the number u + 1.
          const std::int64_t U = chunks.count();
          BOOST_TEST(U == (first + n) / m - first / m);
          std::optional<Var<double>> found;
          if (U > 0) {
            Tensor<double> numbers(Shape{B * U, 1, 1});
            for (std::int64_t i = 0; i < B * U; ++i) numbers.data()[i] = static_cast<double>(complete + i % U + 1);
            found = Var<double>(numbers);
          }
          chunks.set_encodings(found);
          complete += U;
          const Var<double> places(Tensor<double>::full({B, n, 1}, 1));
          const Tensor<double> read = chunks
                                          .read(places,
                                                [&](const Var<double>& queries, const Var<double>& memory) {
                                                  BOOST_TEST(queries.dim(0) == memory.dim(0));
                                                  BOOST_TEST(queries.dim(1) == m);
                                                  Tensor<double> y(queries.shape());
                                                  for (std::int64_t i = 0; i < y.size(); ++i)
                                                    y.data()[i] = memory.value().data()[i / m];
                                                  return Var<double>(y);
                                                })
                                          .value();
          for (std::int64_t b = 0; b < B; ++b)
            for (std::int64_t t = 0; t < n; ++t)
              BOOST_TEST(read(b, t, 0) == static_cast<double>((first + t + 1) / m),
                         "chunks of " << m << ", prompt " << prompt << ", steps of " << step << ": token " << first + t);
          first += n;
        }
      }
}

BOOST_AUTO_TEST_CASE(generation_with_a_cache_gives_the_logits_of_the_whole_sequence) {
  const Ids tokens = random_ids({2, 14}, 2);
  for (const std::int64_t length : {2, 4, 6, 10, 40}) {
    const Ids passages = random_ids({20, length}, 1);
    const Knowledge knowledge = searched(passages);
    for (const ModelConfig& config : every_baseline())
      BOOST_TEST(worst_difference_with_a_cache(*make_model<double>(config, 1), tokens, {.knowledge = &knowledge}) < 1e-12,
                 config.to_json() << " passages of " << length);
  }
}

BOOST_AUTO_TEST_CASE(a_text_shorter_than_a_chunk_is_read_as_the_transformer_reads_it) {
  ModelConfig plain = ModelConfig::defaults("transformer");
  plain.vocab_size = 13, plain.max_seq_len = 16, plain.d_model = 16, plain.n_heads = 2, plain.d_ff = 24;
  plain.own<DecoderConfig>().position = PositionKind::Rope, plain.own<DecoderConfig>().tie_embeddings = false;
  const auto transformer = make_model<double>(plain, 7);
  const Ids passages = random_ids({12, 20}, 1), tokens = random_ids({2, 9}, 2);
  const Knowledge knowledge = searched(passages);
  const NoGrad none;
  for (const ModelConfig& config : every_baseline()) {
    const auto model = make_model<double>(config, 1);
    std::size_t copied = 0;
    for (const auto& mine : model->parameters())
      for (const auto& theirs : transformer->parameters())
        if (mine.name == theirs.name) {
          Var<double> to = std::get<Var<double>>(mine.var);
          to.value() = std::get<Var<double>>(theirs.var).value().clone();
          ++copied;
        }
    BOOST_TEST(copied == transformer->parameters().size());
    const Tensor<double> x = transformer->logits(tokens).value(), y = model->logits(tokens, {.knowledge = &knowledge}).value();
    for (std::int64_t i = 0; i < x.size(); ++i) BOOST_TEST(std::abs(x.data()[i] - y.data()[i]) < 1e-13);
  }
}

BOOST_AUTO_TEST_CASE(a_row_never_sees_the_passages_excluded_for_it) {
  const NoGrad none;
  Ids passages = random_ids({8, 6}, 1);
  const Ids tokens = random_ids({2, 12}, 2);
  for (const ModelConfig& config : every_baseline()) {
    const auto model = make_model<double>(config, 1);
    std::vector<std::set<int>> read(2);
    const auto logits = [&](const Ids& of) {
      Knowledge knowledge = searched(of);
      read.assign(2, {});
      knowledge.watch = [&](const Ids& chosen) {
        for (std::int64_t c = 0; c < chosen.size(); ++c) read[static_cast<std::size_t>(2 * c / chosen.size())].insert(chosen[c]);
      };
      return model->logits(tokens, {.knowledge = &knowledge, .excluded = {{0, 5}, {3, 8}}}).value().clone();
    };
    const Tensor<double> before = logits(passages);
    BOOST_TEST((!read[0].empty() && *read[0].begin() >= 5));
    BOOST_TEST((!read[1].empty() && *read[1].rbegin() < 3));
    Ids other(passages.shape(), {passages.span().begin(), passages.span().end()});
    for (std::int64_t p = 0; p < 3; ++p) other[p * 6 + 5] = other[p * 6 + 5] % 12 + 1;
    const Tensor<double> after = logits(other);
    BOOST_TEST(same(before, after, 0, 0, 12));
    BOOST_TEST(!same(before, after, 1, 0, 12));
  }
}

BOOST_AUTO_TEST_CASE(baselines_report_what_each_token_reads) {
  const NoGrad none;
  const Ids passages = random_ids({9, 6}, 1), tokens = random_ids({1, 10}, 2);
  for (const ModelConfig& config : every_baseline()) {
    Knowledge knowledge = searched(passages);
    const Ids chunks({3, 3}, {tokens.data(), tokens.data() + 9}), found = knowledge.search(chunks, 2, {});
    std::size_t calls = 0;
    knowledge.watch_reading = [&](const Ids& chosen, const Tensor<double>& weights, const Tensor<double>& gates) {
      ++calls;
      BOOST_TEST(chosen.shape().str() == "[10, 2]");
      BOOST_TEST(gates.shape().str() == "[10, 0]");
      for (std::int64_t t = 0; t < 10; ++t)
        for (std::int64_t j = 0; j < 2; ++j) {
          const std::int64_t u = (t + 1) / 3 - 1;
          BOOST_TEST(chosen[2 * t + j] == (u < 0 ? -1 : found[2 * u + j]));
          BOOST_TEST(std::abs(weights(t, 0) + weights(t, 1) - (u < 0 ? 0 : 1)) < 1e-12);
        }
    };
    make_model<double>(config, 5)->logits(tokens, {.knowledge = &knowledge});
    BOOST_TEST(calls == config.own<CratConfig>().irw_layers.size());
  }
}

BOOST_AUTO_TEST_CASE(gradients_do_not_depend_on_the_number_of_threads) {
  const int before = num_threads();
  const Ids passages = random_ids({50, 6}, 1);
  const Knowledge knowledge = searched(passages);
  for (ModelConfig config : every_baseline()) {
    config.dropout = 0.2;
    std::vector<std::vector<float>> runs;
    for (const int threads : {1, 3}) {
      set_num_threads(threads);
      const auto model = make_model<float>(config, 1);
      backward(model
                   ->loss(random_ids({2, 14}, 4), random_ids({2, 14}, 5),
                          {.training = true, .seed = 5, .step = 2, .knowledge = &knowledge})
                   .total);
      runs.emplace_back();
      for (const auto& p : model->parameters()) {
        const Tensor<float> g = std::get<Var<float>>(p.var).grad();
        BOOST_TEST(std::any_of(g.begin(), g.end(), [](float x) { return x != 0; }), p.name);
        runs.back().insert(runs.back().end(), g.begin(), g.end());
      }
    }
    BOOST_TEST((runs[0] == runs[1]));
  }
  set_num_threads(before);
}

BOOST_AUTO_TEST_CASE(errors_say_what_to_do) {
  const auto model = make_model<float>(baseline(Baseline::Fid, {1}), 1);
  const Ids passages = random_ids({4, 6}, 1);
  const Knowledge no_search{.passages = &passages}, knowledge = searched(passages);
  BOOST_TEST(error_of([&] {
               model->logits(Ids({1, 3}), {.knowledge = &no_search});
             }) == "crat: baseline fid needs a knowledge base, but none was given");
  BOOST_TEST(error_of([&] {
               model->logits(random_ids({1, 3}), {.knowledge = &knowledge, .excluded = {{0, 3}}});
             }) == "nearest: cannot choose 2 of 4 rows when 3 of them are excluded");
  const auto refusal = [](const std::string& keys) {
    return error_of([&] { ModelConfig::from_json(R"({"family": "crat", "vocab_size": 9, "baseline": "retro", )" + keys + "}"); });
  };
  BOOST_TEST(refusal(R"("irw_layers": [])") == "config: baseline retro needs irw_layers, the layers that read passages");
  BOOST_TEST(refusal(R"("irw_layers": [1], "task": "classify")") ==
             "config: baseline retro is for language models; classifiers need baseline none");
  BOOST_TEST(refusal(R"("irw_layers": [1], "rotation": false)") == "config: the family crat has no key \"rotation\"");
  BOOST_TEST(refusal(R"("irw_layers": [1], "encoder_layers": 0)").find("config: encoder_layers ") == 0);
  const ModelConfig config = baseline(Baseline::Retro, {0, 1});
  BOOST_TEST(ModelConfig::from_json(config.to_json()).to_json() == config.to_json());
}

BOOST_AUTO_TEST_SUITE_END()
