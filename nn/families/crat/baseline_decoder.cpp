#include "nn/families/crat/baseline_decoder.h"

#include <algorithm>

#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/shape.h"
#include "autograd/tape.h"

namespace argand {
namespace {

bool is_retro(const ModelConfig& config) { return config.own<CratConfig>().baseline == Baseline::Retro; }

/// The tokens of each chunk [N, m] followed by those of each of its passages [N, k, L]: [N, k, m + L].
Ids question_and_passage(const Ids& chunks, const Ids& passages) {
  const std::int64_t N = passages.shape()[0], k = passages.shape()[1], L = passages.shape()[2], m = chunks.shape()[1];
  Ids both(Shape{N, k, m + L});
  for (std::int64_t i = 0; i < N * k; ++i) {
    std::copy_n(chunks.data() + i / k * m, m, both.data() + i * (m + L));
    std::copy_n(passages.data() + i * L, L, both.data() + i * (m + L) + m);
  }
  return both;
}

}  // namespace

template <RealScalar R>
BaselineBlock<R>::BaselineBlock(Init& init, const ModelConfig& config, bool reads)
    : norm1_(init, config.d_model),
      attn_(init, {.d_model = config.d_model, .n_heads = config.n_heads, .rope_base = CratConfig::rope_base}),
      norm2_(init, config.d_model),
      ffn_(init, FeedForwardKind::Gelu, config.d_model, config.d_ff, true) {
  if (!reads) return;
  norm_read_.emplace(init, config.d_model);
  read_.emplace(init, config.d_model, config.n_heads, is_retro(config) ? std::optional(CratConfig::rope_base) : std::nullopt);
}

template <RealScalar R>
Var<R> BaselineBlock<R>::attend(const Var<R>& h, const AttentionPass<R>& pass) const {
  const NameScope scope("attn");
  return h + pass.drop(attn_(norm1_(h), pass));
}

template <RealScalar R>
Var<R> BaselineBlock<R>::feed_forward(const Var<R>& h, const AttentionPass<R>& pass) const {
  const NameScope scope("ffn");
  return h + pass.drop(ffn_(norm2_(h)));
}

template <RealScalar R>
Var<R> BaselineBlock<R>::read(const Var<R>& h, const ChunkReader<R>& chunks, const Knowledge& knowledge, std::int64_t encoded,
                              ForwardPass& pass) const {
  const NameScope scope("read");
  const Var<R> x = (*norm_read_)(h);
  // A passage starts at the position of its chunk's first token. The first token to read it is the chunk's last one, so the
  // positions of readers start at m - 1.
  const Places readers{.first = chunk_length(*knowledge.passages) - 1}, of_passage{.first = 0, .period = encoded};
  chunks.show_attention(knowledge, x, [&](const Var<R>& queries, const Var<R>& memory) {
    return read_->shares(queries, memory, memory.dim(1) / encoded, readers, of_passage);
  });
  return chunks.read(
      x, [&](const Var<R>& queries, const Var<R>& memory) { return (*read_)(queries, memory, pass, readers, of_passage); });
}

template <RealScalar R>
BaselineDecoder<R>::BaselineDecoder(const ModelConfig& config, std::uint64_t seed)
    : TextModel<R>(config),
      init_(seed),
      embedding_(init_, config.vocab_size, config.d_model, 0.5),
      norm_(init_, config.d_model),
      head_(init_, config.d_model, config.vocab_size, false, Role::Output),
      encoder_(init_, config, config.own<CratConfig>().encoder_layers, is_retro(config)) {
  for (std::int64_t i = 0; i < config.n_layers; ++i)
    blocks_.push_back(std::make_unique<BaselineBlock<R>>(init_, config, own().retrieves_in(i)));
}

template <RealScalar R>
std::optional<Var<R>> BaselineDecoder<R>::encode(ChunkReader<R>& chunks, const Knowledge& knowledge, const Var<R>& h,
                                                 ForwardPass& pass) const {
  const bool retro = is_retro(this->config_);
  const std::optional<Var<R>> text = retro ? std::optional(chunks.states(h)) : std::nullopt;
  if (chunks.count() == 0) return std::nullopt;
  const Ids passages = chunks.passages(knowledge);
  const Ids tokens = retro ? passages : question_and_passage(chunks.chunks(), passages);
  return encoder_(embedding_(tokens), text ? &*text : nullptr, pass);
}

template <RealScalar R>
Var<R> BaselineDecoder<R>::hidden(const Ids& tokens, AttentionPass<R> pass, typename TextModel<R>::LayerCaches* caches) const {
  const ForwardContext& context = pass.context();
  const Knowledge* knowledge = context.knowledge;
  require(knowledge != nullptr && knowledge->passages != nullptr && knowledge->search != nullptr, "crat",
          "baseline {} needs a knowledge base, but none was given", word_of(own().baseline));
  ChunkCache<R>* past = caches == nullptr ? nullptr : &caches->front().template own<ChunkCache<R>>();
  const bool retro = own().baseline == Baseline::Retro;
  const std::int64_t m = chunk_length(*knowledge->passages), L = knowledge->passages->shape()[1];
  ChunkReader<R> chunks(tokens, pass.first_position, m, past);
  chunks.look_up(*knowledge, own().irw_top_k, context.excluded);
  Var<R> h = embedding_(tokens);
  bool encoded = false;
  const auto encode_once = [&] {
    if (!encoded) chunks.set_encodings(encode(chunks, *knowledge, h, pass.forward));
    encoded = true;
  };
  if (!retro) encode_once();
  h = pass.drop(h);
  this->for_each_layer(pass, caches, [&](std::size_t i, const AttentionPass<R>& layer_pass) {
    h = blocks_[i]->attend(h, layer_pass);
    if (blocks_[i]->reads()) {
      encode_once();
      h = h + pass.drop(blocks_[i]->read(h, chunks, *knowledge, retro ? L : m + L, pass.forward));
    }
    h = blocks_[i]->feed_forward(h, layer_pass);
  });
  return norm_(h);
}

#define ARGAND_BASELINE_DECODER(R) \
  template class BaselineBlock<R>; \
  template class BaselineDecoder<R>;
ARGAND_FOR_REAL(ARGAND_BASELINE_DECODER)

}  // namespace argand
