#pragma once
/// CRAT's baselines: a real decoder with RoPE that retrieves passages and attends to them as RETRO or Fusion-in-Decoder do.

#include "nn/attention/dot_attention.h"
#include "nn/families/crat/chunk_reader.h"
#include "nn/families/crat/config.h"
#include "nn/families/crat/neighbour_encoder.h"
#include "nn/text_model.h"

namespace argand {

/// h += Attn(Norm1(h)); in retrieving layers, h += Read(NormRead(h), passages); h += FFN(Norm2(h)).
template <RealScalar R>
class BaselineBlock final : public Module<R> {
 public:
  /// RETRO's readers have rotary positions relative to the passage; FiD's have none.
  BaselineBlock(Init& init, const ModelConfig& config, bool reads);
  /// The parts of the block before and after reading; both map h [B, T, d_model] -> [B, T, d_model].
  Var<R> attend(const Var<R>& h, const AttentionPass<R>& pass) const;
  Var<R> feed_forward(const Var<R>& h, const AttentionPass<R>& pass) const;
  /// The term that reading the passages adds to h; each passage consists of `encoded` encoded tokens.
  Var<R> read(const Var<R>& h, const ChunkReader<R>& chunks, const Knowledge& knowledge, std::int64_t encoded,
              ForwardPass& pass) const;
  bool reads() const { return read_.has_value(); }
  ARGAND_FIELDS(R, norm1_, attn_, norm_read_, read_, norm2_, ffn_)

 private:
  LayerNorm<R> norm1_;
  DotAttention<R> attn_;
  std::optional<LayerNorm<R>> norm_read_;
  std::optional<CrossAttention<R>> read_;
  LayerNorm<R> norm2_;
  FeedForward<R> ffn_;
};

/// The transformer with `position: rope`, `tie_embeddings: false`. Its layers `irw_layers` read the irw_top_k passages that a
/// parameter-free search finds for each complete chunk of text (ChunkReader). The passages are encoded once per forward pass.
///   retro: in the first retrieving layer, by an encoder that attends to the chunk's states after this layer's attention.
///   fid:   before the first layer; each passage is preceded by the chunk's tokens.
/// Encoder and decoder share the embedding.
template <RealScalar R>
class BaselineDecoder final : public TextModel<R> {
 public:
  BaselineDecoder(const ModelConfig& config, std::uint64_t seed);
  ARGAND_FIELDS(R, embedding_, blocks_, norm_, head_, encoder_)

 protected:
  Var<R> hidden(const Ids& tokens, AttentionPass<R> pass, typename TextModel<R>::LayerCaches* caches) const override;
  OutputLayer<R> output() const override { return {.weight = head_.weight}; }

 private:
  const CratConfig& own() const { return this->config_.template own<CratConfig>(); }
  /// Encodings of the passages found, [B·U, K, D]; none if no chunk is complete. RETRO's encoder attends to the states h.
  std::optional<Var<R>> encode(ChunkReader<R>& chunks, const Knowledge& knowledge, const Var<R>& h, ForwardPass& pass) const;

  Init init_;
  Embedding<R> embedding_;
  std::vector<std::unique_ptr<BaselineBlock<R>>> blocks_;
  LayerNorm<R> norm_;
  Linear<R> head_;
  NeighbourEncoder<R> encoder_;
};

}  // namespace argand
