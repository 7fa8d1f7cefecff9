#include "nn/families/crat/neighbour_encoder.h"

#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/shape.h"
#include "autograd/tape.h"
#include "nn/families/crat/config.h"

namespace argand {

template <RealScalar R>
EncoderBlock<R>::EncoderBlock(Init& init, const ModelConfig& config, bool attends_to_text)
    : norm1_(init, config.d_model),
      attn_(init, config.d_model, config.n_heads, CratConfig::rope_base),
      norm2_(init, config.d_model),
      ffn_(init, FeedForwardKind::Gelu, config.d_model, config.d_ff, true) {
  if (!attends_to_text) return;
  norm_text_.emplace(init, config.d_model);
  text_.emplace(init, config.d_model, config.n_heads, CratConfig::rope_base);
}

template <RealScalar R>
Var<R> EncoderBlock<R>::operator()(const Var<R>& e, const Var<R>* text, ForwardPass& pass) const {
  Var<R> y = e;
  {
    const NameScope scope("attn");
    const Var<R> x = norm1_(y);
    y = y + pass.drop(attn_(x, x, pass));
  }
  if (text_) {
    const NameScope scope("text");
    const std::int64_t N = text->dim(0), L = y.dim(1), D = y.dim(2);
    const Var<R> x = reshape((*norm_text_)(y), {N, y.dim(0) / N * L, D});
    y = y + pass.drop(reshape((*text_)(x, *text, pass, {.first = 0, .period = L}), y.shape()));
  }
  const NameScope scope("ffn");
  return y + pass.drop(ffn_(norm2_(y)));
}

template <RealScalar R>
NeighbourEncoder<R>::NeighbourEncoder(Init& init, const ModelConfig& config, std::int64_t n_layers, bool attends_to_text)
    : norm_(init, config.d_model) {
  if (attends_to_text) norm_text_.emplace(init, config.d_model);
  for (std::int64_t i = 0; i < n_layers; ++i)
    blocks_.push_back(std::make_unique<EncoderBlock<R>>(init, config, attends_to_text && i == 0));
}

template <RealScalar R>
Var<R> NeighbourEncoder<R>::operator()(const Var<R>& passages, const Var<R>* text, ForwardPass& pass) const {
  const NameScope scope("encoder");
  const std::int64_t N = passages.dim(0), k = passages.dim(1), L = passages.dim(2), D = passages.dim(3);
  const std::optional<Var<R>> heard = norm_text_ ? std::optional((*norm_text_)(*text)) : std::nullopt;
  Var<R> e = pass.drop(reshape(passages, {N * k, L, D}));
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const NameScope block("blocks." + std::to_string(i));
    e = (*blocks_[i])(e, heard ? &*heard : nullptr, pass);
  }
  return reshape(norm_(e), {N, k * L, D});
}

#define ARGAND_NEIGHBOUR_ENCODER(R) \
  template class EncoderBlock<R>;   \
  template class NeighbourEncoder<R>;
ARGAND_FOR_REAL(ARGAND_NEIGHBOUR_ENCODER)

}  // namespace argand
