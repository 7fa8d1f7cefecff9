#include "nn/families/complexformer/phase_attention.h"

#include "autograd/ops/elementwise/complex_parts.h"
#include "autograd/ops/elementwise/rotation.h"
#include "nn/families/complexformer/config.h"

namespace argand {

template <RealScalar R>
PhaseAttention<R>::PhaseAttention(Init& init, const ModelConfig& config)
    : n_heads_(config.n_heads),
      q_(init, config.d_model, config.d_model, config.own<ComplexFormerConfig>().attn_bias),
      k_(init, config.d_model, config.d_model, config.own<ComplexFormerConfig>().attn_bias),
      v_(init, config.d_model, config.d_model, config.own<ComplexFormerConfig>().attn_bias),
      o_(init, config.d_model, config.d_model, config.own<ComplexFormerConfig>().attn_bias) {
  const auto& own = config.own<ComplexFormerConfig>();
  const std::int64_t n = config.d_model / config.n_heads / 2;
  moduli_ = own.adaptation == Adaptation::Magnitudes || own.adaptation == Adaptation::Bias;
  const Shape shape = own.adaptation == Adaptation::Shared ? Shape{n} : Shape{n_heads_, n};
  if (own.adaptation == Adaptation::PerHead || own.adaptation == Adaptation::Shared)
    delta_ = init.normal<R>(Role::Angle, shape, 0.02);
  if (delta_ || own.adaptation == Adaptation::Bias) phase_bias_ = init.full<R>(Role::Angle, shape, 0);
  frequencies_ =
      rotary_frequencies<R>(n, own.rope_base, (own.frequencies == FrequencyLaw::Paper ? 2.0 : 1.0) / static_cast<double>(n));
}

template <RealScalar R>
Var<R> PhaseAttention<R>::operator()(const Var<R>& x, const AttentionPass<R>& pass) const {
  const Rotary<R> positions{frequencies_, pass.first_position};
  Var<std::complex<R>> q = complex_heads(q_(x), n_heads_), k = complex_heads(k_(x), n_heads_);
  pass.show(q.value(), k.value(), n_heads_);
  if (pass.queries != nullptr) pass.queries->push_back(q);
  if (delta_) {
    q = phase_rotation(q, *delta_, *phase_bias_, positions);
    k = phase_rotation(k, *delta_, Var<R>(Tensor<R>::zeros(phase_bias_->shape())), positions);
  } else {  // δ = 1, b = 0: λ e^{i(θ + tω)} is z e^{itω}; δ = 0: λ e^{i(b + tω)}
    if (moduli_) q = to_complex(abs(q)), k = to_complex(abs(k));
    q = phase_bias_ ? phase_rotation(q, Var<R>(Tensor<R>::zeros(phase_bias_->shape())), *phase_bias_, positions)
                    : rotary(q, positions);
    k = rotary(k, positions);
  }
  return o_(pass.attend(join_heads(q), join_heads(k), v_(x), n_heads_));
}

template class PhaseAttention<float>;
template class PhaseAttention<double>;

}  // namespace argand
