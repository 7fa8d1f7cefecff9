#include "nn/families/qic/magnitude_layers.h"

#include "autograd/ops/rows/magnitude_activation.h"
#include "autograd/ops/rows/magnitude_norm.h"

namespace argand {

template <RealScalar R>
MagnitudeNorm<R>::MagnitudeNorm(Init& init, MagnitudeNormKind kind, std::int64_t width)
    : centred_(kind == MagnitudeNormKind::LayerNorm), weight_(init.full<R>(Role::Gain, {width}, 1)) {}
template <RealScalar R>
Var<R> MagnitudeNorm<R>::operator()(const Var<R>& x, const Measure<R>& measure) const {
  return centred_ ? magnitude_layer_norm(x, weight_, measure) : magnitude_rms_norm(x, weight_, measure);
}
template <RealScalar R>
MagnitudeActivation<R>::MagnitudeActivation(Init& init, MagnitudeActivationKind kind, std::int64_t width) : kind_(kind) {
  if (kind == MagnitudeActivationKind::ModRelu) bias_ = init.full<R>(Role::Bias, {width}, 0);
}
template <RealScalar R>
Var<R> MagnitudeActivation<R>::operator()(const Var<R>& x, const Measure<R>& measure) const {
  if (bias_) return magnitude_modrelu(x, *bias_, measure);
  return kind_ == MagnitudeActivationKind::Gelu ? magnitude_gelu(x, measure) : magnitude_relu(x, measure);
}
#define ARGAND_MAGNITUDE_LAYERS(R) \
  template class MagnitudeNorm<R>; \
  template class MagnitudeActivation<R>;
ARGAND_FOR_REAL(ARGAND_MAGNITUDE_LAYERS)

}  // namespace argand
