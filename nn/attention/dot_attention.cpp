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
Var<R> DotAttention<R>::normalise(const Var<R>& x, const std::optional<RmsNorm<R>>& norm) const {
  if (!norm) return x;
  const std::int64_t B = x.dim(0), T = x.dim(1), D = x.dim(2);
  return reshape((*norm)(reshape(x, {B, T, n_heads_, D / n_heads_})), {B, T, D});
}

template <RealScalar R>
Var<R> DotAttention<R>::operator()(const Var<R>& x, const AttentionPass<R>& pass) const {
  Var<R> q = normalise(q_(x), q_norm_), k = normalise(k_(x), k_norm_);
  if (frequencies_.size() > 0) {
    const Rotary<R> positions{frequencies_, pass.first_position};
    const auto zq = complex_heads(q, n_heads_), zk = complex_heads(k, n_heads_);
    pass.show(zq.value(), zk.value(), n_heads_);
    q = join_heads(rotary(zq, positions));
    k = join_heads(rotary(zk, positions));
  }
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
