/// Checks that watchers of attention see the weights that the models compute with.

#include "nn/attention_watch.h"

#include <boost/test/unit_test.hpp>

#include "autograd/ops/attention/angular_attention.h"
#include "autograd/ops/attention/magnitude_attention.h"
#include "autograd/ops/attention/selected_attention.h"
#include "autograd/ops/elementwise/complex_parts.h"
#include "core/scalar.h"
#include "nn/decoder_config.h"
#include "nn/families/crat/config.h"
#include "nn/families/qic/config.h"
#include "nn/model.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(attention_watch)

namespace {

using C = std::complex<double>;

/// Σ_n w_mn v_n for each head, computed here with plain loops.
template <Scalar T>
Tensor<T> weighted(const Tensor<double>& weights, const Tensor<T>& v) {
  const std::int64_t B = weights.dim(0), Tq = weights.dim(1), H = weights.dim(2), Tk = weights.dim(3), d = v.dim(2) / H;
  Tensor<T> sum = Tensor<T>::zeros({B, Tq, H * d});
  for (std::int64_t b = 0; b < B; ++b)
    for (std::int64_t m = 0; m < Tq; ++m)
      for (std::int64_t h = 0; h < H; ++h)
        for (std::int64_t n = 0; n < Tk; ++n)
          for (std::int64_t c = 0; c < d; ++c) sum(b, m, h * d + c) += weights(b, m, h, n) * v(b, n, h * d + c);
  return sum;
}

template <Scalar T>
void are_close(const Tensor<T>& a, const Tensor<T>& b) {
  BOOST_TEST_REQUIRE(a.shape().str() == b.shape().str());
  double off = 0;
  for (std::int64_t i = 0; i < a.size(); ++i) off = std::max(off, std::abs(a.data()[i] - b.data()[i]));
  BOOST_TEST(off < 1e-13);
}

/// Checks that the weights seen in `attend`, times the values, equal its output, for plain, causal and padded attention, with and
/// without past keys.
template <Scalar T, class Attend>
void weights_make_the_output(const Attend& attend) {
  constexpr std::int64_t B = 2, H = 2;
  for (const auto& [Tq, Tk] : {std::pair<std::int64_t, std::int64_t>{7, 7}, {3, 5}})
    for (const bool causal : {false, true})
      for (const bool padded : {false, true}) {
        AttentionOptions options;
        options.n_heads = H, options.scale = 0.7, options.causal = causal;
        if (padded) {
          auto visible = std::make_shared<std::vector<std::uint8_t>>(static_cast<std::size_t>(B * Tk), std::uint8_t{1});
          (*visible)[static_cast<std::size_t>(Tk - 1)] = 0;
          (*visible)[static_cast<std::size_t>(2 * Tk - 2)] = 0;
          options.visible_keys = visible;
        }
        const Tensor<T> q = randn<T>({B, Tq, H * 4}, Random(1)), k = randn<T>({B, Tk, H * 4}, Random(2));
        const Tensor<T> v = randn<T>({B, Tk, H * 6}, Random(3));
        const auto f = [&](const Var<T>& values) { return attend(Var<T>(q), Var<T>(k), values, options); };
        const Tensor<double> weights = attention_weights<T>(B, Tk, H, f);
        are_close(weighted(weights, v), f(Var<T>(v)).value());
        if (causal) BOOST_TEST(weights(0, 0, 1, Tk - Tq + 1) == 0);
        if (padded) BOOST_TEST(weights(0, Tq - 1, 0, Tk - 1) == 0);
        BOOST_TEST(weights(0, Tq - 1, 0, 0) > 0);
      }
}

struct Seen {
  std::vector<AttentionWatch::Phasors> q, k;
  std::vector<Tensor<double>> weights;
};

Seen watch(ModelConfig config, const Ids& tokens) {
  config.vocab_size = 11, config.max_seq_len = 16, config.n_layers = 2, config.d_model = 16, config.n_heads = 2, config.d_ff = 8;
  const auto model = make_model<double>(config, 5);
  Seen seen;
  const AttentionWatch watch{.pairs = [&](const auto& q, const auto& k) { seen.q.push_back(q), seen.k.push_back(k); },
                             .weights = [&](const Tensor<double>& w) { seen.weights.push_back(w); }};
  const NoGrad none;
  const Tensor<double> unwatched = model->logits(tokens).value();
  const Tensor<double> logits = model->logits(tokens, {.watch = &watch}).value();
  BOOST_TEST(std::equal(logits.begin(), logits.end(), unwatched.begin(), unwatched.end()));
  return seen;
}

}  // namespace

BOOST_AUTO_TEST_CASE(weights_times_values_are_the_output) {
  weights_make_the_output<double>([](const auto& q, const auto& k, const auto& v, const auto& o) { return attention(q, k, v, o); });
  weights_make_the_output<C>(
      [](const auto& q, const auto& k, const auto& v, const auto& o) { return angular_attention(q, k, v, o); });
  for (const bool conjugate : {false, true})
    for (const int parts : {2, 4})
      weights_make_the_output<double>([&](const auto& q, const auto& k, const auto& v, const auto& o) {
        const Measure<double> measure{parts, Magnitude::Euclidean, Var<double>(Tensor<double>({2}, {0.3, 0.9}))};
        return magnitude_attention(q, k, v, measure, conjugate, o);
      });
}

