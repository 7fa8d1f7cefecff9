#pragma once
/// The parts common to the models of all families: token checks, padding masks, pooling, the output layer, caches. A family defines
/// how tokens become features.

#include <memory>
#include <vector>

#include "autograd/tape.h"
#include "nn/attention/self_attention.h"
#include "nn/model.h"

namespace argand {

/// logits = h Wᵀ + b.
template <RealScalar R>
struct OutputLayer {
  Var<R> weight;                 ///< W [vocab_size or n_classes, D]
  const Var<R>* bias = nullptr;  ///< b, or null
};

/// Language models use causal attention and give logits at every position. Classifiers use bidirectional attention with a key
/// padding mask (pad_id is padding) and give logits from the mean over the other positions.
template <RealScalar R>
class TextModel : public Model<R> {
 public:
  Var<R> logits(const Ids& tokens, const ForwardContext& context = {}) override;
  Loss<R> loss(const Ids& tokens, const Ids& targets, const ForwardContext& context = {}) override;
  std::unique_ptr<KeyValueCache> make_cache(std::int64_t batch) const override;
  Tensor<R> next_logits(const Ids& tokens, KeyValueCache& cache, const ForwardContext& context = {}) override;

 protected:
  using Model<R>::Model;
  /// One cache per layer, used in generation.
  using LayerCaches = std::vector<LayerCache<R>>;
  /// The complex queries [B, T, H, d_k/2] of every layer, collected for an auxiliary loss if wants_queries().
  using Queries = std::vector<Var<std::complex<R>>>;

  /// tokens [B, T] -> input of the output layer [B, T, D]. `caches` are for for_each_layer(); null unless generating.
  virtual Var<R> hidden(const Ids& tokens, AttentionPass<R> pass, LayerCaches* caches) const = 0;
  virtual OutputLayer<R> output() const = 0;

  /// For hidden(): calls f(i, pass) for each layer in turn, within the layer's name scope and with the layer's cache.
  template <class F>
  void for_each_layer(AttentionPass<R> pass, LayerCaches* caches, const F& f) const {
    for (std::size_t i = 0; i < static_cast<std::size_t>(this->config_.n_layers); ++i) {
      const NameScope scope("blocks." + std::to_string(i));
      pass.cache = caches != nullptr ? &(*caches)[i] : nullptr;
      f(i, pass);
    }
  }

  virtual bool wants_queries() const { return false; }
  /// An additional loss, already weighted. Called only if wants_queries().
  virtual Var<R> auxiliary_loss(const Ids& tokens, const Queries& queries) const;

 private:
  struct Cache;
  Var<R> features(const Ids& tokens, const ForwardContext& context, Cache* cache, Queries* queries) const;
  /// Mean over the non-padding positions: [B, T, D] -> [B, D].
  Var<R> pool(const Var<R>& h, const Ids& tokens) const;
};

}  // namespace argand
