#pragma once
/// Encodes a text as a single vector, for dense passage retrieval (DPR).

#include "nn/attention/dot_attention.h"

namespace argand {

struct TextEncoderOptions {
  std::int64_t vocab_size = 0;
  std::int64_t width = 128;   ///< width of embeddings, states and result
  std::int64_t n_layers = 1;  ///< 0 gives a bag of words
  std::int64_t n_heads = 4;
  std::int64_t d_ff = 256;
};

/// vector = W mean_t(h_t) + b over the non-padding tokens t. h = E[x], then in every layer h += Attn(Norm1(h)) with rotary
/// positions, bidirectional with padding masked, and h += FFN(Norm2(h)).
template <RealScalar R>
class TextEncoder final : public Module<R> {
 public:
  TextEncoder(Init& init, const TextEncoderOptions& options);
  ~TextEncoder() override;
  /// tokens [B, T], padded with pad_id -> [B, width]. For a text without tokens, the input of W is 0.
  Var<R> operator()(const Ids& tokens) const;
  void visit(const Visit<R>& f) const override;

 private:
  struct Block;
  Embedding<R> embedding_;
  std::vector<std::unique_ptr<Block>> blocks_;
  Linear<R> out_;
};

/// DPR's loss: the mean over i of -log softmax(q_i · p_j)_ij at j = i. The passages in the other rows of the batch are the
/// negatives: InfoNCE with in-batch negatives. q, p [B, width]. Source: Karpukhin et al., "Dense passage retrieval for open-domain
/// question answering", EMNLP 2020, section 3.2.
template <RealScalar R>
Var<R> in_batch_loss(const Var<R>& q, const Var<R>& p);

}  // namespace argand
