#pragma once
/// The interface between a decoder's blocks and a self-attention layer.

#include <concepts>
#include <memory>
#include <vector>

#include "autograd/ops/attention/attention.h"
#include "nn/layers.h"
#include "nn/pass.h"

namespace argand {

/// Base class for state that a family adds to a layer's cache.
struct FamilyCache {
  virtual ~FamilyCache() = default;
};

/// Keys and values of one layer, [B, length, width], cached during generation.
template <RealScalar R>
struct LayerCache {
  Tensor<R> k, v;

  /// State specific to the family, created on first use; a model uses only one type C.
  template <std::derived_from<FamilyCache> C>
  C& own() {
    if (!own_) own_ = std::make_unique<C>();
    return static_cast<C&>(*own_);
  }

 private:
  std::unique_ptr<FamilyCache> own_;
};

/// The arguments of one attention layer in one forward pass.
template <RealScalar R>
struct AttentionPass {
  ForwardPass& forward;
  bool causal = true;
  std::shared_ptr<const std::vector<std::uint8_t>> visible_keys = nullptr;  ///< as in AttentionOptions
  std::int64_t first_position = 0;                                          ///< number of cached tokens before the first query
  LayerCache<R>* cache = nullptr;                                           ///< null unless generating
  std::vector<Var<std::complex<R>>>* queries = nullptr;  ///< collects each layer's complex queries for the phase contrastive loss

  const ForwardContext& context() const { return forward.context(); }
  /// Applies dropout to x at the next dropout site.
  template <Scalar T>
  Var<T> drop(const Var<T>& x) const {
    return forward.drop(x);
  }
  /// Options for the next attention op, with n_heads heads; draws its dropout mask.
  AttentionOptions options(std::int64_t n_heads, double scale) const;
  /// During generation, appends the new keys and values [B, t, width] to the cache and sets k and v to all cached ones.
  void remember(Var<R>& k, Var<R>& v) const;
  /// Passes queries and keys [B, t, n_heads · n] or [B, t, n_heads, n] to the observer, before they are rotated by position.
  void show(const Tensor<std::complex<R>>& q, const Tensor<std::complex<R>>& k, std::int64_t n_heads) const;
  /// Returns attend(values), where values is [B, Tk, H·d_v], and passes the attention weights to the observer.
  template <Scalar T, class Attend>
  Var<T> watched(const Var<T>& values, std::int64_t n_heads, const Attend& attend) const {
    if (const AttentionWatch* watch = context().watch; watch != nullptr && watch->weights)
      watch->weights(attention_weights<T>(values.dim(0), values.dim(1), n_heads, attend));
    return attend(values);
  }
  /// attention() of the new queries over cached and new keys; the new ones are cached. Scores are scaled by 1/sqrt(d_k).
  Var<R> attend(const Var<R>& q, const Var<R>& k, const Var<R>& v, std::int64_t n_heads) const;
};

template <RealScalar R>
class SelfAttention : public Module<R> {
 public:
  /// x [B, T, d_model] -> [B, T, d_model].
  virtual Var<R> operator()(const Var<R>& x, const AttentionPass<R>& pass) const = 0;
};

/// Views [B, T, D] as complex [B, T, H, D/(2H)]: interleaved pairs, heads in order. No copy.
template <RealScalar R>
Var<std::complex<R>> complex_heads(const Var<R>& x, std::int64_t n_heads);
/// The inverse of complex_heads.
template <RealScalar R>
Var<R> join_heads(const Var<std::complex<R>>& z);

}  // namespace argand
