#pragma once
/// CRAT: states of d/2 complex numbers, rotated by learned angles, that attend to each other by phase; reflection windows may use
/// the imaginary parts of the states to retrieve passages.

#include <memory>
#include <vector>

#include "nn/families/crat/angular_attention.h"
#include "nn/families/crat/reflection_window.h"
#include "nn/text_model.h"

namespace argand {

/// z += Attn(RMSNorm(z)); z += Window(z) in layers that have a window; z += down(gelu(up(RMSNorm(z)))), where the GELU acts on real
/// and imaginary parts separately. All weights have the states' type T.
template <Scalar T>
class CratBlock final : public Module<RealOf<T>> {
 public:
  using R = RealOf<T>;
  /// States have n components; the feed-forward inner width is n_ff.
  CratBlock(Init& init, const ModelConfig& config, std::int64_t n, std::int64_t n_ff, bool has_window);
  /// z [B, t, n] -> [B, t, n]. `means` and `lookup` are for the window, if there is one.
  Var<T> operator()(const Var<T>& z, const AttentionPass<R>& pass, PassageMeans<R>* means, const Lookup<R>& lookup) const;
  void visit(const Visit<R>& f) const override;

  const std::optional<ReflectionWindow<T>>& window() const { return irw_; }

 private:
  RmsNorm<T> norm1_;
  AngularAttention<T> attn_;
  std::optional<ReflectionWindow<T>> irw_;
  RmsNorm<T> norm2_;
  Linear<T> up_, down_;
};

/// h = E[x] + b_E + PE with phases φ; z = (W_re h + b) + i (W_im h + b), times e^{iϑ}, ϑ = W_θ h + b; blocks; o = LayerNorm(W_out
/// [Re z; Im z] + b); logits = W_lm o + b_lm. T is complex<R>, or R for the ablation `states: real`, where z = W_re h + b has d
/// real components.
template <Scalar T>
class Crat final : public TextModel<RealOf<T>> {
 public:
  using R = RealOf<T>;
  Crat(const ModelConfig& config, std::uint64_t seed);
  void visit(const Visit<R>& f) const override;
  std::vector<Tensor<R>> encode_passages(const Ids& passages) const override;

 protected:
  Var<R> hidden(const Ids& tokens, AttentionPass<R> pass, typename TextModel<R>::LayerCaches* caches) const override;
  OutputLayer<R> output() const override;

 private:
  /// The initial states, from token ids and their positions.
  Var<T> states(const Ids& tokens, const AttentionPass<R>& pass) const;

  Init init_;
  Embedding<R> embedding_;
  Var<R> embedding_bias_;
  std::optional<Var<R>> phase_;
  Linear<R> re_;
  std::optional<Linear<R>> im_, theta_;
  std::vector<std::unique_ptr<CratBlock<T>>> blocks_;
  Linear<R> out_;
  LayerNorm<R> out_norm_;
  Linear<R> head_;
};

}  // namespace argand
