#include "autograd/ops/elementwise/rotation.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "autograd/accumulate.h"
#include "autograd/op_check.h"
#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/elementwise/complex_parts.h"
#include "autograd/ops/elementwise/phase.h"
#include "core/kernels/vector_math.h"
#include "core/parallel.h"

namespace argand {

template <RealScalar R>
Tensor<R> rotary_frequencies(std::int64_t n, double base, double exponent) {
  Tensor<R> frequencies(Shape{n});
  for (std::int64_t j = 0; j < n; ++j) frequencies.data()[j] = static_cast<R>(std::pow(base, -exponent * static_cast<double>(j)));
  return frequencies;
}

namespace {

/// Rows of width H·n, one per (batch, t).
struct RowLayout {
  std::int64_t rows, width, T;
  template <RealScalar R>
  RowLayout(std::string_view op, const Shape& shape, const Rotary<R>& positions) {
    require(shape.rank() >= 1, op, "needs at least one axis");
    const std::int64_t n = shape.back();
    if (positions.frequencies.size() == 0) {
      width = n, rows = shape.rows(), T = 1;
      return;
    }
    require(shape.rank() >= 3 && positions.frequencies.shape() == Shape({n}), op,
            "positions require z [..., T, H, n] and n frequencies, got {} and {}", shape, positions.frequencies.shape());
    T = shape[-3], width = shape[-2] * n, rows = width > 0 ? shape.size() / width : 0;
  }
};

/// cos and sin of t·ω_j for the positions of one forward pass: [T, n]. Angles are double, since t·ω outgrows float's accuracy.
template <RealScalar R>
struct RotaryTable {
  Tensor<R> cosine, sine;
  RotaryTable(std::int64_t T, const Rotary<R>& positions) {
    const std::int64_t n = positions.frequencies.size();
    cosine = Tensor<R>(Shape{T, n});
    sine = Tensor<R>(Shape{T, n});
    for (std::int64_t t = 0; t < T; ++t)
      for (std::int64_t j = 0; j < n; ++j) {
        const double angle =
            static_cast<double>(positions.first_position + t) * static_cast<double>(positions.frequencies.data()[j]);
        cosine.data()[t * n + j] = static_cast<R>(std::cos(angle));
        sine.data()[t * n + j] = static_cast<R>(std::sin(angle));
      }
  }
};

/// out = z e^{±i t ω}; `sign` = -1 rotates back, which is the gradient.
template <RealScalar R>
Tensor<std::complex<R>> turn(const Tensor<std::complex<R>>& z, const RowLayout& layout, const RotaryTable<R>& table, R sign) {
  Tensor<std::complex<R>> y(z.shape());
  const std::int64_t n = z.shape().back(), heads = layout.width / n;
  parallel_for(layout.rows, 16, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      const R* c = table.cosine.data() + row % layout.T * n;
      const R* s = table.sine.data() + row % layout.T * n;
      for (std::int64_t h = 0; h < heads; ++h) {
        const std::complex<R>* in = z.data() + row * layout.width + h * n;
        std::complex<R>* out = y.data() + row * layout.width + h * n;
        for_packs<R>(0, n, [&](auto at) { at.store(out, mul(at.load(in), ComplexPack<R>(at.load(c), at.load(s) * sign))); });
      }
    }
  });
  return y;
}

}  // namespace

// ------------------------------------------------------------------------------------------------ rotary

static const Op rotary_op(
    {.name = "rotary",
     .kind = Kind::Holomorphic,
     .equation = "y_tj = z_tj e^{i t ω_j}",
     .dz = "e^{i t ω_j}",
     .dzbar = "0",
     .vjp = "dz_tj = e^{-i t ω_j} dy_tj",
     .jvp = "ẏ_tj = e^{i t ω_j} ż_tj",
     .derivation = "A product with a constant of modulus 1: the gradient is rotated back by the same angle.",
     .singular = "none",
     .source = "Su et al., RoFormer (2021), eq. 34"},
    [](OpCheck& check) {
      const auto f = [](auto z) {
        using R = RealOf<typename decltype(z)::value_type>;
        return rotary(z, Rotary<R>{rotary_frequencies<R>(3, 100, 1.0 / 3), 2});
      };
      check.function("complex", f, check.complex({2, 3, 2, 3}));
      check.position_dependent();
      check.sizes("positions", [](OpCheck& at, std::int64_t n) {
        const auto exact = [](auto z) {  // frequencies exact in float32: t would amplify a rounding error in ω
          using R = RealOf<typename decltype(z)::value_type>;
          return rotary(z, Rotary<R>{Tensor<R>({3}, {R(1), R(0.25), R(0.0625)}), 2});
        };
        at.function("", exact, at.complex({1, n, 1, 3}));
      });
      check.sizes("frequencies", [](OpCheck& at, std::int64_t n) {
        const auto wide = [](auto z) {
          using R = RealOf<typename decltype(z)::value_type>;
          return rotary(z, Rotary<R>{rotary_frequencies<R>(z.dim(-1), 100, 1.0 / static_cast<double>(z.dim(-1))), 2});
        };
        at.function("", wide, at.complex({1, 2, 2, n}));
      });
    });

