#include "autograd/ops/rows/norm.h"

#include <algorithm>
#include <cmath>

#include "autograd/op_check.h"
#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/elementwise/complex_parts.h"
#include "autograd/ops/elementwise/power.h"
#include "autograd/ops/rows/reduction.h"
#include "autograd/ops/rows/row_scale.h"
#include "autograd/ops/rows/scalar_product.h"
#include "autograd/tape.h"
#include "core/kernels/pack.h"
#include "core/parallel.h"

namespace argand {

static const Op layer_norm_op(
    {.name = "layer_norm",
     .kind = Kind::General,
     .equation = "y = x̂ γ + b, x̂ = (x - μ)/σ, μ = mean(x), σ² = mean|x - μ|² + eps",
     .dz = "∂x̂_j/∂x_k = (δ_jk - 1/D)/σ - x̂_j conj(x̂_k)/(2Dσ)",
     .dzbar = "∂x̂_j/∂x̄_k = -x̂_j x̂_k/(2Dσ)",
     .vjp = "with g = γ dy:  dx = (g - mean(g) - x̂ mean(Re(conj(x̂) g)))/σ,  dγ = Σ Re(conj(x̂) dy),  db = Σ dy",
     .jvp = "with u = (ẋ - mean(ẋ))/σ:  ẏ = γ (u - x̂ mean(Re(conj(x̂) u))) + γ̇ x̂ + ḃ",
     .derivation = "σ² depends on z and z̄, so the map is general even though x - μ is linear. ∂σ/∂x_k = conj(x_k - μ)/(2Dσ) (the "
                   "term in ∂μ sums to 0), which gives the two derivatives above; then dx_k = Σ_j conj(∂x̂_j/∂x_k) g_j + "
                   "(∂x̂_j/∂x̄_k) conj(g_j) = (g_k - mean(g))/σ - x̂_k/(Dσ) Σ_j Re(conj(x̂_j) g_j). For real x the conjugates drop "
                   "out, which leaves the usual formula. Forward: σ̇ = mean(Re(conj(x - μ) ẋ))/σ, and x̂ σ = x - μ gives x̂̇ = (ẋ - μ̇ "
                   "- x̂ σ̇)/σ; as x̂ has mean 0, σ̇/σ = mean(Re(conj(x̂) u)).",
     .singular = "none: eps keeps σ > 0",
     .source = "Ba, Kiros, Hinton, Layer Normalization (2016), eq. 4"},
    [](OpCheck& check) {
      const auto f = [](auto x, auto gain, auto bias) { return layer_norm(x, gain, bias); };
      check.function("real", f, check.real({3, 5}), check.real({5}), check.real({5}));
      check.function("complex", f, check.complex({3, 4}), check.real({4}), check.complex({4}));
      check.sizes("", [f](OpCheck& at, std::int64_t n) {
        at.function("real, width", f, at.real({3, n}), at.real({n}), at.real({n}));
        at.function("real, rows", f, at.real({n, 5}), at.real({5}), at.real({5}));
        at.function("complex, width", f, at.complex({3, n}), at.real({n}), at.complex({n}));
        at.function("complex, rows", f, at.complex({n, 3}), at.real({3}), at.complex({3}));
      });
      const auto flat = [](auto x) {
        using T = typename decltype(x)::value_type;
        return layer_norm(x, Var<RealOf<T>>(Tensor<RealOf<T>>::ones({3})), Var<T>(Tensor<T>::zeros({3})));
      };
      check.finite("a constant row", flat, Tensor<double>::full({2, 3}, 2.0));
      check.finite("huge", flat, Tensor<double>({1, 3}, {1e15, -3e15, 2e14}));
    });

static const Op rms_norm_op({.name = "rms_norm",
                             .kind = Kind::General,
                             .equation = "y = x̂ γ, x̂ = x/ρ, ρ² = mean|x|² + eps",
                             .dz = "∂x̂_j/∂x_k = δ_jk/ρ - x̂_j conj(x̂_k)/(2Dρ)",
                             .dzbar = "∂x̂_j/∂x̄_k = -x̂_j x̂_k/(2Dρ)",
                             .vjp = "with g = γ dy:  dx = (g - x̂ mean(Re(conj(x̂) g)))/ρ,  dγ = Σ Re(conj(x̂) dy)",
                             .jvp = "with u = ẋ/ρ:  ẏ = γ (u - x̂ mean(Re(conj(x̂) u))) + γ̇ x̂",
                             .derivation = "∂ρ/∂x_k = conj(x_k)/(2Dρ), then as for layer_norm, without the mean.",
                             .singular = "none: eps keeps ρ > 0",
                             .source = "Zhang, Sennrich, Root Mean Square Layer Normalization (2019), eq. 4"},
                            [](OpCheck& check) {
                              const auto f = [](auto x, auto gain) { return rms_norm(x, gain); };
                              check.function("real", f, check.real({3, 5}), check.real({5}));
                              check.function("complex", f, check.complex({3, 4}), check.real({4}));
                              check.sizes("", [f](OpCheck& at, std::int64_t n) {
                                at.function("real, width", f, at.real({3, n}), at.real({n}));
                                at.function("real, rows", f, at.real({n, 5}), at.real({5}));
                                at.function("complex, width", f, at.complex({3, n}), at.real({n}));
                                at.function("complex, rows", f, at.complex({n, 3}), at.real({3}));
                              });
                              check.finite("zero", f, Tensor<double>::zeros({2, 3}), Tensor<double>::ones({3}));
                            });

namespace {

/// Both norms: with the mean subtracted (layer norm) or not (RMS norm).
template <Scalar T>
struct Norm {
  using R = RealOf<T>;
  static constexpr std::int64_t block =
      64;  // rows whose parameter gradients are summed together; fixed, so sums do not depend on threads
  std::int64_t rows, D;
  Tensor<T> mean;   ///< [rows]; empty for RMS norm
  Tensor<T> rest;   ///< correction: the exact mean is mean + rest; 0 where the rounding is small compared with σ
  Tensor<R> scale;  ///< 1/σ or 1/ρ, [rows]

