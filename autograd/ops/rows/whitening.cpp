#include "autograd/ops/rows/whitening.h"

#include <cmath>
#include <numbers>

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

static const Op whiten_op(
    {.name = "whiten",
     .kind = Kind::General,
     .equation =
         "x̂ = V^(-1/2) u = w u + v conj(u), u = x - mean(x), V = [[Vrr, Vri], [Vri, Vii]] + eps I; with σ² = mean|u|² + 2 eps, "
         "p = mean(u²), r± = sqrt(σ² ± |p|):  w = (1/r₊ + 1/r₋)/√2,  v = (1/r₊ - 1/r₋)/√2 · p/|p|",
     .dz = "w (δ_jk - 1/D) - (x̂_j conj(x̂_k) (w + |v|²/w)/2 + conj(x̂_j) x̂_k w)/(2D)",
     .dzbar = "v (δ_jk - 1/D) - (x̂_j (conj(x̂_k) v + x̂_k (w - |v|²/w)/2) + conj(x̂_j) x̂_k v)/(2D)",
     .vjp = "with A = mean(x̂ conj(dx̂)), B = mean(x̂ dx̂) and h = dx̂ - mean(dx̂) - (Re(A) x̂ + (B + i Im(A) v/w) conj(x̂))/2:  "
            "dx = w h + v conj(h)",
     .jvp = "with h = w (ẋ - mean(ẋ)) + v conj(ẋ - mean(ẋ)), D = mean(x̂ h):  x̂̇ = h - ((Re mean(conj(x̂) h) - i Im(conj(v) D)/w) x̂ "
            "+ D conj(x̂))/2",
     .derivation = "A real 2×2 matrix maps z to a z + b conj(z), with real a if it is symmetric; its transpose has conj(a) and b. "
                   "V is (σ²/2, p/2), with eigenvalues r±²/2 along sqrt(±p), so W = V^(-1/2) is (w, v). W² V = I gives Ẇ W + W Ẇ = "
                   "-W² V̇ W². With M = Σ x̂ dx̂ᵀ, the matrix (Σ x̂ conj(dx̂)/2, Σ x̂ dx̂/2), the change in L through W is tr(Ẇ W⁻¹ M) = "
                   "-2/D Σ u̇ᵀ W P x̂, where P is the symmetric solution of W P + P W = (M W + W Mᵀ)/2. Multiplied out with W = (w, "
                   "v), P = (D/4) (Re A, B + i Im(A) v/w). x̂ has mean 0, so centring leaves the part through W unchanged: dx = W "
                   "h. The tangent is the adjoint of this map, term by term.",
     .singular =
         "none: eps keeps both eigenvalues of V positive, and where they are equal (p = 0), W is a multiple of I and smooth",
     .source = "Trabelsi et al., Deep Complex Networks (ICLR 2018), eq. 4 to 6"},
    [](OpCheck& check) {
      const auto f = [](auto x) { return whiten(x); };
      check.function("rows", f, check.complex({3, 7}));
      Tensor<std::complex<double>> long_cloud = check.complex({2, 9});
      for (auto& z : long_cloud.span()) z = {2 * z.real() + z.imag(), 0.3 * z.imag()};
      check.function("an elongated distribution", f, long_cloud);
      check.function("two axes of rows", f, check.complex({2, 2, 5}));
      check.sizes("", [](OpCheck& at, std::int64_t n) {
        const auto firm = [](auto x) { return whiten(x, 0.1); };
        at.function("width", firm, at.complex({3, n}));
        at.function("rows", firm, at.complex({n, 4}));
      });
      using C = std::complex<double>;
      check.finite("a constant row", f, Tensor<C>::full({2, 3}, C(2, -1)));
      check.finite("a row on a line", f, Tensor<C>({1, 4}, {C(1, 1), C(2, 2), C(-1, -1), C(3, 3)}));
      check.finite("a circular distribution: equal eigenvalues", f, Tensor<C>({1, 4}, {C(1, 0), C(0, 1), C(-1, 0), C(0, -1)}));
      check.finite("huge", f, Tensor<C>({1, 3}, {C(1e15, 2e14), C(-3e15, 1e15), C(2e14, -1e15)}));
    });

