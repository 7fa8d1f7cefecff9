#include "autograd/ops/losses/regression.h"

#include <cmath>

#include "autograd/accumulate.h"
#include "autograd/op_check.h"
#include "autograd/ops/elementwise/derivatives.h"
#include "autograd/ops/functions/near_zero.h"
#include "autograd/ops/rows/reduction.h"
#include "autograd/ops/rows/scalar_product.h"
#include "autograd/ops/selection/where.h"
#include "core/kernels/activation.h"
#include "core/kernels/reduce.h"

namespace argand {
namespace {

template <Scalar T>
void check_pair(const Op& op, const Var<T>& x, const Var<T>& t) {
  require(x.shape() == t.shape(), op.name(), "shapes do not match: {} and {}", x.shape(), t.shape());
  require(x.size() > 0, op.name(), "cannot average an empty tensor of shape {}", x.shape());
}

/// The mean of term(x_i, t_i). Each term is divided before summing, since the sum may overflow even if the mean does not.
template <Scalar T, class F>
Tensor<RealOf<T>> mean_of(const Tensor<T>& x, const Tensor<T>& t, const F& term) {
  using R = RealOf<T>;
  const R n = static_cast<R>(x.size());
  return Tensor<R>::scalar(block_sum<R>(x.size(), [&](std::int64_t i) { return term(x.data()[i], t.data()[i]) / n; }));
}

/// Checks f on two tensors of the same shape, of various lengths.
template <class F>
void sizes_in_pairs(OpCheck& check, const F& f) {
  check.sizes("", [f](OpCheck& at, std::int64_t n) { at.function("", f, at.real({n}), at.real({n}, -1, 1)); });
}

}  // namespace

// ------------------------------------------------------------------------------------------------ mse

static const Op mse_op({.name = "mse",
                        .kind = Kind::RealValued,
                        .equation = "L = 1/N Σ |x_i - t_i|²",
                        .dz = "∂L/∂x_i = conj(x_i - t_i)/N, ∂L/∂t_i = -conj(x_i - t_i)/N",
                        .dzbar = "∂L/∂x̄_i = (x_i - t_i)/N, ∂L/∂t̄_i = -(x_i - t_i)/N",
                        .vjp = "dx_i = 2 (x_i - t_i)/N dL, dt_i = -dx_i",
                        .jvp = "L̇ = 2/N Σ Re(conj(x_i - t_i) (ẋ_i - ṫ_i))",
                        .derivation = "|d|² = d d̄ gives ∂|d|²/∂d̄ = d. The gradient is twice ∂L/∂x̄, as L is real.",
                        .singular = "none. An infinite difference makes L and its gradient infinite; ∞ - ∞ makes them NaN",
                        .source = "definition"},
                       [](OpCheck& check) {
                         const auto f = [](auto x, auto t) { return mse(x, t); };
                         check.function("real", f, check.real({3, 4}), check.real({3, 4}));
                         check.function("complex", f, check.complex({3, 4}), check.complex({3, 4}));
                         sizes_in_pairs(check, f);
                         check.sizes("complex",
                                     [f](OpCheck& at, std::int64_t n) { at.function("", f, at.complex({n}), at.complex({n})); });
                         check.singular(
                             "equal", [](auto x) { return mse(x, x); }, Tensor<double>({2}, {3, -1}), Tensor<double>::zeros({2}));
                       });

template <Scalar T>
Var<RealOf<T>> mse(const Var<T>& x, const Var<T>& t) {
  using R = RealOf<T>;
  check_pair(mse_op, x, t);
  return record(
      mse_op, mean_of(x.value(), t.value(), [](T a, T b) { return abs2_of(a - b); }),
      [a = x.value(), b = t.value(), dx = accumulator(x), dt = accumulator(t)](const Tensor<R>& dL) {
        const R c = 2 * (dL.item() / static_cast<R>(a.size()));
        accumulate_map(
            dx, [c](T u, T v) { return mul(u - v, c); }, a, b);
        accumulate_map(
            dt, [c](T u, T v) { return mul(v - u, c); }, a, b);
      },
      [&](const auto&) { return R(2) * mean(scalar_product(x - t, tangent(x) - tangent(t))); }, x, t);
}

// ------------------------------------------------------------------------------------------------ huber

static const Op huber_op(
    {.name = "huber",
     .kind = Kind::Real,
     .equation = "L = 1/N Σ h(x_i - t_i), h(d) = d²/2 for |d| <= δ, δ (|d| - δ/2) beyond",
     .dz = "∂L/∂x_i = h'(x_i - t_i)/N, ∂L/∂t_i = -h'(x_i - t_i)/N, h'(d) = min(max(d, -δ), δ)",
     .dzbar = "no complex input",
     .vjp = "dx_i = h'(x_i - t_i)/N dL, dt_i = -dx_i",
     .jvp = "L̇ = 1/N Σ h'(x_i - t_i) (ẋ_i - ṫ_i)",
     .derivation = "h' is d for |d| <= δ and δ sign(d) beyond, and continuous at |d| = δ.",
     .singular =
         "none: at |d| = δ only the second derivative jumps. An infinite difference: L = inf, gradient ±δ/N; ∞ - ∞ gives NaN",
     .source = "Huber, Ann. Math. Statist. 35 (1964), 73"},
    [](OpCheck& check) {
      const auto f = [](auto x, auto t) { return huber(x, t, 0.7); };
      check.function("real", f, check.real({3, 4}), check.real({3, 4}));
      check.function("inside", f, check.real({4}, 0, 0.3), check.real({4}, 0, 0.3));
      sizes_in_pairs(check, f);
      check.finite("huge", f, Tensor<double>({2}, {1e30, 1}), Tensor<double>({2}, {-1e30, 1}));
    });

template <RealScalar R>
Var<R> huber(const Var<R>& x, const Var<R>& t, double delta) {
  require(delta > 0, "huber", "delta must be positive, got {}", delta);
  check_pair(huber_op, x, t);
  const R most = static_cast<R>(delta);
  const auto value = [most](R a, R b) {
    const R d = std::abs(a - b);
    return d <= most ? d * d / 2 : most * (d - most / 2);
  };
  const auto slope = [most](R a, R b) {
    const R d = a - b;
    return d > most ? most : d < -most ? -most : d;
  };
  return record(
      huber_op, mean_of(x.value(), t.value(), value),
      [slope, a = x.value(), b = t.value(), dx = accumulator(x), dt = accumulator(t)](const Tensor<R>& dL) {
        const R c = dL.item() / static_cast<R>(a.size());
        accumulate_map(
            dx, [=](R u, R v) { return slope(u, v) * c; }, a, b);
        accumulate_map(
            dt, [=](R u, R v) { return -slope(u, v) * c; }, a, b);
      },
      [&](const auto&) { return mean(clamp(x - t, -most, most) * (tangent(x) - tangent(t))); }, x, t);
}

// ------------------------------------------------------------------------------------------------ binary_cross_entropy

static const Op binary_cross_entropy_op(
    {.name = "binary_cross_entropy",
     .kind = Kind::Real,
     .equation =
         "L = -1/N Σ (t_i log σ(x_i) + (1 - t_i) log σ(-x_i)) = 1/N Σ ((1 - t_i) max(x_i, 0) + t_i max(-x_i, 0) + log1p(e^-|x_i|))",
     .dz = "∂L/∂x_i = (σ(x_i) - t_i)/N, ∂L/∂t_i = -x_i/N",
     .dzbar = "no complex input",
     .vjp = "dx_i = ((1 - t_i) σ(x_i) - t_i σ(-x_i))/N dL, dt_i = -x_i/N dL",
     .jvp = "L̇ = 1/N Σ (((1 - t_i) σ(x_i) - t_i σ(-x_i)) ẋ_i - x_i ṫ_i)",
     .derivation = "(log σ)'(x) = σ(-x), and log σ(-x) - log σ(x) = -x. (1 - t) σ(x) - t σ(-x) equals σ(x) - t but does not cancel "
                   "where t = 1 is predicted well.",
     .singular = "none. x_i = ±inf: its term is 0 if t_i = 1 (for +inf) or t_i = 0 (for -inf), else inf; its gradient is the "
                 "limit, (σ(x_i) - t_i)/N",
     .source = "Bishop, Pattern Recognition and Machine Learning, eq. 4.90-4.91"},
    [](OpCheck& check) {
      const auto f = [](auto x, auto t) { return binary_cross_entropy(x, t); };
      check.function("real", f, check.real({3, 4}, -4, 4), check.real({3, 4}, 0, 1));
      check.function("certain", f, check.real({4}, -4, 4), Tensor<double>({4}, {0, 1, 1, 0}));
      sizes_in_pairs(check, f);
      check.finite("large", f, Tensor<double>({4}, {1e30, -1e30, 100, -100}), Tensor<double>({4}, {1, 0, 0.5, 1}));
    });

template <RealScalar R>
Var<R> binary_cross_entropy(const Var<R>& x, const Var<R>& t) {
  check_pair(binary_cross_entropy_op, x, t);
  const auto value = [](R v, R p) {
    const R weight = v >= 0 ? 1 - p : p;
    return (weight == 0 ? R(0) : weight * std::abs(v)) + std::log1p(std::exp(-std::abs(v)));
  };
  return record(
      binary_cross_entropy_op, mean_of(x.value(), t.value(), value),
      [a = x.value(), b = t.value(), dx = accumulator(x), dt = accumulator(t)](const Tensor<R>& dL) {
        const R c = dL.item() / static_cast<R>(a.size());
        accumulate_map(
            dx, [c](R v, R p) { return ((1 - p) * logistic(v) - p * logistic(-v)) * c; }, a, b);
        accumulate_map(
            dt, [c](R v, R) { return -v * c; }, a, b);
      },
      [&](const auto&) {
        const Var<R> slope = (R(1) - t) * sigmoid(x) - t * sigmoid(-x);
        return mean(slope * tangent(x) - x * tangent(t));
      },
      x, t);
}

#define ARGAND_MSE(T) template Var<RealOf<T>> mse(const Var<T>&, const Var<T>&);
ARGAND_FOR_SCALAR(ARGAND_MSE)
#define ARGAND_REGRESSION(R)                                   \
  template Var<R> huber(const Var<R>&, const Var<R>&, double); \
  template Var<R> binary_cross_entropy(const Var<R>&, const Var<R>&);
ARGAND_FOR_REAL(ARGAND_REGRESSION)

}  // namespace argand
