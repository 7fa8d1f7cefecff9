#pragma once
/// The encoders of retrieved passages in CRAT's baselines, RETRO and Fusion-in-Decoder.

#include <optional>

#include "nn/attention/cross_attention.h"

namespace argand {

/// e += Self(Norm1(e)); e += Text(Norm(e), h) if the block attends to the text; e += FFN(Norm2(e)). There is no causal mask.
template <RealScalar R>
class EncoderBlock final : public Module<R> {
 public:
  EncoderBlock(Init& init, const ModelConfig& config, bool attends_to_text);
  /// e [N·k, L, D]; text: null or the normalised states [N, m, D] of the N chunks. Returns [N·k, L, D].
  Var<R> operator()(const Var<R>& e, const Var<R>* text, ForwardPass& pass) const;
  ARGAND_FIELDS(R, norm1_, attn_, norm_text_, text_, norm2_, ffn_)

 private:
  LayerNorm<R> norm1_;
  CrossAttention<R> attn_;
  std::optional<LayerNorm<R>> norm_text_;
  std::optional<CrossAttention<R>> text_;
  LayerNorm<R> norm2_;
  FeedForward<R> ffn_;
};

/// Blocks with rotary positions, then a norm. With `attends_to_text` the first block also attends to the states of the chunk for
/// which the passages were found: RETRO's encoder (Borgeaud et al., 2022, section 2.4). Otherwise, each passage is preceded by the
/// chunk's tokens: FiD's encoder (Izacard, Grave, "Leveraging passage retrieval with generative models for open domain question
/// answering", EACL 2021, section 3).
template <RealScalar R>
class NeighbourEncoder final : public Module<R> {
 public:
  NeighbourEncoder(Init& init, const ModelConfig& config, std::int64_t n_layers, bool attends_to_text);
  /// Embeddings [N, k, L, D] of k passages for each of N chunks, each encoded separately; text: null or the chunks' states [N, m,
  /// D]. Returns the encoded tokens of all k passages, concatenated: [N, k·L, D].
  Var<R> operator()(const Var<R>& passages, const Var<R>* text, ForwardPass& pass) const;
  ARGAND_FIELDS(R, norm_text_, blocks_, norm_)

 private:
  std::optional<LayerNorm<R>> norm_text_;
  std::vector<std::unique_ptr<EncoderBlock<R>>> blocks_;
  LayerNorm<R> norm_;
};

}  // namespace argand
