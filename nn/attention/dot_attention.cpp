#include "nn/attention/dot_attention.h"

#include "autograd/ops/rotation.h"
#include "autograd/ops/shape.h"

namespace argand {

namespace {

/// Does CRoPE's mode make this projection ('q', 'k', 'v' or 'o') complex-linear, or halve its inner width?
bool is_complex(const std::string& mode, char projection) {
  const std::string letters = mode == "qk" ? "qk" : mode == "qkv" ? "qkv" : mode == "all" ? "qkvo" : "";
  return letters.find(projection) != std::string::npos;
}
bool is_half(const std::string& mode, char projection) {
  const std::string letters = mode == "half_qk" ? "qk" : mode == "half_all" ? "qkvo" : "";
  return letters.find(projection) != std::string::npos;
}

template <RealScalar R>
Projection<R> make_projection(Init& init, const ModelConfig& config, char projection) {
  const std::int64_t d = config.d_model, inner = is_half(config.mode, projection) ? d / 2 : d;
  if (is_complex(config.mode, projection)) return Projection<R>::complex(init, d, d);
  return projection == 'o' ? Projection<R>::dense(init, inner, d, config.attn_bias)
                           : Projection<R>::dense(init, d, inner, config.attn_bias);
}

}  // namespace

template <RealScalar R>
DotAttention<R>::DotAttention(Init& init, const ModelConfig& config)
    : n_heads_(config.n_heads),
      q_(make_projection<R>(init, config, 'q')),
      k_(make_projection<R>(init, config, 'k')),
      v_(make_projection<R>(init, config, 'v')),
      o_(make_projection<R>(init, config, 'o')) {
  const std::int64_t d_k = (is_half(config.mode, 'q') ? config.d_model / 2 : config.d_model) / config.n_heads;
  if (config.qk_norm) {
    q_norm_.emplace(init, d_k);
    k_norm_.emplace(init, d_k);
  }
  if (config.position == "rope") frequencies_ = rotary_frequencies<R>(d_k / 2, config.rope_base, 2.0 / static_cast<double>(d_k));
}

template <RealScalar R>
Var<R> DotAttention<R>::prepare(const Var<R>& x, const std::optional<RmsNorm<R>>& norm, std::int64_t first_position) const {
  Var<R> y = x;
  if (norm) {
    const std::int64_t B = x.dim(0), T = x.dim(1), D = x.dim(2);
    y = reshape((*norm)(reshape(y, {B, T, n_heads_, D / n_heads_})), {B, T, D});
  }
  if (frequencies_.size() > 0) y = join_heads(rotary(complex_heads(y, n_heads_), Rotary<R>{frequencies_, first_position}));
  return y;
}

template <RealScalar R>
Var<R> DotAttention<R>::operator()(const Var<R>& x, const AttentionPass<R>& pass) const {
  const Var<R> q = prepare(q_(x), q_norm_, pass.first_position), k = prepare(k_(x), k_norm_, pass.first_position);
  return o_(pass.attend(q, k, v_(x), n_heads_));
}

template <RealScalar R>
void DotAttention<R>::visit(const Visit<R>& f) const {
  f("q", q_);
  f("k", k_);
  f("v", v_);
  f("o", o_);
  f("q_norm", q_norm_);
  f("k_norm", k_norm_);
}

template class DotAttention<float>;
template class DotAttention<double>;

}  // namespace argand