BOOST_AUTO_TEST_CASE(weights_of_chosen_rows_are_those_that_were_used) {
  const Tensor<double> q = randn<double>({2, 3, 4}, Random(1)), memory = randn<double>({5, 4}, Random(2));
  const Ids chosen({2, 3, 2}, {0, 3, 1, 2, 4, 4, 3, 2, 1, 0, 3, 4});
  const Tensor<double> beta = selection_weights(q, memory, chosen, 0.7);
  BOOST_TEST(beta.shape().str() == "[6, 2]");
  Tensor<double> sum = Tensor<double>::zeros({2, 3, 4});
  for (std::int64_t n = 0; n < 6; ++n)
    for (std::int64_t j = 0; j < 2; ++j)
      for (std::int64_t c = 0; c < 4; ++c) sum.data()[n * 4 + c] += beta(n, j) * memory(chosen[n * 2 + j], c);
  are_close(sum, selected_attention(Var<double>(q), Var<double>(memory), chosen, 0.7).value());
}

BOOST_AUTO_TEST_CASE(every_layer_of_every_family_is_seen) {
  const Ids tokens({2, 5}, {3, 4, 5, 6, 7, 8, 9, 10, 1, 2});
  for (const char* family : {"transformer", "complexformer", "crope", "crat", "qic"})
    for (const TextTask task : every<TextTask>()) {
      BOOST_TEST_CONTEXT(family << " " << word_of(task)) {
        ModelConfig config = ModelConfig::defaults(family);
        config.task = task;
        const Seen seen = watch(config, tokens);
        BOOST_TEST_REQUIRE(seen.weights.size() == 2U);
        for (const Tensor<double>& w : seen.weights) {
          BOOST_TEST_REQUIRE(w.shape().str() == "[2, 5, 2, 5]");
          for (std::int64_t row = 0; row < 20; ++row) {
            double sum = 0;
            for (std::int64_t n = 0; n < 5; ++n) sum += w.data()[row * 5 + n];
            BOOST_TEST(std::abs(sum - 1) < 1e-12);
          }
          BOOST_TEST((w(1, 1, 0, 3) == 0) == (config.task == TextTask::Lm));
        }
        const bool has_pairs = std::string(family) != "transformer";  // learned positions do not rotate queries and keys
        BOOST_TEST_REQUIRE(seen.q.size() == (has_pairs ? 2U : 0U));
        BOOST_TEST(seen.k.size() == seen.q.size());
        for (const auto& z : seen.q) BOOST_TEST(z.shape().str() == "[2, 5, 2, 4]");
      }
    }
}

BOOST_AUTO_TEST_CASE(only_pairs_that_mean_something_are_shown) {
  const Ids tokens({1, 3}, {3, 4, 5});
  ModelConfig config = ModelConfig::defaults("transformer");
  config.own<DecoderConfig>().position = PositionKind::Rope;
  BOOST_TEST(watch(config, tokens).q.size() == 2U);
  config = ModelConfig::defaults("qic");
  config.own<QicConfig>().algebra = Algebra::Quaternion;
  BOOST_TEST(watch(config, tokens).q.empty());
  config.own<QicConfig>().algebra = Algebra::PhaseGates;
  BOOST_TEST(watch(config, tokens).q.size() == 2U);
  config.own<QicConfig>().algebra = Algebra::Standard;
  BOOST_TEST(watch(config, tokens).weights.size() == 2U);
  config = ModelConfig::defaults("crat");
  config.own<CratConfig>().attention = ScoreKind::Dot;
  BOOST_TEST(watch(config, tokens).q.size() == 2U);
  config.own<CratConfig>().states = StateKind::Real;
  BOOST_TEST(watch(config, tokens).q.empty());
}

BOOST_AUTO_TEST_CASE(reflection_windows_report_what_they_read) {
  ModelConfig config = ModelConfig::defaults("crat");
  config.vocab_size = 11, config.max_seq_len = 16, config.n_layers = 2, config.d_model = 16, config.n_heads = 2, config.d_ff = 8;
  config.own<CratConfig>().irw_layers = {1}, config.own<CratConfig>().irw_dim = 4, config.own<CratConfig>().irw_top_k = 2;
  const auto model = make_model<double>(config, 5);
  const Ids passages({4, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1, 2});
  std::int64_t calls = 0;
  const Knowledge knowledge{.passages = &passages,
                            .watch_reading = [&](const Ids& chosen, const Tensor<double>& beta, const Tensor<double>& gates) {
                              ++calls;
                              BOOST_TEST(chosen.shape().str() == "[3, 2]");
                              BOOST_TEST(beta.shape().str() == "[3, 2]");
                              BOOST_TEST(gates.shape().str() == "[3, 8]");
                              for (std::int64_t n = 0; n < 3; ++n) {
                                BOOST_TEST(beta(n, 0) >= beta(n, 1));  // the nearest row comes first
                                BOOST_TEST(std::abs(beta(n, 0) + beta(n, 1) - 1) < 1e-12);
                              }
                              for (const double g : gates.span()) BOOST_TEST((g > 0 && g < 1));
                            }};
  const NoGrad none;
  model->logits(Ids({1, 3}, {3, 4, 5}), {.knowledge = &knowledge});
  BOOST_TEST(calls == 1);
}

BOOST_AUTO_TEST_SUITE_END()
