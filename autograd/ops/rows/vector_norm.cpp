#include "autograd/ops/rows/vector_norm.h"

#include <cmath>

#include "autograd/op_check.h"
#include "autograd/ops/elementwise/derivatives.h"
#include "autograd/ops/own_name.h"
#include "autograd/ops/rows/reduction.h"
#include "autograd/ops/rows/scalar_product.h"
#include "autograd/ops/shape.h"
#include "autograd/tape.h"
#include "core/kernels/complex_math.h"
#include "core/kernels/reduce.h"

namespace argand {

// ------------------------------------------------------------------------------------------------ vector_norm

static const Op vector_norm_op(
    {.name = "vector_norm",
     .kind = Kind::RealValued,
     .equation = "y = (Σ |x_i|^p)^(1/p); p = 0: the number of nonzero x_i",
     .dz = "∂y/∂x_i = 1/2 (|x_i|/y)^(p-1) conj(x_i)/|x_i|",
     .dzbar = "1/2 (|x_i|/y)^(p-1) x_i/|x_i|",
     .vjp = "dx_i = (|x_i|/y)^(p-1) x_i/|x_i| dy",
     .jvp = "ẏ = Σ (|x_i|/y)^(p-1) Re(conj(x_i) ẋ_i)/|x_i|",
     .derivation =
         "y^p = Σ |x_i|^p gives p y^(p-1) ẏ = Σ p |x_i|^(p-1) |x_i|˙, and |x|˙ = Re(conj(x) ẋ)/|x|. For p >= 1 the ratio |x_i|/y "
         "is at most 1, so its power does not overflow; for the value, all |x_i| are first divided by the largest.",
     .singular = "x_i = 0: gradient 0 (for p > 1 this is the derivative, unless y = 0; for p = 1 a subgradient; for p < 1 the "
                 "derivative is infinite). p = 0: a step function, gradient 0 everywhere. An x_i = ±inf: y = inf for p > 0; the "
                 "gradient of this x_i is x_i/|x_i| times that of y for p = 1, else NaN; those of the others are 0 for p > 1, "
                 "infinite for p < 1. The gradient is computed from y: if y overflows, the gradient is infinite for p < 1 and 0 "
                 "for p > 1",
     .source = "Horn & Johnson, Matrix Analysis, 5.2.3"},
    [](OpCheck& check) {
      const auto f = [](double p, int axis) {
        return [=](auto x) { return vector_norm(x, static_cast<RealOf<typename decltype(x)::value_type>>(p), axis); };
      };
      const auto two = [](auto x) { return vector_norm(x); };
      // Moves elements away from 0, where the norm has an additional kink for p = 1.
      const auto away = [](OpCheck& at, const Shape& shape) {
        return map([](double v) { return std::copysign(0.3 + std::abs(v), v); }, at.real(shape));
      };
      check.function("all, real", two, check.real({3, 4}));
      check.function("all, complex", two, check.complex({3, 4}));
      check.function("p = 1, real", f(1, 0), away(check, {3, 4}));
      check.function("p = 1, complex", f(1, -1), check.complex({3, 4}));
      check.function("p = 3, real", f(3, -1), away(check, {3, 4}));
      check.function("p = 1.5, complex", f(1.5, 1), check.complex({2, 3, 2}));
      check.function("p = 0.5, complex", f(0.5, -1), check.complex({3, 4}));
      check.sizes("", [=](OpCheck& at, std::int64_t n) {
        at.function("all, real", two, at.real({n}));
        at.function("all, complex", two, at.complex({n}));
        at.function("p = 3, last axis", f(3, -1), away(at, {3, n}));
        at.function("p = 1.5, rows", f(1.5, -1), at.complex({n, 3}));
        at.function("p = 1, first axis", f(1, 0), at.complex({3, n}));
      });
      using Z = Tensor<std::complex<double>>;
      check.singular("nothing but zeros", two, Z::zeros({3}), Z::zeros({3}));
      check.singular("p = 0", f(0, 0), Tensor<double>({3}, {0, 2, -1e30}), Tensor<double>::zeros({3}));
      check.singular("a zero among others, p = 1", f(1, 0), Tensor<double>({3}, {0, 2, -3}), Tensor<double>({3}, {0, 1, -1}));
      check.singular("a zero among others, p = 0.5", f(0.5, 0), Tensor<double>({2}, {0, 2}), Tensor<double>({2}, {0, 1}));
      check.finite("huge and tiny", f(3, 0), Z({4}, {{1e30, -1e30}, {-1e30, 1}, {1e-30, 1e-30}, {1e-40, 0}}));
    });

namespace {

template <RealScalar R>
R norm_of(std::int64_t n, R p, const auto& modulus_of) {
  R largest = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const R a = modulus_of(i);
    if (!(a <= largest)) largest = a;
  }
  if (largest == 0 || !std::isfinite(largest)) {
    for (std::int64_t i = 0; i < n; ++i)
      if (std::isnan(modulus_of(i))) return modulus_of(i);
    if (p != 0) return largest;
  }
  if (p == 0) return lane_sum<R>(n, [&](std::int64_t i) { return R(modulus_of(i) == 0 ? 0 : 1); });
  if (p == 1) return lane_sum<R>(n, modulus_of);
  if (p == 2) {
    return largest * std::sqrt(lane_sum<R>(n, [&](std::int64_t i) {
             const R a = modulus_of(i) / largest;
             return a * a;
           }));
  }
  return largest * std::pow(lane_sum<R>(n, [&](std::int64_t i) { return std::pow(modulus_of(i) / largest, p); }), 1 / p);
}

/// (a/y)^(p-1) for a <= y; 0 if a or p is 0. For p > 1 it is 0 if only y is infinite, and NaN if both are.
template <RealScalar R>
R share_of_norm(R a, R y, R p) {
  if (a == 0 || p == 0) return 0;
  if (p == 1) return 1;
  if (p > 1) return p == 2 ? a / y : std::pow(a / y, p - 1);
  const R ratio = y / a;  // may overflow where a and y are at opposite ends of the range
  return std::isfinite(ratio) ? std::pow(ratio, 1 - p) : std::pow(y, 1 - p) * std::pow(a, p - 1);
}

/// x/|x|, or 0 for x = 0.
template <Scalar T>
T unit_of(T x) {
  if constexpr (ComplexScalar<T>)
    return phasor(x);
  else
    return x == 0 ? T(0) : std::isnan(x) ? x : std::copysign(T(1), x);
}

template <Scalar T>
Var<RealOf<T>> norm_over(const Var<T>& x, RealOf<T> p, const AxisView& view, const Shape& shape) {
  using R = RealOf<T>;
  require(p >= 0 || std::isinf(p), "vector_norm", "p must be -inf or at least 0, got {}", p);
  const Shape three{view.outer, view.n, view.inner};
  if (std::isinf(p)) {
    const Var<R> magnitudes = abs(reshape(x, three));
    return reshape(in_own_name("vector_norm", [&] { return p > 0 ? max(magnitudes, 1) : min(magnitudes, 1); }), shape);
  }
  Tensor<R> y(shape);
  // For the element at `place` of y, the index of the first element of its line in x.
  const auto first_of = [view](std::int64_t place) { return place / view.inner * view.n * view.inner + place % view.inner; };
  parallel_for(y.size(), row_grain(view.n), [&, in = x.value().data(), out = y.data()](std::int64_t begin, std::int64_t end) {
    for (std::int64_t place = begin; place < end; ++place)
      out[place] =
          norm_of<R>(view.n, p, [&, line = in + first_of(place)](std::int64_t i) { return modulus(line[i * view.inner]); });
  });
  return record(
      vector_norm_op, y,
      [x = x.value(), y, view, p, first_of, dx = accumulator(x)](const Tensor<R>& dy) {
        dx.accumulate([&](T* out, bool add) {
          parallel_for(y.size(), row_grain(view.n), [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t place = begin; place < end; ++place) {
              const R norm = y.data()[place], g = dy.data()[place];
              for (std::int64_t i = 0, at = first_of(place); i < view.n; ++i, at += view.inner) {
                const T v = x.data()[at];
                const T d = mul(unit_of(v), share_of_norm(modulus(v), norm, p) * g);
                out[at] = add ? out[at] + d : d;
              }
            }
          });
        });
      },
      [&](const Var<R>& y) {
        if (p == 0) return R(0) * y;
        const Var<T> flat = reshape(x, three);
        const AwayFromZero<R> norm(reshape(y, Shape{view.outer, 1, view.inner})), size(abs(flat));
        const Var<R> along = scalar_product(flat, reshape(tangent(x), three)) / size.value;
        return reshape(sum(norm.mask * size.mask * pow(size.value / norm.value, p - 1) * along, 1), shape);
      },
      x);
}

}  // namespace

template <Scalar T>
Var<RealOf<T>> vector_norm(const Var<T>& x, RealOf<T> p, int axis, bool keepdim) {
  require_axis("vector_norm", x.shape(), axis);
  return norm_over(x, p, AxisView(x.shape(), axis), reduced(x.shape(), axis, keepdim));
}
template <Scalar T>
Var<RealOf<T>> vector_norm(const Var<T>& x, RealOf<T> p) {
  return norm_over(x, p, AxisView(Shape{x.size()}, 0), Shape{});
}

#define ARGAND_VECTOR_NORM(T)                                               \
  template Var<RealOf<T>> vector_norm(const Var<T>&, RealOf<T>, int, bool); \
  template Var<RealOf<T>> vector_norm(const Var<T>&, RealOf<T>);
ARGAND_FOR_SCALAR(ARGAND_VECTOR_NORM)

}  // namespace argand
