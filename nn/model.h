#pragma once
/// The common interface of language models and classifiers of all families.

#include <memory>
#include <optional>

#include "core/random.h"
#include "nn/attention_watch.h"
#include "nn/config.h"
#include "nn/knowledge.h"
#include "nn/module.h"

namespace argand {

/// Everything a forward pass depends on besides parameters and tokens.
struct ForwardContext {
  bool training = false;   ///< whether dropout is active
  std::uint64_t seed = 0;  ///< seed of the dropout masks
  /// Index of the training step. A dropout mask is a pure function of (seed, step, site, element); without a step, a pass with
  /// dropout throws, since otherwise every step would drop the same activations.
  std::optional<std::uint64_t> step{};
  const Knowledge* knowledge = nullptr;  ///< the knowledge base of reflection windows; null for models without one
  /// Passages to exclude from retrieval for each row of the batch, such as those that overlap the targets; may be empty.
  std::vector<RowRange> excluded{};
  /// Class weights for a classifier's loss [n_classes]; null: all 1.
  const std::vector<double>* class_weights = nullptr;
  const AttentionWatch* watch = nullptr;  ///< observer of the attention layers; null: none, at no cost
};

/// Caches the keys and values of past tokens and the encodings of passages during generation. Belongs to one model and one batch;
/// parameters and passages must not change while it is in use.
struct KeyValueCache {
  virtual ~KeyValueCache() = default;
  std::int64_t length = 0;  ///< past tokens
};

template <RealScalar R>
struct Loss {
  Var<R> total;                       ///< the loss to differentiate: cross entropy + auxiliary
  double cross_entropy = 0;           ///< nats per token (or per text)
  std::optional<double> auxiliary{};  ///< weighted, e.g. the phase contrastive loss; empty if the model has none
};

template <RealScalar R>
class Model : public Module<R> {
 public:
  const ModelConfig& config() const { return config_; }

  /// tokens [B, T] -> logits [B, T, vocab_size] (lm) or [B, n_classes] (classify).
  /// Throws for T > max_seq_len, a token id outside the vocabulary, or (classify) a text of padding only.
  virtual Var<R> logits(const Ids& tokens, const ForwardContext& context = {}) = 0;
  /// Mean cross entropy of targets, weighted by context.class_weights, plus auxiliary losses; never stores all logits of a large
  /// vocabulary. targets: [B] for classifiers; otherwise [B, n], the successors of the last n tokens, 1 <= n <= T; earlier tokens
  /// are unscored context.
  virtual Loss<R> loss(const Ids& tokens, const Ids& targets, const ForwardContext& context = {}) = 0;

  /// An empty cache for a batch of `batch` sequences.
  virtual std::unique_ptr<KeyValueCache> make_cache(std::int64_t batch) const = 0;
  /// Feeds the next tokens [B, t], extending the cache -> logits of the last token [B, vocab_size]. Records nothing on the tape.
  virtual Tensor<R> next_logits(const Ids& tokens, KeyValueCache& cache, const ForwardContext& context = {}) = 0;

  /// Encodings of passages [P, L] by each reflection window, [P, irw_dim]; empty without windows. Records nothing on the tape.
  virtual std::vector<Tensor<R>> encode_passages(const Ids&) const { return {}; }

  /// All parameters, in a fixed order.
  ParameterList<R> parameters() const { return parameters_of<R>(*this); }

 protected:
  explicit Model(ModelConfig config) : config_(std::move(config)) {}
  ModelConfig config_;
};

/// Builds a model of the configured family. Its initial parameters are a pure function of (config, seed).
template <RealScalar R>
std::unique_ptr<Model<R>> make_model(const ModelConfig& config, std::uint64_t seed);

}  // namespace argand