template <RealScalar R>
Var<std::complex<R>> rotary(const Var<std::complex<R>>& z, const Rotary<R>& positions) {
  require(positions.frequencies.size() > 0, "rotary", "no frequencies given");
  const RowLayout layout("rotary", z.shape(), positions);
  const RotaryTable<R> table(layout.T, positions);
  return record(
      rotary_op, turn<R>(z.value(), layout, table, 1),
      [layout, table, dz = accumulator(z)](const Tensor<std::complex<R>>& dy) { dz.add(turn<R>(dy, layout, table, -1)); },
      [&](const auto&) { return rotary(tangent(z), positions); }, z);
}

// ------------------------------------------------------------------------------------------------ phase_rotation

static const Op phase_rotation_op(
    {.name = "phase_rotation",
     .kind = Kind::General,
     .equation = "y = |z| e^{iφ}, φ = δ arg z + β + t ω",
     .dz = "½ (1 + δ) e^{iφ} conj(u), u = z/|z|",
     .dzbar = "½ (1 - δ) e^{iφ} u",
     .vjp = "with s = Re(e^{-iφ} dy), t = Im(e^{-iφ} dy):  dz = (s + iδt) u,  dβ = |z| t,  dδ = |z| arg(z) t",
     .jvp = "ẏ = e^{iφ} (Re(conj(u) ż) + iδ Im(conj(u) ż)) + i y (δ̇ arg z + β̇)",
     .derivation = "∂|z|/∂z = conj(u)/2 and ∂arg z/∂z = conj(u)/(2i|z|), so ∂y/∂z = e^{iφ}(conj(u)/2 + i|z| δ conj(u)/(2i|z|)) = "
                   "½(1+δ) e^{iφ} conj(u); for z̄, with u/2 and -u/(2i|z|), ½(1-δ) e^{iφ} u. Then dz = ½(1+δ) e^{-iφ} u dy + ½(1-δ) "
                   "e^{iφ} u conj(dy) = u (Re(e^{-iφ}dy) + iδ Im(e^{-iφ}dy)). ∂y/∂β = iy, hence dβ = Re(conj(iy) dy) = Im(conj(y) "
                   "dy) = |z| t, and dδ has the extra factor arg z. Every factor stays bounded as z -> 0. Forward, |z| changes by "
                   "Re(conj(u) ż), arg z by Im(conj(u) ż)/|z|; e^{iφ} is the op's value at u, and 0 at z = 0.",
     .singular =
         "z = 0: arg z and u are undefined; y = 0 and every gradient is 0. On the negative real axis y jumps unless δ is an "
         "integer: the principal branch is kept, and the gradient is that of the side arg z = +π (or -π for Im z = -0.0)",
     .source = "ComplexFormer, eq. (1)-(9)"},
    [](OpCheck& check) {
      const auto f = [](auto z, auto delta, auto beta) { return phase_rotation(z, delta, beta); };
      check.function("per element", f, check.complex({2, 3}), check.real({3}), check.real({3}));
      check.function("per head", f, check.complex({2, 2, 3}), check.real({2, 3}), check.real({2, 3}));
      const auto g = [](auto z, auto delta, auto beta) {
        using R = RealOf<typename decltype(z)::value_type>;
        return phase_rotation(z, delta, beta, Rotary<R>{rotary_frequencies<R>(3, 100, 2.0 / 3), 5});
      };
      check.function("with positions", g, check.complex({1, 3, 2, 3}), check.real({2, 3}), check.real({2, 3}));
      check.sizes("", [f](OpCheck& at, std::int64_t n) {
        const auto exact = [](auto z, auto delta, auto beta) {
          using R = RealOf<typename decltype(z)::value_type>;
          return phase_rotation(z, delta, beta, Rotary<R>{Tensor<R>({3}, {R(1), R(0.25), R(0.0625)}), 5});
        };
        at.function("per element", f, at.complex({2, n}), at.real({n}), at.real({n}));
        at.function("rows", f, at.complex({n, 2, 3}), at.real({2, 3}), at.real({2, 3}));
        at.function("positions", exact, at.complex({1, n, 2, 3}), at.real({2, 3}), at.real({2, 3}));
      });
      const auto fixed = [](auto z) {
        using R = RealOf<typename decltype(z)::value_type>;
        return phase_rotation(z, Var<R>(Tensor<R>::full({1}, R(0.7))), Var<R>(Tensor<R>::full({1}, R(0.3))));
      };
      using Z = Tensor<std::complex<double>>;
      check.singular("zero", fixed, Z::zeros({1}), Z::zeros({1}));
      for (const std::complex<double> z : {std::complex<double>(-1, 0.0), {-1, -0.0}, {1e-42, -1e-43}, {1e30, -3e30}, {-0.0, 0.0}})
        check.finite("cut, subnormal, huge", fixed, Z({1}, {z}));
    });

