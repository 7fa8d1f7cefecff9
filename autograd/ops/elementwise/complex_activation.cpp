#include "autograd/ops/elementwise/complex_activation.h"

#include "autograd/accumulate.h"
#include "autograd/op_check.h"
#include "autograd/ops/elementwise/derivatives.h"
#include "autograd/ops/elementwise/phase.h"
#include "autograd/ops/elementwise/special_points.h"
#include "autograd/ops/shape.h"
#include "core/kernels/activation.h"
#include "core/kernels/complex_math.h"
#include "core/kernels/reduce.h"

namespace argand {
namespace {

using C = std::complex<double>;

/// Complex elements as a flat array of reals, without a copy.
template <RealScalar R>
Tensor<R> flat(const Tensor<std::complex<R>>& z) {
  return z.template reinterpret<R>({2 * z.size()});
}

/// Applies f to Re and Im, a pack at a time.
template <RealScalar R, class F, class... Rest>
Tensor<std::complex<R>> split_map(const F& f, const Tensor<std::complex<R>>& z, const Rest&... rest) {
  return map_packs(f, flat(z), flat(rest)...).template reinterpret<std::complex<R>>(z.shape());
}

/// 1 where w is not 0, else 0. The derivative of a step is 0 away from its edge, so tangents use it as a constant factor.
template <RealScalar R>
Var<R> support(const Var<std::complex<R>>& w) {
  return Var<R>(map([](std::complex<R> v) { return R(v == std::complex<R>(0) ? 0 : 1); }, w.value()));
}

}  // namespace

// ------------------------------------------------------------------------------------------------ modrelu

static const Op modrelu_op(
    {.name = "modrelu",
     .kind = Kind::General,
     .equation = "w = ReLU(|z| + c) u, u = z/|z|, c real",
     .dz = "1 + c/(2|z|) and ∂w/∂c = u where |z| + c > 0, else 0",
     .dzbar = "-c u²/(2|z|) where |z| + c > 0, else 0",
     .vjp = "where |z| + c > 0: dz = dw + c i u Im(conj(u) dw)/|z|, dc = Re(conj(u) dw), summed over rows; else 0",
     .jvp = "where |z| + c > 0: ẇ = ż + ċ u + c i u Im(conj(u) ż)/|z|; else 0",
     .derivation = "Where active, w = z + c u. The first term gives dw, the second c times the gradient of unit_phasor; c is a "
                   "real input with ∂w/∂c = u. The tangent of u is that of unit_phasor.",
     .singular = "z = 0: value 0, gradients of z and c 0 (u = 0 there). For a subnormal |z| the rotational part of the gradient is "
                 "0. |z| = -c: a kink, gradients 0",
     .source = "Arjovsky, Shah, Bengio, arXiv:1511.06464, eq. 8"},
    [](OpCheck& check) {
      const auto f = [](auto z, auto c) { return modrelu(z, c); };
      check.function("c of both signs", f, check.complex({3, 4}), Tensor<double>({4}, {-0.05, 0.7, -0.15, 0.1}));
      check.function("one c", f, check.complex({2, 3}), Tensor<double>({}, {0.3}));
      check.function("partly inactive", f, Tensor<C>({4}, {{0.3, -0.2}, {1.0, 0.4}, {-0.1, 0.2}, {-1.2, -0.8}}),
                     Tensor<double>({1}, {-0.8}));
      check.sizes("a c for each column", [f](OpCheck& at, std::int64_t n) {
        at.function("", f, at.complex({2, n}), at.real({n}, -0.15, 0.5));
      });
      check.function("a c for each channel, before the last axis", f, check.complex({2, 3, 4}), check.real({3, 1}, -0.15, 0.5));
      check.sizes("a c for each row", [f](OpCheck& at, std::int64_t n) {
        at.function("", f, at.complex({2, n}), at.real({2, 1}, -0.15, 0.5));
      });
      check.sizes("one c", [f](OpCheck& at, std::int64_t n) { at.function("", f, at.complex({n}), at.real({}, -0.15, 0.5)); });
      const auto with = [](auto c) {
        return [c](auto z) {
          return modrelu(
              z, Var<RealOf<typename decltype(z)::value_type>>(Tensor<RealOf<typename decltype(z)::value_type>>::scalar(c)));
        };
      };
      check.singular("zero, c > 0", with(0.5f), zeros_of_all_signs(), Tensor<C>::zeros({4}));
      check.singular("zero, c < 0", with(-0.5f), zeros_of_all_signs(), Tensor<C>::zeros({4}));
      check.finite("huge, tiny and subnormal", f, huge_and_tiny(), Tensor<double>({5}, {0.5, -0.5, 0.5, 0.5, 0.5}));
    });

template <RealScalar R>
Var<std::complex<R>> modrelu(const Var<std::complex<R>>& z, const Var<R>& c) {
  using T = std::complex<R>;
  const Shape shape = z.rank() == 0 ? Shape{1} : z.shape(), threshold = c.size() == 1 ? Shape{1} : c.shape();
  require(broadcast("modrelu", shape, threshold) == shape, "modrelu", "c of shape {} does not broadcast to z of shape {}",
          c.shape(), z.shape());
  const auto forward = [](T v, R b) {
    const R s = modulus_plus(v, b);
    return s > 0 ? mul(phasor(v), s) : s <= 0 ? T(0) : T(s);  // keeps a NaN
  };
  Tensor<T> w = broadcast_map("modrelu", forward, z.value().reshape(shape), c.value().reshape(threshold)).reshape(z.shape());
  return record(
      modrelu_op, std::move(w),
      [z = z.value().reshape(shape), c = c.value().reshape(threshold), c_shape = c.shape(), dz = accumulator(z),
       dc = accumulator(c)](const Tensor<T>& dw) {
        Tensor<T> gz(z.shape());
        Tensor<R> gc(z.shape());
        const BroadcastPlan plan("modrelu", z.shape(), c.shape());
        const std::int64_t columns = z.shape().back(), stride = plan.b[static_cast<std::size_t>(z.rank() - 1)];
        parallel_for(columns > 0 ? z.size() / columns : 0, row_grain(columns), [&](std::int64_t begin, std::int64_t end) {
          BroadcastRows at(plan, begin);
          for (std::int64_t row = begin; row < end; ++row, at.next())
            for (std::int64_t j = 0; j < columns; ++j) {
              const std::int64_t i = row * columns + j;
              const T v = z.data()[i], u = phasor(v), along = conj_mul(u, dw.data()[i]);
              const R b = c.data()[at.b + j * stride], s = modulus_plus(v, b);
              const bool inactive = v == T(0) || s <= 0;  // false for a NaN
              gc.data()[i] = inactive ? R(0) : s > 0 ? along.real() : s;
              const R bend = modulus(v) < std::numeric_limits<R>::min() ? R(0) : divide_by_modulus(b, v);
              gz.data()[i] = inactive ? T(0) : dw.data()[i] + bend * along.imag() * T(-u.imag(), u.real());
            }
        });
        dz.add(gz.reshape(dw.shape()));
        if (dc) dc.add(sum_to(gc, c.shape()).reshape(c_shape));
      },
      [&](const Var<T>& w) {
        const Shape row = c.size() == 1 ? Shape{} : c.shape();
        const Var<T> u = unit_phasor(z);
        const Var<R> turning = reshape(c, row) * tangent_of_angle(z, u, tangent(z));
        return support(w) * (tangent(z) + reshape(tangent(c), row) * u + T(0, 1) * u * turning);
      },
      z, c);
}

// ------------------------------------------------------------------------------------------------ cardioid

static const Op cardioid_op(
    {.name = "cardioid",
     .kind = Kind::General,
     .equation = "w = s z, s = ½(1 + cos θ), θ = arg z, cos θ = Re z/|z|",
     .dz = "s + (i/4) sin θ",
     .dzbar = "-(i/4) sin θ u², u = z/|z|",
     .vjp = "dz = s dw - ½ i u sin θ Re(conj(u) dw), 0 at z = 0",
     .jvp = "ẇ = s ż - ½ u sin θ Im(conj(u) ż), 0 at z = 0",
     .derivation = "∂θ/∂z = 1/(2iz) and ∂θ/∂z̄ = i z/(2|z|²) (see angle), so with s' = -½ sin θ: ∂w/∂z = s + z s'/(2iz) = s + (i/4) "
                   "sin θ and ∂w/∂z̄ = z s' i z/(2|z|²) = -(i/4) sin θ u². Then conj(∂w/∂z) dw + ∂w/∂z̄ conj(dw) = s dw - (i/4) sin "
                   "θ (dw + u² conj(dw)), and dw + u² conj(dw) = 2 u Re(conj(u) dw). |z| has cancelled, so the gradient is bounded "
                   "everywhere. Forward, ẇ = s ż + z ṡ with ṡ = -½ sin θ Im(ż/z), and z Im(ż/z) = u Im(conj(u) ż).",
     .singular = "z = 0: s depends on the direction of approach; value 0, gradient 0",
     .source = "Virtue, Yu, Lustig, arXiv:1707.00070, eq. 4"},
    [](OpCheck& check) {
      const auto f = [](auto z) { return cardioid(z); };
      check.function("complex", f, check.complex({3, 4}));
      check.singular("zero", f, zeros_of_all_signs(), Tensor<C>::zeros({4}));
      check.finite("huge, tiny and subnormal", f, huge_and_tiny());
    });

template <RealScalar R>
Var<std::complex<R>> cardioid(const Var<std::complex<R>>& z) {
  using T = std::complex<R>;
  // In the left half-plane, 1 + cos θ is computed as sin² θ/(1 - cos θ), without cancellation. v is multiplied by one factor
  // sin θ first, because sin² θ could underflow.
  const auto forward = [](T v) {
    const T u = phasor(v);
    if (u.real() >= 0) return mul(v, R(0.5) * (1 + u.real()));
    if (u.imag() == 0) return T(0);  // also for an infinite v
    return mul(mul(v, u.imag()), R(0.5) * u.imag() / (1 - u.real()));
  };
  return record(
      cardioid_op, map(forward, z.value()),
      [z = z.value(), dz = accumulator(z)](const Tensor<T>& dw) {
        const auto f = [](T v, T g) {
          const T u = phasor(v);
          if (u == T(0)) return T(0);
          const R s = R(0.5) * (u.real() < 0 ? u.imag() * u.imag() / (1 - u.real()) : 1 + u.real()),
                  t = R(-0.5) * u.imag() * conj_mul(u, g).real();
          return T(s * g.real() - t * u.imag(), s * g.imag() + t * u.real());
        };
        accumulate_map(dz, f, z, dw);
      },
      [&](const auto&) {
        const Var<T> u = unit_phasor(z);
        const Var<R> s = R(0.5) * (abs2(u) + real(u));  // |u|² is 1, and 0 at z = 0
        return s * tangent(z) - R(0.5) * (imag(u) * imag(conj(u) * tangent(z))) * u;
      },
      z);
}

// ------------------------------------------------------------------------------------------------ zrelu

static const Op zrelu_op(
    {.name = "zrelu",
     .kind = Kind::Holomorphic,
     .equation = "w = z for arg z in [0, π/2], else 0",
     .dz = "1 inside the quadrant, 0 outside",
     .dzbar = "0",
     .vjp = "dz = dw where w ≠ 0, else 0",
     .jvp = "ẇ = ż where w ≠ 0, else 0",
     .derivation = "Off the boundary of the quadrant, w is locally z or 0, and both are holomorphic.",
     .singular = "the two half-axes that bound the quadrant: w jumps across them; the gradient passes unchanged, except at z = 0, "
                 "where it is 0",
     .source = "Guberman, arXiv:1602.09046, sec. 4.2.1"},
    [](OpCheck& check) {
      const auto f = [](auto z) { return zrelu(z); };
      check.function("complex", f, check.complex({4, 4}));
      check.singular("zero", f, zeros_of_all_signs(), Tensor<C>::zeros({4}));
      check.singular("half-axes", f, Tensor<C>({2}, {{1.0, 0.0}, {0.0, 1.0}}), Tensor<C>({2}, {{1.0, 0.0}, {1.0, 0.0}}));
    });

template <RealScalar R>
Var<std::complex<R>> zrelu(const Var<std::complex<R>>& z) {
  using T = std::complex<R>;
  Tensor<T> w = map([](T v) { return v.real() < 0 || v.imag() < 0 ? T(0) : v; }, z.value());
  return record(
      zrelu_op, w,
      [w, dz = accumulator(z)](const Tensor<T>& dw) {
        accumulate_map(
            dz, [](T v, T g) { return v == T(0) ? T(0)
                                      : v == v  ? g
                                                : v; }, w, dw);  // keeps a NaN
      },
      [&](const Var<T>& w) { return support(w) * tangent(z); }, z);
}

// ------------------------------------------------------------------------------------------------ crelu

static const Op crelu_op({.name = "crelu",
                          .kind = Kind::General,
                          .equation = "w = max(x, 0) + i max(y, 0)",
                          .dz = "½(H(x) + H(y)), H = 1 for positive numbers, else 0",
                          .dzbar = "½(H(x) - H(y))",
                          .vjp = "dz = H(x) Re dw + i H(y) Im dw",
                          .jvp = "ẇ = H(x) ẋ + i H(y) ẏ",
                          .derivation = "∂w/∂x = H(x), ∂w/∂y = i H(y); ∂/∂z = ½(∂/∂x - i ∂/∂y), ∂/∂z̄ = ½(∂/∂x + i ∂/∂y). The two "
                                        "terms of the convention add up to H(x) Re dw + i H(y) Im dw: two real ReLUs side by side. "
                                        "H counts as a constant factor: its derivative is 0 away from the kinks.",
                          .singular = "x = 0 or y = 0: a kink in that part, whose gradient is 0 there",
                          .source = "Trabelsi et al., arXiv:1705.09792, sec. 3.4"},
                         [](OpCheck& check) {
                           const auto f = [](auto z) { return crelu(z); };
                           check.function("complex", f, check.complex({4, 4}));
                           check.singular("zero", f, zeros_of_all_signs(), Tensor<C>::zeros({4}));
                         });

template <RealScalar R>
Var<std::complex<R>> crelu(const Var<std::complex<R>>& z) {
  using T = std::complex<R>;
  Tensor<T> w = split_map<R>([](auto v) { return math::select(v <= decltype(v)(0), decltype(v)(0), v); }, z.value());
  return record(
      crelu_op, w,
      [w, dz = accumulator(z)](const Tensor<T>& dw) {
        dz.add(split_map<R>([](auto v, auto g) { return math::select(v > decltype(v)(0), g, v); }, w, dw));  // v is 0 or NaN
      },
      [&](const Var<T>& w) {
        const Var<T> H(split_map<R>([](auto v) { return math::select(v > decltype(v)(0), decltype(v)(1), v); }, w.value()));
        return make_complex(real(H) * real(tangent(z)), imag(H) * imag(tangent(z)));
      },
      z);
}

// ------------------------------------------------------------------------------------------------ cgelu

static const Op cgelu_op({.name = "cgelu",
                          .kind = Kind::General,
                          .equation = "w = gelu(x) + i gelu(y)",
                          .dz = "½(gelu'(x) + gelu'(y))",
                          .dzbar = "½(gelu'(x) - gelu'(y))",
                          .vjp = "dz = gelu'(x) Re dw + i gelu'(y) Im dw",
                          .jvp = "ẇ = gelu'(x) ẋ + i gelu'(y) ẏ",
                          .derivation = "As for crelu, with gelu'(t) = Φ(t) + t φ(t) in place of H(t).",
                          .singular = "none",
                          .source = "Hendrycks and Gimpel, arXiv:1606.08415, applied to each part"},
                         [](OpCheck& check) {
                           const auto f = [](auto z) { return cgelu(z); };
                           check.function("complex", f, check.complex({3, 4}));
                           check.finite("huge and tiny", f, huge_and_tiny());
                         });

template <RealScalar R>
Var<std::complex<R>> cgelu(const Var<std::complex<R>>& z) {
  using T = std::complex<R>;
  const ValueAndSlope<R> w = gelu_with_slope(flat(z.value()), wants_grad(z));
  return record(
      cgelu_op, w.value.template reinterpret<T>(z.shape()),
      [slope = w.slope, dz = accumulator(z)](const Tensor<T>& dw) {
        dz.add(map_packs([](auto s, auto g) { return s * g; }, slope, flat(dw)).template reinterpret<T>(dw.shape()));
      },
      [&](const auto&) {
        return make_complex(slope_of_gelu(real(z)) * real(tangent(z)), slope_of_gelu(imag(z)) * imag(tangent(z)));
      },
      z);
}

#define ARGAND_COMPLEX_ACTIVATION(R)                                                 \
  template Var<std::complex<R>> modrelu(const Var<std::complex<R>>&, const Var<R>&); \
  template Var<std::complex<R>> cardioid(const Var<std::complex<R>>&);               \
  template Var<std::complex<R>> zrelu(const Var<std::complex<R>>&);                  \
  template Var<std::complex<R>> crelu(const Var<std::complex<R>>&);                  \
  template Var<std::complex<R>> cgelu(const Var<std::complex<R>>&);
ARGAND_FOR_REAL(ARGAND_COMPLEX_ACTIVATION)

}  // namespace argand
