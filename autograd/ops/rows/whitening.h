#pragma once
/// Whitening of complex rows: real and imaginary part get equal variance and no correlation.

#include "autograd/var.h"

namespace argand {

/// The distribution of each row's elements around their mean, as points in the plane. One real and one complex number represent the
/// real 2×2 covariance matrix V: trace V = variance, and Vrr - Vii + 2i Vri = pseudo_variance, whose modulus measures the
/// elongation of the distribution and whose phase is twice the angle of its axis.
template <RealScalar R>
struct PlaneMoments {
  Tensor<std::complex<R>> mean;             ///< μ = mean(x), [rows]
  Tensor<R> variance;                       ///< mean|x - μ|²
  Tensor<std::complex<R>> pseudo_variance;  ///< mean (x - μ)²
};

/// x̂ = V^(-1/2) (x - μ) along the last axis, V the covariance matrix of (Re x, Im x) with eps added to its diagonal; x, x̂ [..., D].
/// The parts of x̂ have mean 0, covariance 0 and variance 1 each, so E|x̂|² = 2. `seen` receives the rows' moments, without eps.
/// Throws for rank 0 or an empty last axis, and unless eps > 0.
template <RealScalar R>
Var<std::complex<R>> whiten(const Var<std::complex<R>>& x, double eps = 1e-5, PlaneMoments<R>* seen = nullptr);

/// V^(-1/2) of each row, as the map z -> w z + v conj(z).
template <RealScalar R>
struct PlaneMaps {
  Tensor<R> w;                ///< [rows]
  Tensor<std::complex<R>> v;  ///< [rows]
};
/// The maps that whiten rows with these moments. Throws unless eps > 0.
template <RealScalar R>
PlaneMaps<R> whitening_maps(const PlaneMoments<R>& moments, double eps = 1e-5);

}  // namespace argand