namespace {

/// Modulus and phase of one row, and the row's angles φ, in separate arrays. atan2, sin and cos run on packs (16 lanes of AVX-512),
/// which keeps ComplexFormer's step within a few percent of RoPE's.
template <RealScalar R>
struct PhaseRow {
  explicit PhaseRow(std::int64_t width) : storage(static_cast<std::size_t>(5 * width)), width_(width) {}
  R* modulus() { return storage.data(); }
  R* argument() { return storage.data() + width_; }
  R* angle() { return storage.data() + 2 * width_; }
  R* cosine() { return storage.data() + 3 * width_; }
  R* sine() { return storage.data() + 4 * width_; }

  void fill(const std::complex<R>* row, const R* delta, const R* beta, std::int64_t period, const R* offset, std::int64_t n) {
    R *r = modulus(), *a = argument(), *phi = angle(), *c = cosine(), *s = sine();
    for_packs<R>(0, width_, [&](auto at) {
      const ComplexPack<R> z = at.load(row);
      const Pack<R> x = math::abs(z.re), y = math::abs(z.im), big = math::max(x, y);
      const Pack<R> ratio = math::select(big > Pack<R>(0), math::min(x, y) / big, Pack<R>(0));
      const Pack<R> r_of = big * math::sqrt(ratio * ratio + R(1));  // neither overflows nor underflows before |z| itself does
      at.store(r, math::select(x + y >= Pack<R>(0), r_of, x + y));  // math::max may return the number instead of the NaN
      at.store(a, math::atan2(z.im, z.re));
    });
    for (std::int64_t from = 0; from < width_; from += period)
      for_packs<R>(0, period, [&](auto at) { at.store(phi + from, at.load(delta) * at.load(a + from) + at.load(beta)); });
    if (offset != nullptr)
      for (std::int64_t from = 0; from < width_; from += n)
        for_packs<R>(0, n, [&](auto at) { at.add(phi + from, at.load(offset)); });
    for_packs<R>(0, width_, [&](auto at) {
      at.store(c, math::cos(at.load(phi)));
      at.store(s, math::sin(at.load(phi)));
    });
  }

 private:
  std::vector<R> storage;
  std::int64_t width_;
};

template <RealScalar R>
struct PhaseRotation {
  RowLayout layout;
  std::int64_t n, period;
  Tensor<R> offsets;  ///< t·ω_j reduced to [-π, π], [T, n]; empty without positions

