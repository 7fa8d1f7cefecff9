#include "nn/layers/whitening_norms.h"

#include <cmath>
#include <numbers>

#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/elementwise/complex_parts.h"
#include "autograd/ops/shape.h"

namespace argand {

template <RealScalar R>
PlaneAffine<R>::PlaneAffine(Init& init, std::int64_t width)
    : weight(init.full<R>(Role::Gain, {width}, 1 / std::numbers::sqrt2)),
      weight_conj(init.full<std::complex<R>>(Role::Gain, {width}, 0)),
      bias(init.full<std::complex<R>>(Role::Bias, {width}, 0)) {}

template <RealScalar R>
Var<std::complex<R>> PlaneAffine<R>::operator()(const Var<std::complex<R>>& x, bool along_rows) const {
  const auto placed = [&](const auto& p) { return along_rows ? reshape(p, {-1, 1}) : p; };
  return x * placed(weight) + conj(x) * placed(weight_conj) + placed(bias);
}

template <RealScalar R>
Var<std::complex<R>> WhiteningLayerNorm<R>::operator()(const Var<std::complex<R>>& x) const {
  require(x.rank() >= 1 && x.shape().back() == affine.bias.dim(0), "whitening layer norm",
          "the last axis must have size {}, got {}", affine.bias.dim(0), x.shape());
  return affine(whiten(x, eps_));
}

template <RealScalar R>
WhiteningBatchNorm<R>::WhiteningBatchNorm(Init& init, std::int64_t channels, double momentum, double eps)
    : affine(init, channels),
      running{Tensor<std::complex<R>>::zeros({channels}), Tensor<R>::full({channels}, std::numbers::sqrt2_v<R>),
              Tensor<std::complex<R>>::zeros({channels})},
      momentum_(momentum),
      eps_(eps) {
  require(momentum >= 0 && momentum < 1, "whitening batch norm", "momentum must be in [0, 1), got {}", momentum);
}

template <RealScalar R>
Var<std::complex<R>> WhiteningBatchNorm<R>::operator()(const Var<std::complex<R>>& x, bool training) const {
  using C = std::complex<R>;
  const std::int64_t channels = affine.bias.dim(0);
  require(x.rank() >= 2 && x.dim(1) == channels, "whitening batch norm", "the second axis must have {} channels, got {}", channels,
          x.shape());
  // One row per channel: [B, channels, L] -> [channels, B L], and back at the end.
  const std::int64_t B = x.dim(0);
  const Var<C> rows = reshape(permute(reshape(x, {B, channels, -1}), {1, 0, 2}), {channels, -1});
  Var<C> normal;
  if (training) {
    PlaneMoments<R> batch;
    normal = whiten(rows, eps_, &batch);
    const auto move = [&](auto& old, const auto& seen) {
      for (std::int64_t c = 0; c < channels; ++c) old.data()[c] += static_cast<R>(1 - momentum_) * (seen.data()[c] - old.data()[c]);
    };
    move(running.mean, batch.mean);
    move(running.variance, batch.variance);
    move(running.pseudo_variance, batch.pseudo_variance);
  } else {
    const PlaneMaps<R> maps = whitening_maps(running, eps_);
    const auto column = [&](const auto& values) { return constant(values.reshape({channels, 1})); };
    const Var<C> centred = rows - column(running.mean);
    normal = centred * column(maps.w) + conj(centred) * column(maps.v);
  }
  return reshape(permute(reshape(affine(normal, true), {channels, B, -1}), {1, 0, 2}), x.shape());
}

#define ARGAND_WHITENING_NORMS(R)       \
  template class PlaneAffine<R>;        \
  template class WhiteningLayerNorm<R>; \
  template class WhiteningBatchNorm<R>;
ARGAND_FOR_REAL(ARGAND_WHITENING_NORMS)

}  // namespace argand
