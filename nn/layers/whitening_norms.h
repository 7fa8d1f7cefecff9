#pragma once
/// Batch norm and layer norm of complex numbers by whitening (Trabelsi et al., "Deep complex networks", ICLR 2018, section 3.5).
///
/// Dividing by the standard deviation gives z unit variance but does not change the shape of an elongated distribution. Whitening
/// makes it circular: x̂ = V^(-1/2) (x - μ), where V is the 2×2 covariance matrix of (Re x, Im x) (eq. 4 to 6;
/// autograd/ops/rows/whitening.h). A learned symmetric 2×2 matrix and a shift follow (eq. 7 to 10); in complex notation,
///
///     y = Γ x̂ + β = α x̂ + γ conj(x̂) + β,       Γ = [[γrr, γri], [γri, γii]],  α = (γrr + γii)/2,  γ = (γrr - γii)/2 + i γri
///
/// with initial α = 1/√2, γ = 0, β = 0 (γrr = γii = 1/√2, γri = 0: E|y|² = 1). Replacing x by a x + b conj(x) with |a| != |b|
/// leaves x̂ unchanged up to a rotation (and a reflection).

#include "autograd/ops/rows/whitening.h"
#include "nn/init.h"
#include "nn/layers/dropout.h"
#include "nn/module.h"

namespace argand {

/// The learned affine map with α, γ and β.
template <RealScalar R>
class PlaneAffine final : public Module<R> {
 public:
  PlaneAffine(Init& init, std::int64_t width);
  /// x [..., width], or [width, ...] with `along_rows`.
  Var<std::complex<R>> operator()(const Var<std::complex<R>>& x, bool along_rows = false) const;
  ARGAND_FIELDS(R, weight, weight_conj, bias)

  Var<R> weight;                     ///< α [width]
  Var<std::complex<R>> weight_conj;  ///< γ [width]
  Var<std::complex<R>> bias;         ///< β [width]
};

/// Over the last axis: x, y [..., width], width >= 2.
template <RealScalar R>
class WhiteningLayerNorm final : public Module<R> {
 public:
  WhiteningLayerNorm(Init& init, std::int64_t width, double eps = 1e-5) : affine(init, width), eps_(eps) {}
  Var<std::complex<R>> operator()(const Var<std::complex<R>>& x) const;
  void visit(const Visit<R>& f) const override { affine.visit(f); }

  PlaneAffine<R> affine;

 private:
  double eps_;
};

/// Over all axes but the second: x, y [B, channels, ...]. Uses the moments of the batch during a TrainingStep
/// (nn/layers/dropout.h), otherwise the running moments.
template <RealScalar R>
class WhiteningBatchNorm final : public Module<R> {
 public:
  /// running <- momentum · running + (1 - momentum) · batch. Throws if momentum is outside [0, 1).
  WhiteningBatchNorm(Init& init, std::int64_t channels, double momentum = 0.9, double eps = 1e-5);
  /// Updates the running moments during training. Throws if the number of channels differs.
  Var<std::complex<R>> operator()(const Var<std::complex<R>>& x) const { return (*this)(x, TrainingStep::current() != nullptr); }
  Var<std::complex<R>> operator()(const Var<std::complex<R>>& x, bool training) const;
  void visit(const Visit<R>& f) const override {
    affine.visit(f);
    f("running_mean", running.mean);
    f("running_variance", running.variance);
    f("running_pseudo_variance", running.pseudo_variance);
  }

  PlaneAffine<R> affine;
  /// Values per channel, [channels]; initially μ = 0, Vrr = Vii = 1/√2, Vri = 0, as in the paper. They are buffers of the module.
  mutable PlaneMoments<R> running;

 private:
  double momentum_, eps_;
};

}  // namespace argand