  PhaseRotation(const Shape& shape, const Shape& delta, const Shape& beta, const Rotary<R>& positions)
      : layout("phase_rotation", shape, positions), n(shape.back()), period(delta.size()) {
    if (positions.frequencies.size() == 0) {  // without positions, one row may cover all of delta
      layout.width = std::max(period, n);
      layout.rows = layout.width > 0 ? shape.size() / layout.width : 0;
    }
    bool tail = delta.rank() <= shape.rank() && layout.width % std::max<std::int64_t>(1, period) == 0;
    for (int axis = 1; tail && axis <= delta.rank(); ++axis) tail = delta[-axis] == shape[-axis] || delta.size() == 1;
    require(delta == beta && tail && period > 0, "phase_rotation",
            "delta and beta must have the same shape, which must match the last axes of z ({}), got {} and {}", shape, delta, beta);
    if (positions.frequencies.size() == 0) return;
    offsets = Tensor<R>(Shape{layout.T, n});
    for (std::int64_t t = 0; t < layout.T; ++t)
      for (std::int64_t j = 0; j < n; ++j) {
        const double angle =
            static_cast<double>(positions.first_position + t) * static_cast<double>(positions.frequencies.data()[j]);
        offsets.data()[t * n + j] = static_cast<R>(std::remainder(angle, 2 * std::numbers::pi));
      }
  }
  const R* offset(std::int64_t row) const { return offsets.size() > 0 ? offsets.data() + row % layout.T * n : nullptr; }

  Tensor<std::complex<R>> forward(const Tensor<std::complex<R>>& z, const Tensor<R>& delta, const Tensor<R>& beta) const {
    Tensor<std::complex<R>> y(z.shape());
    parallel_for(layout.rows, 8, [&](std::int64_t begin, std::int64_t end) {
      PhaseRow<R> p(layout.width);
      for (std::int64_t row = begin; row < end; ++row) {
        p.fill(z.data() + row * layout.width, delta.data(), beta.data(), period, offset(row), n);
        const R *r = p.modulus(), *c = p.cosine(), *s = p.sine();
        std::complex<R>* out = y.data() + row * layout.width;
        for_packs<R>(0, layout.width, [&](auto at) {
          const Pack<R> modulus = at.load(r);
          at.store(out, ComplexPack<R>(modulus * at.load(c), modulus * at.load(s)));
        });
      }
    });
    return y;
  }

  /// Recomputes the angles instead of storing them: the trigonometry of a row costs less than the memory traffic.
  void backward(const Tensor<std::complex<R>>& z, const Tensor<R>& delta, const Tensor<R>& beta, const Tensor<std::complex<R>>& dy,
                Tensor<std::complex<R>>& dz, Tensor<R>& ddelta, Tensor<R>& dbeta) const {
    // Rows are summed in fixed blocks, and the blocks in order, so that the sums do not depend on the number of threads.
    constexpr std::int64_t block = 64;
    const std::int64_t blocks = (layout.rows + block - 1) / block, width = layout.width;
    Tensor<R> partial = Tensor<R>::zeros(Shape{std::max<std::int64_t>(1, blocks), 2, period});
    parallel_for(blocks, 1, [&](std::int64_t first, std::int64_t last) {
      PhaseRow<R> p(width);
      for (std::int64_t row = first * block; row < std::min(layout.rows, last * block); ++row) {
        p.fill(z.data() + row * width, delta.data(), beta.data(), period, offset(row), n);
        const R *r = p.modulus(), *c = p.cosine(), *s = p.sine();
        const std::complex<R>*g = dy.data() + row * width, *in = z.data() + row * width;
        std::complex<R>* out = dz.data() + row * width;
        R *sum_delta = partial.data() + row / block * 2 * period, *sum_beta = sum_delta + period;
        for (std::int64_t from = 0; from < width; from += period)
          for_packs<R>(0, period, [&](auto at) {
            const Pack<R> modulus = at.load(r + from), nothing(0);
            const auto zero = modulus <= nothing;  // false for a NaN
            const ComplexPack<R> rotation(at.load(c + from), at.load(s + from)), v = at.load(in + from);
            const ComplexPack<R> turned = conj_mul(rotation, at.load(g + from));  // e^{-iφ} dy
            const Pack<R> along = math::select(zero, nothing, turned.re), across = math::select(zero, nothing, turned.im);
            const ComplexPack<R> u(math::select(zero, nothing, v.re / modulus), math::select(zero, nothing, v.im / modulus));
            at.store(out + from, mul(u, ComplexPack<R>(along, at.load(delta.data()) * across)));
            const Pack<R> torque = modulus * across;
            at.add(sum_beta, torque);
            at.add(sum_delta, at.load(p.argument() + from) * torque);
          });
      }
    });
    for (std::int64_t b = 0; b < blocks; ++b)
      for (std::int64_t k = 0; k < period; ++k) {
        ddelta.data()[k] += partial.data()[b * 2 * period + k];
        dbeta.data()[k] += partial.data()[(b * 2 + 1) * period + k];
      }
  }
};

}  // namespace

