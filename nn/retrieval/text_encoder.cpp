#include "nn/retrieval/text_encoder.h"

#include <algorithm>

#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/products/matmul.h"
#include "autograd/ops/rows/cross_entropy.h"
#include "autograd/ops/shape.h"

namespace argand {

template <RealScalar R>
struct TextEncoder<R>::Block final : Module<R> {
  Block(Init& init, const TextEncoderOptions& o)
      : norm1(init, o.width),
        attn(init, {.d_model = o.width, .n_heads = o.n_heads, .rope_base = 10000}),
        norm2(init, o.width),
        ffn(init, FeedForwardKind::Gelu, o.width, o.d_ff, true) {}
  ARGAND_FIELDS(R, norm1, attn, norm2, ffn)

  LayerNorm<R> norm1;
  DotAttention<R> attn;
  LayerNorm<R> norm2;
  FeedForward<R> ffn;
};

template <RealScalar R>
TextEncoder<R>::TextEncoder(Init& init, const TextEncoderOptions& options)
    : embedding_(init, options.vocab_size, options.width, 0.5), out_(init, options.width, options.width) {
  for (std::int64_t i = 0; i < options.n_layers; ++i) blocks_.push_back(std::make_unique<Block>(init, options));
}

template <RealScalar R>
TextEncoder<R>::~TextEncoder() = default;

template <RealScalar R>
Var<R> TextEncoder<R>::operator()(const Ids& tokens) const {
  const std::int64_t B = tokens.shape()[0], T = tokens.shape()[1];
  auto visible = std::make_shared<std::vector<std::uint8_t>>(static_cast<std::size_t>(B * T));
  Tensor<R> weights = Tensor<R>::zeros({B, 1, T});
  for (std::int64_t b = 0; b < B; ++b) {
    const std::int64_t n = T - std::count(tokens.data() + b * T, tokens.data() + (b + 1) * T, pad_id);
    for (std::int64_t t = b * T; t < (b + 1) * T; ++t)
      if (tokens[t] != pad_id) (*visible)[static_cast<std::size_t>(t)] = 1, weights.data()[t] = 1 / static_cast<R>(n);
  }
  ForwardPass pass(ForwardContext{}, 0);
  const AttentionPass<R> everywhere{.forward = pass, .causal = false, .visible_keys = visible};
  Var<R> h = embedding_(tokens);
  for (const auto& block : blocks_) {
    h = h + block->attn(block->norm1(h), everywhere);
    h = h + block->ffn(block->norm2(h));
  }
  return out_(reshape(matmul(Var<R>(weights), h), {B, h.dim(2)}));
}

template <RealScalar R>
void TextEncoder<R>::visit(const Visit<R>& f) const {
  f("embedding", embedding_);
  for (std::size_t i = 0; i < blocks_.size(); ++i) f("blocks." + std::to_string(i), *blocks_[i]);
  f("out", out_);
}

template <RealScalar R>
Var<R> in_batch_loss(const Var<R>& q, const Var<R>& p) {
  require(q.rank() == 2 && q.shape() == p.shape(), "in_batch_loss", "expects q and p [B, width], got {} and {}", q.shape(),
          p.shape());
  Ids own(Shape{q.dim(0)});
  for (std::int64_t i = 0; i < own.size(); ++i) own[i] = static_cast<Ids::value_type>(i);
  return cross_entropy(matmul(q, p, Transpose::No, Transpose::Yes), own);
}

#define ARGAND_TEXT_ENCODER(R)   \
  template class TextEncoder<R>; \
  template Var<R> in_batch_loss(const Var<R>&, const Var<R>&);
ARGAND_FOR_REAL(ARGAND_TEXT_ENCODER)

}  // namespace argand