namespace {

/// Computes w and v from the sums of |u|² and u² over n elements multiplied by `scale` (autograd/ops/rows/row_scale.h).
template <RealScalar R>
void map_of_sums(R squares, std::complex<R> pseudo, R n, R eps, R scale, R& w, std::complex<R>& v) {
  const R length = std::abs(pseudo), gap = squares - length < 0 ? R(0) : squares - length;  // < 0 only by rounding; NaN is kept
  const R along = inverse_of_root(squares + length, n, 2 * eps, scale), across = inverse_of_root(gap, n, 2 * eps, scale);
  const std::complex<R> towards = length == 0 ? std::complex<R>(0) : pseudo / length;
  constexpr R root = std::numbers::sqrt2_v<R> / 2;
  w = (along + across) * root;
  v = towards * ((along - across) * root);
}

template <RealScalar R>
struct Whitener {
  using C = std::complex<R>;
  using Pair = ComplexPack<R>;
  std::int64_t rows, D;
  Tensor<C> mean, v;
  Tensor<R> w;

  explicit Whitener(const Shape& shape) : rows(shape.rows()), D(shape.back()), mean(Shape{rows}), v(Shape{rows}), w(Shape{rows}) {}

  static Pair conj_of(Pair z) { return {z.re, -z.im}; }
  static Pair apply(Pack<R> w, Pair v, Pair z) { return z * w + mul(v, conj_of(z)); }

  Tensor<C> forward(const Tensor<C>& x, R eps, PlaneMoments<R>* seen) {
    Tensor<C> y(x.shape());
    C *centres = mean.data(), *to_v = v.data(), *to = y.data();
    R* to_w = w.data();
    if (seen != nullptr) *seen = {Tensor<C>(Shape{rows}), Tensor<R>(Shape{rows}), Tensor<C>(Shape{rows})};
    R* variance = seen != nullptr ? seen->variance.data() : nullptr;
    C* pseudo_variance = seen != nullptr ? seen->pseudo_variance.data() : nullptr;
    parallel_for(rows, 16, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row) {
        const C* in = x.data() + row * D;
        const R n = static_cast<R>(D);
        R down = 1, squares = 0;
        C mu = 0, rest = 0, pseudo = 0;  // the mean is mu + rest
        const auto sum_squares = [&] {
          Pack<R> lengths(0);
          Pair total(C(0));
          pseudo = pack_sum<C>(0, D, [&](auto at) {
            const Pair u = (at.load(in) * Pack<R>(down) - Pair(mu)) - Pair(rest);
            lengths += at.fill_tail(real_dot(u, u));
            total += at.fill_tail(u);
            return mul(u, u);
          });
          squares = sum(lengths);
          return sum(total) / n;
        };
        const auto measure = [&] {
          rest = 0;
          mu = pack_sum<C>(0, D, [&](auto at) { return at.load(in) * Pack<R>(down); }) / n;
          const C error = sum_squares();
          if (!is_significant(error, squares, D)) return;
          rest = error;
          sum_squares();
        };
        measure();
        if (!std::isfinite(squares)) {
          down = to_square<R>;
          measure();
          mu /= down;
          rest /= down;
        }
        centres[row] = mu;
        map_of_sums(squares, pseudo, n, eps, down, to_w[row], to_v[row]);
        const Pack<R> w_row(to_w[row]);
        const Pair v_row(to_v[row]);
        if (variance != nullptr) variance[row] = squares / n / (down * down), pseudo_variance[row] = pseudo / n / (down * down);
        C* out = to + row * D;
        for_packs<R>(0, D, [&](auto at) { at.store(out, apply(w_row, v_row, (at.load(in) - Pair(mu)) - Pair(rest))); });
      }
    });
    if (seen != nullptr) seen->mean = mean;
    return y;
  }

  Tensor<C> backward(const Tensor<C>& y, const Tensor<C>& dy) const {
    Tensor<C> dx(y.shape());
    C* to = dx.data();
    parallel_for(rows, 16, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row) {
        const C *normal = y.data() + row * D, *gradient = dy.data() + row * D;
        Pair total(C(0)), with_conj(C(0)), with(C(0));  // D times mean(dx̂), A, B
        for_packs<R>(0, D, [&](auto at) {
          const Pair g = at.load(gradient), z = at.load(normal);
          total += at.fill_tail(g);
          with_conj += at.fill_tail(conj_mul(g, z));
          with += at.fill_tail(mul(z, g));
        });
        const R n = static_cast<R>(D);
        const C A = sum(with_conj) / n, v_row = v.data()[row];
        const Pack<R> w_row(w.data()[row]), along(A.real() / 2);
        const Pair across((sum(with) / n + C(0, A.imag() / w.data()[row]) * v_row) / R(2)), average(sum(total) / n);
        C* out = to + row * D;
        for_packs<R>(0, D, [&](auto at) {
          const Pair z = at.load(normal), h = at.load(gradient) - average - z * along - mul(across, conj_of(z));
          at.store(out, apply(w_row, v_row, h));
        });
      }
    });
    return dx;
  }
};

}  // namespace

