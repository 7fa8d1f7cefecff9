#pragma once
/// The pre-norm decoder shared by several families, which differ in their attention layer.

#include <functional>
#include <memory>
#include <vector>

#include "nn/attention/dot_attention.h"
#include "nn/text_model.h"

namespace argand {

/// h += Attn(Norm1(h)); h += FFN(Norm2(h)).
template <RealScalar R>
class DecoderBlock final : public Module<R> {
 public:
  DecoderBlock(Init& init, const ModelConfig& config, std::unique_ptr<SelfAttention<R>> attention);
  /// h [B, T, d_model] -> [B, T, d_model].
  Var<R> operator()(const Var<R>& h, const AttentionPass<R>& pass) const;
  ARGAND_FIELDS(R, norm1_, attn_, norm2_, ffn_)

 private:
  AnyNorm<R> norm1_;
  std::unique_ptr<SelfAttention<R>> attn_;
  AnyNorm<R> norm2_;
  FeedForward<R> ffn_;
};

/// h = E[x] (+ position); blocks; norm; then logits h Eᵀ (tied) or a head.
template <RealScalar R>
class Decoder : public TextModel<R> {
 public:
  /// Creates the attention layer of one block.
  using MakeAttention = std::function<std::unique_ptr<SelfAttention<R>>(Init&)>;
  /// The family of `config` must use a DecoderConfig.
  Decoder(const ModelConfig& config, std::uint64_t seed, const MakeAttention& make_attention);
  ARGAND_FIELDS(R, embedding_, position_, blocks_, norm_, head_)

 protected:
  Var<R> hidden(const Ids& tokens, AttentionPass<R> pass, typename TextModel<R>::LayerCaches* caches) const override;
  OutputLayer<R> output() const override;

 private:
  Init init_;
  Embedding<R> embedding_;
  std::optional<Embedding<R>> position_;
  std::vector<std::unique_ptr<DecoderBlock<R>>> blocks_;
  std::unique_ptr<AnyNorm<R>> norm_;
  std::optional<Linear<R>> head_;  ///< the classifier, or the output layer if embeddings are not tied
};

/// The dot-attention options that correspond to this decoder configuration.
DotAttentionOptions dot_attention_options(const ModelConfig& config);

}  // namespace argand