  Norm(const Shape& shape, bool centred)
      : rows(shape.rows()), D(shape.back()), mean(centred ? Shape{rows} : Shape{0}), rest(mean.shape()), scale(Shape{rows}) {}

  Tensor<T> forward(const Tensor<T>& x, const Tensor<R>& gain, const Tensor<T>* bias, R eps) {
    Tensor<T> y(x.shape());
    parallel_for(rows, 16, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row) {
        const T* in = x.data() + row * D;
        T* out = y.data() + row * D;
        const R* g = gain.data();
        // Σ|x - μ|² of x times `down`, a power of two below 1 where the squares would overflow.
        R down = 1, square = 0;
        T mu = 0, left = 0;
        const auto sum_squares = [&] {
          PackOf<T> total(T(0));
          square = pack_sum<R>(0, D, [&](auto at) {
            const PackOf<T> d = (at.load(in) * Pack<R>(down) - PackOf<T>(mu)) - PackOf<T>(left);
            total += at.fill_tail(d);
            return real_dot(d, d);
          });
          return sum(total) / static_cast<R>(D);
        };
        const auto measure = [&] {
          left = 0;
          if (mean.size() > 0) mu = pack_sum<T>(0, D, [&](auto at) { return at.load(in) * Pack<R>(down); }) / static_cast<R>(D);
          const T error = sum_squares();
          if (mean.size() == 0 || !is_significant(error, square, D)) return;
          left = error;
          sum_squares();
        };
        measure();
        if (!std::isfinite(square)) {
          down = to_square<R>;
          measure();
          mu /= down;
          left /= down;
        }
        if (mean.size() > 0) mean.data()[row] = mu, rest.data()[row] = left;
        const PackOf<T> centre(mu), residue(left);
        const R s = scale.data()[row] = inverse_of_root(square, static_cast<R>(D), eps, down);
        for_packs<R>(0, D, [&](auto at) {
          const PackOf<T> z = ((at.load(in) - centre) - residue) * (at.load(g) * s);
          at.store(out, bias != nullptr ? z + at.load(bias->data()) : z);
        });
      }
    });
    return y;
  }

  /// Null outputs are skipped.
  void backward(const Tensor<T>& x, const Tensor<R>& gain, const Tensor<T>& dy, Tensor<T>& dx, Tensor<R>* dgain,
                Tensor<T>* dbias) const {
    const std::int64_t blocks = (rows + block - 1) / block;
    Tensor<R> gain_parts = Tensor<R>::zeros(Shape{blocks, D});
    Tensor<T> bias_parts = Tensor<T>::zeros(Shape{dbias != nullptr ? blocks : 0, D});
    parallel_for(blocks, 1, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t row = first * block; row < std::min(rows, last * block); ++row) {
        const T *in = x.data() + row * D, *go = dy.data() + row * D;
        const R* g = gain.data();
        T* out = dx.data() + row * D;
        R* sum_gain = gain_parts.data() + row / block * D;
        const PackOf<T> mu(mean.size() > 0 ? mean.data()[row] : T(0)), residue(mean.size() > 0 ? rest.data()[row] : T(0));
        const R s = scale.data()[row], n = static_cast<R>(D);
        Pack<R> along(0);       // Σ Re(conj(x̂) γ dy)
        PackOf<T> total(T(0));  // Σ γ dy
        for_packs<R>(0, D, [&](auto at) {
          const PackOf<T> dy_j = at.load(go);
          const Pack<R> match = real_dot((at.load(in) - mu) - residue, dy_j) * s, gamma = at.load(g);
          at.add(sum_gain, match);
          along += at.fill_tail(match * gamma);
          total += at.fill_tail(dy_j * gamma);
        });
        const PackOf<T> average(mean.size() > 0 ? sum(total) / n : T(0));
        const Pack<R> pull(sum(along) / n * s);
        for_packs<R>(0, D, [&](auto at) {
          const PackOf<T> d = (at.load(in) - mu) - residue;
          at.store(out, (at.load(go) * at.load(g) - average - d * pull) * Pack<R>(s));
        });
        if (dbias != nullptr) {
          T* sum_bias = bias_parts.data() + row / block * D;
          for_packs<R>(0, D, [&](auto at) { at.add(sum_bias, at.load(go)); });
        }
      }
    });
    for (std::int64_t b = 0; b < blocks; ++b)
      for (std::int64_t j = 0; j < D; ++j) {
        if (dgain != nullptr) dgain->data()[j] += gain_parts.data()[b * D + j];
        if (dbias != nullptr) dbias->data()[j] += bias_parts.data()[b * D + j];
      }
  }
};

