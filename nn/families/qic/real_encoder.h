#pragma once
/// The real models of QIC's table: the standard transformer of its paper, and one with as many parameters as QIC.

#include "nn/attention/dot_attention.h"
#include "nn/families/qic/config.h"
#include "nn/text_model.h"

namespace argand {

/// For the `standard` row, returns the configuration unchanged. For the `real` row, chooses the width (a multiple of n_heads, with
/// d_ff in proportion) that brings the standard transformer's parameter count closest to that of QIC with this configuration.
ModelConfig real_row(const ModelConfig& config);

/// x = E[tokens] + P[positions]; blocks x = Norm(x + Attn(x)), x = Norm(x + FFN(x)); a separate output layer with bias. Norms
/// follow the sub-layers, without a final norm, as in Vaswani et al. (2017) and PyTorch's TransformerEncoderLayer: only this gives
/// the paper's standard model its 1 466 370 parameters (5002 words, 256 positions, d 128, 4 layers, d_ff 512, 2 classes).
template <RealScalar R>
class RealEncoder final : public TextModel<R> {
 public:
  RealEncoder(const ModelConfig& config, std::uint64_t seed);
  ARGAND_FIELDS(R, embedding_, position_, blocks_, head_)

 protected:
  Var<R> hidden(const Ids& tokens, AttentionPass<R> pass, typename TextModel<R>::LayerCaches* caches) const override;
  OutputLayer<R> output() const override { return {.weight = head_.weight, .bias = &*head_.bias}; }

 private:
  class Block final : public Module<R> {
   public:
    Block(Init& init, const ModelConfig& config);
    Var<R> operator()(const Var<R>& x, const AttentionPass<R>& pass) const;
    void visit(const Visit<R>& f) const override;

   private:
    DotAttention<R> attn_;
    LayerNorm<R> norm1_;
    FeedForward<R> ffn_;
    LayerNorm<R> norm2_;
  };

  RealEncoder(const ModelConfig& config, const ModelConfig& row, std::uint64_t seed);
  Init init_;
  Embedding<R> embedding_, position_;
  std::vector<std::unique_ptr<Block>> blocks_;
  Linear<R> head_;
};

}  // namespace argand
