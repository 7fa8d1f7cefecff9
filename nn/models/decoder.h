#pragma once
/// The pre-norm decoder that transformer, ComplexFormer and their relatives share; they differ in the attention layer.

#include <functional>
#include <memory>
#include <vector>

#include "nn/attention/self_attention.h"
#include "nn/model.h"

namespace argand {

/// h += Attn(Norm1(h)); h += FFN(Norm2(h)).
template <RealScalar R>
class DecoderBlock final : public Module<R> {
 public:
  DecoderBlock(Init& init, const ModelConfig& config, std::unique_ptr<SelfAttention<R>> attention);
  /// h [B, T, d_model] -> [B, T, d_model].
  Var<R> operator()(const Var<R>& h, const AttentionPass<R>& pass) const;
  void visit(const Visit<R>& f) const override;

 private:
  AnyNorm<R> norm1_;
  std::unique_ptr<SelfAttention<R>> attn_;
  AnyNorm<R> norm2_;
  FeedForward<R> ffn_;
};

/// h = E[x] (+ position); blocks; norm; then logits h Eᵀ (tied) or a head. Classification: bidirectional attention with a key
/// padding mask (id 0 is padding), mean over the other positions, linear head.
template <RealScalar R>
class Decoder : public Model<R>, public Module<R> {
 public:
  Var<R> logits(const Ids& tokens, const ForwardContext& context = {}) override;
  Loss<R> loss(const Ids& tokens, const Ids& targets, const ForwardContext& context = {}) override;
  std::unique_ptr<KeyValueCache> make_cache(std::int64_t batch) const override;
  Tensor<R> next_logits(const Ids& tokens, KeyValueCache& cache) override;
  ParameterList<R> parameters() override { return parameters_of<R>(*this); }
  void visit(const Visit<R>& f) const override;

 protected:
  using MakeAttention = std::function<std::unique_ptr<SelfAttention<R>>(Init&, const ModelConfig&)>;
  Decoder(const ModelConfig& config, std::uint64_t seed, const MakeAttention& make_attention);

  /// Queries of every layer, complex [B, T, H, d_k/2], gathered when wants_queries(): what an auxiliary loss may look at.
  using Queries = std::vector<Var<std::complex<R>>>;
  virtual bool wants_queries() const { return false; }
  /// A loss to add, already weighted. Only called when wants_queries().
  virtual Var<R> auxiliary_loss(const Ids& tokens, const Queries& queries) const;

 private:
  struct Cache;
  /// Final hidden states after the last norm, [B, T, d_model].
  Var<R> hidden(const Ids& tokens, Pass& pass, Cache* cache, Queries* queries) const;
  /// Mean over the positions that are not padding: [B, T, d] -> [B, d].
  Var<R> pool(const Var<R>& h, const Ids& tokens) const;
  const Var<R>& output_weight() const { return head_ ? head_->weight : embedding_.weight; }

  Init init_;
  Embedding<R> embedding_;
  std::optional<Embedding<R>> position_;
  std::vector<std::unique_ptr<DecoderBlock<R>>> blocks_;
  std::unique_ptr<AnyNorm<R>> norm_;
  std::optional<Linear<R>> head_;  ///< the classifier, or the output layer where it is not tied
};

}  // namespace argand
