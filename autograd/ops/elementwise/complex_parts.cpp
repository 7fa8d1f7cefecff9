#include "autograd/ops/elementwise/complex_parts.h"

#include "autograd/accumulate.h"
#include "autograd/op_check.h"
#include "autograd/ops/elementwise/derivatives.h"
#include "autograd/ops/elementwise/phase.h"
#include "autograd/ops/elementwise/special_points.h"
#include "core/kernels/complex_math.h"

namespace argand {

namespace {
using C = std::complex<double>;
Tensor<C> cut() { return Tensor<C>({2}, {{-1.0, 0.0}, {-1.0, -0.0}}); }
}  // namespace

// ------------------------------------------------------------------------------------------------ conj

static const Op conj_op({.name = "conj",
                         .kind = Kind::General,
                         .equation = "w = z̄ = x - iy",
                         .dz = "0",
                         .dzbar = "1",
                         .vjp = "dz = conj(dw)",
                         .jvp = "ẇ = conj(ż)",
                         .derivation = "Only the second term of the convention remains: 1 · conj(dw).",
                         .singular = "none",
                         .source = "Ahlfors, Complex Analysis, 1.1.3"},
                        [](OpCheck& check) {
                          check.function(
                              "complex", [](auto z) { return conj(z); }, check.complex({3, 4}));
                        });

template <RealScalar R>
Var<std::complex<R>> conj(const Var<std::complex<R>>& z) {
  using T = std::complex<R>;
  return record(
      conj_op, map_packs([](auto v) { return conj_of(v); }, z.value()),
      [dz = accumulator(z)](const Tensor<T>& dw) {
        accumulate_map(
            dz, [](auto g) { return conj_of(g); }, dw);
      },
      [&](const auto&) { return conj(tangent(z)); }, z);
}

// ------------------------------------------------------------------------------------------------ real, imag

static const Op real_op({.name = "real",
                         .kind = Kind::RealValued,
                         .equation = "w = Re z = (z + z̄)/2",
                         .dz = "1/2",
                         .dzbar = "1/2",
                         .vjp = "dz = dw",
                         .jvp = "ẇ = Re ż",
                         .derivation = "2 · 1/2 · dw, which is real.",
                         .singular = "none",
                         .source = "definition"},
                        [](OpCheck& check) {
                          check.function(
                              "complex", [](auto z) { return real(z); }, check.complex({3, 4}));
                        });

template <RealScalar R>
Var<R> real(const Var<std::complex<R>>& z) {
  return record(
      real_op, map_packs([](auto v) { return v.re; }, z.value()),
      [dz = accumulator(z)](const Tensor<R>& dw) {
        accumulate_map(
            dz, [](auto g) { return ComplexPack<R>(g, R(0)); }, dw);
      },
      [&](const auto&) { return real(tangent(z)); }, z);
}

static const Op imag_op({.name = "imag",
                         .kind = Kind::RealValued,
                         .equation = "w = Im z = (z - z̄)/(2i)",
                         .dz = "1/(2i)",
                         .dzbar = "-1/(2i) = i/2",
                         .vjp = "dz = i dw",
                         .jvp = "ẇ = Im ż",
                         .derivation = "2 · i/2 · dw, which is purely imaginary.",
                         .singular = "none",
                         .source = "definition"},
                        [](OpCheck& check) {
                          check.function(
                              "complex", [](auto z) { return imag(z); }, check.complex({3, 4}));
                        });

template <RealScalar R>
Var<R> imag(const Var<std::complex<R>>& z) {
  return record(
      imag_op, map_packs([](auto v) { return v.im; }, z.value()),
      [dz = accumulator(z)](const Tensor<R>& dw) {
        accumulate_map(
            dz, [](auto g) { return ComplexPack<R>(R(0), g); }, dw);
      },
      [&](const auto&) { return imag(tangent(z)); }, z);
}

// ------------------------------------------------------------------------------------------------ abs

static const Op abs_op({.name = "abs",
                        .kind = Kind::RealValued,
                        .equation = "w = |z| = sqrt(z z̄)",
                        .dz = "z̄/(2|z|)",
                        .dzbar = "z/(2|z|)",
                        .vjp = "dz = dw z/|z|, 0 at z = 0",
                        .jvp = "ẇ = Re(conj(u) ż), u = z/|z|, 0 at z = 0; sign(x) ẋ for real x",
                        .derivation = "w² = z z̄ gives 2w ∂w/∂z̄ = z, so dz = 2 z/(2|z|) dw. For real x: dx = sign(x) dw. The sign "
                                      "counts as a constant factor: its derivative is 0 away from the kink.",
                        .singular = "z = 0: the tip of a cone; the gradient returned is 0",
                        .source = "Kreutz-Delgado, The Complex Gradient Operator and the CR-Calculus, 2009, sec. 4.2"},
                       [](OpCheck& check) {
                         const auto f = [](auto z) { return abs(z); };
                         check.function("complex", f, check.complex({3, 4}));
                         check.function("real", f, check.real({3, 4}));
                         check.singular("zero, complex", f, zeros_of_all_signs(), Tensor<C>::zeros({4}));
                         check.singular("zero, real", f, Tensor<double>({2}, {0.0, -0.0}), Tensor<double>::zeros({2}));
                         check.finite("huge and tiny", f, huge_and_tiny());
                       });

template <Scalar T>
Var<RealOf<T>> abs(const Var<T>& z) {
  using R = RealOf<T>;
  return record(
      abs_op, map_packs([](auto v) { return modulus(v); }, z.value()),
      [x = z.value(), dz = accumulator(z)](const Tensor<R>& dw) {
        if constexpr (ComplexScalar<T>) {
          accumulate_map(
              dz, [](auto v, auto g) { return phasor(v) * g; }, x, dw);
        } else {
          const Pack<R> zero(0);
          accumulate_map(
              dz,
              [zero](auto v, auto g) {
                return math::select(v > zero, g, math::select(v < zero, -g, math::select(v == zero, zero, v)));
              },
              x, dw);
        }
      },
      [&](const auto&) {
        if constexpr (ComplexScalar<T>)
          return real(conj(unit_phasor(z)) * tangent(z));
        else
          return Var<R>(map([](R v) { return v > 0 ? R(1) : v < 0 ? R(-1) : v; }, z.value())) * tangent(z);
      },
      z);
}

// ------------------------------------------------------------------------------------------------ abs2

static const Op abs2_op({.name = "abs2",
                         .kind = Kind::RealValued,
                         .equation = "w = |z|² = z z̄",
                         .dz = "z̄",
                         .dzbar = "z",
                         .vjp = "dz = 2 z dw",
                         .jvp = "ẇ = 2 Re(conj(z) ż)",
                         .derivation = "∂(z z̄)/∂z̄ = z; the gradient is twice that, as w is real.",
                         .singular = "none",
                         .source = "Kreutz-Delgado, The Complex Gradient Operator and the CR-Calculus, 2009, sec. 4.2"},
                        [](OpCheck& check) {
                          const auto f = [](auto z) { return abs2(z); };
                          check.function("complex", f, check.complex({3, 4}));
                          check.function("real", f, check.real({3, 4}));
                          check.finite("zero", f, zeros_of_all_signs());
                        });

template <Scalar T>
Var<RealOf<T>> abs2(const Var<T>& z) {
  using R = RealOf<T>;
  return record(
      abs2_op, map_packs([](auto v) { return abs2_of(v); }, z.value()),
      [x = z.value(), dz = accumulator(z)](const Tensor<R>& dw) {
        accumulate_map(
            dz, [](auto v, auto g) { return v * (g * R(2)); }, x, dw);
      },
      [&](const auto&) {
        if constexpr (ComplexScalar<T>)
          return R(2) * real(conj(z) * tangent(z));
        else
          return R(2) * z * tangent(z);
      },
      z);
}

// ------------------------------------------------------------------------------------------------ angle

static const Op angle_op({.name = "angle",
                          .kind = Kind::RealValued,
                          .equation = "w = arg z = atan2(Im z, Re z) = Im log z",
                          .dz = "1/(2iz)",
                          .dzbar = "-1/(2i z̄) = i z/(2|z|²)",
                          .vjp = "dz = i z/|z|² dw, 0 at z = 0",
                          .jvp = "ẇ = Im(conj(u) ż)/|z|, u = z/|z|, 0 at z = 0",
                          .derivation = "w = (log z - conj(log z))/(2i), so ∂w/∂z̄ = -(1/z̄)/(2i) = i/(2z̄) = i z/(2|z|²); the "
                                        "gradient is twice that, computed as (i z/|z|) dw / |z|, because |z|² leaves the range of "
                                        "float32 above |z| = 1e19 and below 1e-23. Forward, ẇ = Im(ż/z), and 1/z = conj(u)/|z|.",
                          .singular = "z = 0: the value is that of atan2 (0 or ±π, depending on the signs of the zeros), and "
                                      "the gradient is 0, as it is for a subnormal |z|, where 1/|z| may overflow. Across the cut "
                                      "(the negative real axis) the value jumps by 2π, but the gradient is continuous",
                          .source = "Ahlfors, Complex Analysis, 2.3.4"},
                         [](OpCheck& check) {
                           const auto f = [](auto z) { return angle(z); };
                           check.function("complex", f, check.complex({3, 4}));
                           check.singular("zero", f, zeros_of_all_signs(), Tensor<C>::zeros({4}));
                           check.singular("both sides of the cut", f, cut(), Tensor<C>({2}, {{0.0, -1.0}, {0.0, -1.0}}));
                           check.finite("huge and tiny", f, huge_and_tiny());
                         });

template <RealScalar R>
Var<R> angle(const Var<std::complex<R>>& z) {
  return record(
      angle_op, map_accurately(Angle(), z.value()),
      [x = z.value(), dz = accumulator(z)](const Tensor<R>& dw) {
        accumulate_map(
            dz, [](auto v, auto g) { return turn(v, g); }, x, dw);
      },
      [&](const auto&) { return tangent_of_angle(z, unit_phasor(z), tangent(z)); }, z);
}

// ------------------------------------------------------------------------------------------------ polar

static const Op polar_op(
    {.name = "polar",
     .kind = Kind::Real,
     .equation = "w = r e^{iφ} = r cos φ + i r sin φ, r and φ real",
     .dz = "∂w/∂r = e^{iφ}, ∂w/∂φ = i w",
     .dzbar = "no complex input",
     .vjp = "dr = Re(conj(e^{iφ}) dw), dφ = r Im(conj(e^{iφ}) dw)",
     .jvp = "ẇ = e^{iφ} ṙ + i w φ̇",
     .derivation = "For a real input t, dt = Re(conj(∂w/∂t) dw). With u = e^{iφ}: conj(i r u) dw = -i r conj(u) dw, "
                   "whose real part is r Im(conj(u) dw).",
     .singular = "none",
     .source = "Ahlfors, Complex Analysis, 1.2.1"},
    [](OpCheck& check) {
      const auto f = [](auto r, auto phi) { return polar(r, phi); };
      check.function("real", f, check.real({3, 4}), check.real({3, 4}, -4, 4));
      check.finite("zero", f, Tensor<double>::zeros({2}), Tensor<double>({2}, {0.0, 3.0}));
    });

template <RealScalar R>
Var<std::complex<R>> polar(const Var<R>& r, const Var<R>& phi) {
  using T = std::complex<R>;
  require(r.shape() == phi.shape(), "polar", "modulus and phase must have the same shape, got {} and {}", r.shape(), phi.shape());
  const Tensor<R> cosine = map_accurately(Cos(), phi.value()), sine = map_accurately(Sin(), phi.value());
  Tensor<T> w = map_packs([](auto v, auto c, auto s) { return ComplexPack<R>(v * c, v * s); }, r.value(), cosine, sine);
  const GradientAccumulator<R> dr = accumulator(r), dphi = accumulator(phi);
  return record(
      polar_op, std::move(w),
      [cosine, sine, r = save_if_needed(dphi, r.value()), dr, dphi](const Tensor<T>& dw) {
        accumulate_map(
            dr, [](auto c, auto s, auto g) { return c * g.re + s * g.im; }, cosine, sine, dw);
        if (dphi)
          accumulate_map(
              dphi, [](auto v, auto c, auto s, auto g) { return v * (c * g.im - s * g.re); }, r, cosine, sine, dw);
      },
      [&](const Var<T>& w) { return polar(tangent(r), phi) + T(0, 1) * w * tangent(phi); }, r, phi);
}

// ------------------------------------------------------------------------------------------------ make_complex, to_complex

static const Op make_complex_op({.name = "make_complex",
                                 .kind = Kind::Real,
                                 .equation = "w = x + iy, x and y real",
                                 .dz = "∂w/∂x = 1, ∂w/∂y = i",
                                 .dzbar = "no complex input",
                                 .vjp = "dx = Re dw, dy = Im dw",
                                 .jvp = "ẇ = ẋ + i ẏ",
                                 .derivation = "grad(w) = ∂L/∂x + i ∂L/∂y by the convention: its parts are the two gradients.",
                                 .singular = "none",
                                 .source = "definition"},
                                [](OpCheck& check) {
                                  check.function(
                                      "real", [](auto x, auto y) { return make_complex(x, y); }, check.real({3, 4}),
                                      check.real({3, 4}));
                                });

template <RealScalar R>
Var<std::complex<R>> make_complex(const Var<R>& re, const Var<R>& im) {
  using T = std::complex<R>;
  require(re.shape() == im.shape(), "make_complex", "re and im must have the same shape, got {} and {}", re.shape(), im.shape());
  return record(
      make_complex_op, map_packs([](auto x, auto y) { return ComplexPack<R>(x, y); }, re.value(), im.value()),
      [dx = accumulator(re), dy = accumulator(im)](const Tensor<T>& dw) {
        accumulate_map(
            dx, [](auto g) { return g.re; }, dw);
        accumulate_map(
            dy, [](auto g) { return g.im; }, dw);
      },
      [&](const auto&) { return make_complex(tangent(re), tangent(im)); }, re, im);
}

static const Op to_complex_op({.name = "to_complex",
                               .kind = Kind::Real,
                               .equation = "w = x + 0i, x real",
                               .dz = "∂w/∂x = 1",
                               .dzbar = "no complex input",
                               .vjp = "dx = Re dw",
                               .jvp = "ẇ = ẋ + 0i",
                               .derivation = "w varies only along the real axis.",
                               .singular = "none",
                               .source = "definition"},
                              [](OpCheck& check) {
                                check.function(
                                    "real", [](auto x) { return to_complex(x); }, check.real({3, 4}));
                              });

template <RealScalar R>
Var<std::complex<R>> to_complex(const Var<R>& x) {
  using T = std::complex<R>;
  return record(
      to_complex_op, map_packs([](auto v) { return ComplexPack<R>(v, R(0)); }, x.value()),
      [dx = accumulator(x)](const Tensor<T>& dw) {
        accumulate_map(
            dx, [](auto g) { return g.re; }, dw);
      },
      [&](const auto&) { return to_complex(tangent(x)); }, x);
}

// ------------------------------------------------------------------------------------------------ view_as_real, view_as_complex

static const Op view_as_real_op(
    {.name = "view_as_real",
     .kind = Kind::RealValued,
     .equation = "w[2j] = Re z[j], w[2j+1] = Im z[j]",
     .dz = "1/2 for the real part, 1/(2i) for the imaginary part",
     .dzbar = "1/2 for the real part, i/2 for the imaginary part",
     .vjp = "dz[j] = dw[2j] + i dw[2j+1]",
     .jvp = "ẇ[2j] = Re ż[j], ẇ[2j+1] = Im ż[j]",
     .derivation = "The sum of the gradients of real and imag: the pairs of dw read as complex numbers.",
     .singular = "none",
     .source = "definition"},
    [](OpCheck& check) {
      check.function(
          "complex", [](auto z) { return view_as_real(z); }, check.complex({3, 4}));
      check.sizes("complex", [](OpCheck& at, std::int64_t n) {
        at.function(
            "", [](auto z) { return view_as_real(z); }, at.complex({n}));
      });
    });

template <RealScalar R>
Var<R> view_as_real(const Var<std::complex<R>>& z) {
  return record(
      view_as_real_op, as_real(z.value()), [dz = accumulator(z)](const Tensor<R>& dw) { dz.add(as_complex(dw)); },
      [&](const auto&) { return view_as_real(tangent(z)); }, z);
}

static const Op view_as_complex_op({.name = "view_as_complex",
                                    .kind = Kind::Real,
                                    .equation = "w[j] = x[2j] + i x[2j+1], x real",
                                    .dz = "∂w[j]/∂x[2j] = 1, ∂w[j]/∂x[2j+1] = i",
                                    .dzbar = "no complex input",
                                    .vjp = "dx[2j] = Re dw[j], dx[2j+1] = Im dw[j]",
                                    .jvp = "ẇ[j] = ẋ[2j] + i ẋ[2j+1]",
                                    .derivation = "As for make_complex: the complex numbers of dw read as pairs of reals.",
                                    .singular = "none",
                                    .source = "definition"},
                                   [](OpCheck& check) {
                                     check.function(
                                         "real", [](auto x) { return view_as_complex(x); }, check.real({3, 4}));
                                     check.sizes("real", [](OpCheck& at, std::int64_t n) {
                                       at.function(
                                           "", [](auto x) { return view_as_complex(x); }, at.real({2 * n}));
                                     });
                                   });

template <RealScalar R>
Var<std::complex<R>> view_as_complex(const Var<R>& x) {
  using T = std::complex<R>;
  require(x.rank() > 0 && x.shape().back() % 2 == 0, "view_as_complex",
          "the last axis holds pairs, so its size must be even, got {}", x.shape());
  return record(
      view_as_complex_op, as_complex(x.value()), [dx = accumulator(x)](const Tensor<T>& dw) { dx.add(as_real(dw)); },
      [&](const auto&) { return view_as_complex(tangent(x)); }, x);
}

#define ARGAND_PARTS(T)                       \
  template Var<RealOf<T>> abs(const Var<T>&); \
  template Var<RealOf<T>> abs2(const Var<T>&);
ARGAND_FOR_SCALAR(ARGAND_PARTS)
#define ARGAND_COMPLEX_PARTS(R)                                             \
  template Var<std::complex<R>> conj(const Var<std::complex<R>>&);          \
  template Var<R> real(const Var<std::complex<R>>&);                        \
  template Var<R> imag(const Var<std::complex<R>>&);                        \
  template Var<R> angle(const Var<std::complex<R>>&);                       \
  template Var<std::complex<R>> polar(const Var<R>&, const Var<R>&);        \
  template Var<std::complex<R>> make_complex(const Var<R>&, const Var<R>&); \
  template Var<std::complex<R>> to_complex(const Var<R>&);                  \
  template Var<R> view_as_real(const Var<std::complex<R>>&);                \
  template Var<std::complex<R>> view_as_complex(const Var<R>&);
ARGAND_FOR_REAL(ARGAND_COMPLEX_PARTS)

}  // namespace argand