template <RealScalar R>
Var<std::complex<R>> phase_rotation(const Var<std::complex<R>>& z, const Var<R>& delta, const Var<R>& beta,
                                    const Rotary<R>& positions) {
  using T = std::complex<R>;
  const PhaseRotation<R> rotation(z.shape(), delta.shape(), beta.shape(), positions);
  return record(
      phase_rotation_op, rotation.forward(z.value(), delta.value(), beta.value()),
      [rotation, x = z.value(), d = delta.value(), b = beta.value(), dz = accumulator(z), ddelta = accumulator(delta),
       dbeta = accumulator(beta)](const Tensor<std::complex<R>>& dy) {
        Tensor<std::complex<R>> gz(x.shape());
        Tensor<R> gd = Tensor<R>::zeros(d.shape()), gb = Tensor<R>::zeros(b.shape());
        rotation.backward(x, d, b, dy, gz, gd, gb);
        dz.add(gz);
        ddelta.add(gd);
        dbeta.add(gb);
      },
      [&](const Var<T>& y) {
        const Var<T> u = unit_phasor(z), along = conj(u) * tangent(z), turned = phase_rotation(u, delta, beta, positions);
        const Var<R> turning = tangent(delta) * angle(z) + tangent(beta);
        return turned * make_complex(real(along), delta * imag(along)) + T(0, 1) * y * turning;
      },
      z, delta, beta);
}

// ------------------------------------------------------------------------------------------------ rotate

static const Op rotate_op(
    {.name = "rotate",
     .kind = Kind::Holomorphic,
     .equation = "y = z e^{iθ}, θ real",
     .dz = "e^{iθ}",
     .dzbar = "0",
     .vjp = "dz = e^{-iθ} dy,  dθ = Im(conj(y) dy)",
     .jvp = "ẏ = e^{iθ} ż + i y θ̇",
     .derivation = "Holomorphic in z, so dz = conj(e^{iθ}) dy. ∂y/∂θ = i y with θ real: dθ = Re(conj(iy) dy) = Im(conj(y) dy).",
     .singular = "none",
     .source = "CRAT, the rotation of the states"},
    [](OpCheck& check) {
      const auto f = [](auto z, auto theta) { return rotate(z, theta); };
      check.function("complex", f, check.complex({3, 4}), check.real({3, 4}, -4, 4));
      check.function("at 0", f, Tensor<std::complex<double>>::zeros({2}), check.real({2}));
    });

template <RealScalar R>
Var<std::complex<R>> rotate(const Var<std::complex<R>>& z, const Var<R>& theta) {
  using C = std::complex<R>;
  require(z.shape() == theta.shape(), "rotate", "theta and z must have the same shape, got {} and {}", theta.shape(), z.shape());
  const Tensor<R> c = map_packs([](auto t) { return math::cos(t); }, theta.value());
  const Tensor<R> s = map_packs([](auto t) { return math::sin(t); }, theta.value());
  using P = Pack<R>;
  const Tensor<C> y = map_packs([](auto v, P cosine, P sine) { return mul(v, ComplexPack<R>(cosine, sine)); }, z.value(), c, s);
  return record(
      rotate_op, y,
      [y, c, s, dz = accumulator(z), dtheta = accumulator(theta)](const Tensor<C>& dy) {
        accumulate_map(
            dz, [](auto g, P cosine, P sine) { return conj_mul(ComplexPack<R>(cosine, sine), g); }, dy, c, s);
        accumulate_map(
            dtheta, [](auto v, auto g) { return conj_mul(v, g).im; }, y, dy);
      },
      [&](const Var<C>& y) { return rotate(tangent(z), theta) + C(0, 1) * y * tangent(theta); }, z, theta);
}

#define ARGAND_ROTATION(R)                                                             \
  template Tensor<R> rotary_frequencies<R>(std::int64_t, double, double);              \
  template Var<std::complex<R>> rotary(const Var<std::complex<R>>&, const Rotary<R>&); \
  template Var<std::complex<R>> rotate(const Var<std::complex<R>>&, const Var<R>&);    \
  template Var<std::complex<R>> phase_rotation(const Var<std::complex<R>>&, const Var<R>&, const Var<R>&, const Rotary<R>&);
ARGAND_FOR_REAL(ARGAND_ROTATION)

}  // namespace argand
