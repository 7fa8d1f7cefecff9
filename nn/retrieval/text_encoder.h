#pragma once
/// A text as one vector: what retrieval by dense passages (DPR) compares.

#include "nn/attention/dot_attention.h"

namespace argand {

struct TextEncoderOptions {
  std::int64_t vocab_size = 0;
  std::int64_t width = 128;   ///< of embeddings, states and the vector
  std::int64_t n_layers = 1;  ///< 0: a bag of words
  std::int64_t n_heads = 4;
  std::int64_t d_ff = 256;
};

/// vector = W mean_t(h_t) + b over the tokens t that are not padding, h = E[x] and then, in every layer, h += Attn(Norm1(h)) with
/// rotary positions, everywhere visible but for padding, and h += FFN(Norm2(h)).
template <RealScalar R>
class TextEncoder final : public Module<R> {
 public:
  TextEncoder(Init& init, const TextEncoderOptions& options);
  ~TextEncoder() override;
  /// tokens [B, T], pad_id is padding -> [B, width]; 0 goes into W for a text without tokens.
  Var<R> operator()(const Ids& tokens) const;
  void visit(const Visit<R>& f) const override;

 private:
  struct Block;
  Embedding<R> embedding_;
  std::vector<std::unique_ptr<Block>> blocks_;
  Linear<R> out_;
};

/// DPR's loss: -log softmax(q_i · p_j)_ij at j = i, the mean over i. The passages of the other rows of a batch are the negatives:
/// InfoNCE with in-batch negatives. q, p [B, width]. Source: Karpukhin et al., "Dense passage retrieval for open-domain question
/// answering", EMNLP 2020, section 3.2.
template <RealScalar R>
Var<R> in_batch_loss(const Var<R>& q, const Var<R>& p);

}  // namespace argand