template <RealScalar R>
PlaneMaps<R> whitening_maps(const PlaneMoments<R>& moments, double eps) {
  require(eps > 0, "whiten", "eps must be positive, got {}", eps);
  PlaneMaps<R> maps{Tensor<R>(moments.variance.shape()), Tensor<std::complex<R>>(moments.variance.shape())};
  for (std::int64_t i = 0; i < moments.variance.size(); ++i)
    map_of_sums(moments.variance.data()[i], moments.pseudo_variance.data()[i], R(1), static_cast<R>(eps), R(1), maps.w.data()[i],
                maps.v.data()[i]);
  return maps;
}

template <RealScalar R>
Var<std::complex<R>> whiten(const Var<std::complex<R>>& x, double eps, PlaneMoments<R>* seen) {
  require(x.rank() >= 1 && x.shape().back() >= 1, "whiten", "needs a non-empty last axis, got {}", x.shape());
  require(eps > 0, "whiten", "eps must be positive, got {}", eps);
  Whitener<R> whitener(x.shape());
  const Tensor<std::complex<R>> y = whitener.forward(x.value(), static_cast<R>(eps), seen);
  return record(
      whiten_op, y, [whitener, y, dx = accumulator(x)](const Tensor<std::complex<R>>& dy) { dx.add(whitener.backward(y, dy)); },
      [&](const Var<std::complex<R>>& normal) {
        // In terms of V's invariants, which give w and v: 2 sqrt(det V) = sqrt(σ⁴ - |p|²) = d, t² = σ² + d, w = t/d, v = -p/(t d).
        const Var<R> sigma2 = variance(x, -1, true) + static_cast<R>(2 * eps);
        const Var<std::complex<R>> p = mean(square(centred(x, -1)), -1, true), moved = centred(tangent(x), -1);
        const Var<R> d = pow(square(sigma2) - abs2(p), R(0.5)), t2 = sigma2 + d, t = pow(t2, R(0.5));
        const Var<std::complex<R>> h = (moved * t - p / t * conj(moved)) / d, D = mean(normal * h, -1, true);
        const Var<R> along = real(mean(conj(normal) * h, -1, true)), turn = imag(conj(p) * D) / t2;
        return h - (make_complex(along, turn) * normal + D * conj(normal)) * R(0.5);
      },
      x);
}

#define ARGAND_WHITEN(R)                                                                       \
  template Var<std::complex<R>> whiten(const Var<std::complex<R>>&, double, PlaneMoments<R>*); \
  template PlaneMaps<R> whitening_maps(const PlaneMoments<R>&, double);
ARGAND_FOR_REAL(ARGAND_WHITEN)

}  // namespace argand
