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
  /// Index of the training step. A dropout mask is a pure function of (seed, step, site, element); a pass with dropout throws
  /// without a step, since every step would then drop the same activations.
  std::optional<std::uint64_t> step{};
  const Knowledge* knowledge = nullptr;  ///< the knowledge base of reflection windows; null for models without one
  /// For each row of the batch, passages to exclude from retrieval, such as those that overlap the targets; empty: none.
  std::vector<RowRange> excluded{};
  /// Class weights of a classifier's loss [n_classes]; null: all 1.
  const std::vector<double>* class_weights = nullptr;
  const AttentionWatch* watch = nullptr;  ///< observer of the attention layers; null: none, at no cost
};

/// Keys and values of past tokens, for generation, and encodings of passages. Belongs to one model and one batch;
/// parameters and passages must not change while it is in use.
struct KeyValueCache {
  virtual ~KeyValueCache() = default;
  std::int64_t length = 0;  ///< past tokens
};

template <RealScalar R>
struct Loss {
  Var<R> total;                       ///< the loss to differentiate: cross entropy + auxiliary
  double cross_entropy = 0;           ///< nats per token (or per text)
  std::optional<double> auxiliary{};  ///< weighted, e.g. the phase contrastive loss; empty when the model has none
};

template <RealScalar R>
class Model : public Module<R> {
 public:
  const ModelConfig& config() const { return config_; }

  /// tokens [B, T] -> logits [B, T, vocab_size] (lm) or [B, n_classes] (classify).
  /// Throws for T > max_seq_len, a token id outside the vocabulary, or (classify) a text of padding only.
  virtual Var<R> logits(const Ids& tokens, const ForwardContext& context = {}) = 0;
  /// Mean cross entropy of targets, weighted by context.class_weights, plus auxiliary losses; never holds all logits of a large
  /// vocabulary. targets: [B] for classifiers; otherwise [B, n], the tokens that follow the last n, 1 <= n <= T: earlier tokens are
  /// unscored context.
  virtual Loss<R> loss(const Ids& tokens, const Ids& targets, const ForwardContext& context = {}) = 0;

  /// An empty cache for a batch of this many sequences.
  virtual std::unique_ptr<KeyValueCache> make_cache(std::int64_t batch) const = 0;
  /// Feeds the next tokens [B, t] of each sequence -> logits of the last one [B, vocab_size]; extends the cache. Records nothing.
  virtual Tensor<R> next_logits(const Ids& tokens, KeyValueCache& cache, const ForwardContext& context = {}) = 0;

  /// Encodings of passages [P, L] by each reflection window, [P, irw_dim]; empty for models without windows. Records nothing.
  virtual std::vector<Tensor<R>> encode_passages(const Ids&) const { return {}; }

  /// All parameters, in a fixed order.
  ParameterList<R> parameters() const { return parameters_of<R>(*this); }

 protected:
  explicit Model(ModelConfig config) : config_(std::move(config)) {}
  ModelConfig config_;
};

/// Builds the family's model with its initial parameters, a pure function of (config, seed).
template <RealScalar R>
std::unique_ptr<Model<R>> make_model(const ModelConfig& config, std::uint64_t seed);

}  // namespace argand