/// ẏ - ḃ from x̂, 1/σ and the numerator's tangent ẋ - μ̇.
template <Scalar T>
Var<T> norm_tangent(const Var<T>& normal, const Var<RealOf<T>>& inverse, const Var<T>& moved, const Var<RealOf<T>>& gain) {
  const Var<T> u = moved * inverse;
  return gain * (u - normal * mean(scalar_product(normal, u), -1, true)) + tangent(gain) * normal;
}

}  // namespace

template <Scalar T>
Var<T> layer_norm(const Var<T>& x, const Var<RealOf<T>>& gain, const Var<T>& bias, double eps) {
  require(x.rank() >= 1 && gain.shape() == Shape({x.shape().back()}) && bias.shape() == gain.shape(), "layer_norm",
          "gain {} and bias {} must match the last axis of {}", gain.shape(), bias.shape(), x.shape());
  require(eps >= 0, "layer_norm", "eps must not be negative, got {}", eps);
  Norm<T> norm(x.shape(), true);
  Tensor<T> y = norm.forward(x.value(), gain.value(), &bias.value(), static_cast<RealOf<T>>(eps));
  return record(
      layer_norm_op, y,
      [norm, in = x.value(), g = gain.value(), dx = accumulator(x), dgain = accumulator(gain),
       dbias = accumulator(bias)](const Tensor<T>& dy) {
        Tensor<T> gx(in.shape()), gb = Tensor<T>::zeros(g.shape());
        Tensor<RealOf<T>> gg = Tensor<RealOf<T>>::zeros(g.shape());
        norm.backward(in, g, dy, gx, &gg, &gb);
        dx.add(gx);
        dgain.add(gg);
        dbias.add(gb);
      },
      [&](const auto&) {
        using R = RealOf<T>;
        const Var<T> normal =
            layer_norm<T>(x, constant(Tensor<R>::ones(gain.shape())), constant(Tensor<T>::zeros(gain.shape())), eps);
        const Var<R> inverse = pow(variance(x, -1, true) + static_cast<R>(eps), R(-0.5));
        return norm_tangent(normal, inverse, centred(tangent(x), -1), gain) + tangent(bias);
      },
      x, gain, bias);
}

template <Scalar T>
Var<T> rms_norm(const Var<T>& x, const Var<RealOf<T>>& gain, double eps) {
  require(x.rank() >= 1 && gain.shape() == Shape({x.shape().back()}), "rms_norm", "gain {} must match the last axis of {}",
          gain.shape(), x.shape());
  require(eps >= 0, "rms_norm", "eps must not be negative, got {}", eps);
  Norm<T> norm(x.shape(), false);
  Tensor<T> y = norm.forward(x.value(), gain.value(), nullptr, static_cast<RealOf<T>>(eps));
  return record(
      rms_norm_op, y,
      [norm, in = x.value(), g = gain.value(), dx = accumulator(x), dgain = accumulator(gain)](const Tensor<T>& dy) {
        Tensor<T> gx(in.shape());
        Tensor<RealOf<T>> gg = Tensor<RealOf<T>>::zeros(g.shape());
        norm.backward(in, g, dy, gx, &gg, nullptr);
        dx.add(gx);
        dgain.add(gg);
      },
      [&](const auto&) {
        using R = RealOf<T>;
        const Var<T> normal = rms_norm(x, constant(Tensor<R>::ones(gain.shape())), eps);
        const Var<R> inverse = pow(mean(abs2(x), -1, true) + static_cast<R>(eps), R(-0.5));
        return norm_tangent(normal, inverse, tangent(x), gain);
      },
      x, gain);
}

#define ARGAND_NORM(T)                                                                     \
  template Var<T> layer_norm(const Var<T>&, const Var<RealOf<T>>&, const Var<T>&, double); \
  template Var<T> rms_norm(const Var<T>&, const Var<RealOf<T>>&, double);
ARGAND_FOR_SCALAR(ARGAND_NORM)

}  // namespace argand
