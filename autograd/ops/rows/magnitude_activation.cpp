#include "autograd/ops/rows/magnitude_activation.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "autograd/op_check.h"
#include "autograd/ops/elementwise/activation.h"
#include "autograd/ops/rows/magnitude_tangent.h"
#include "autograd/tape.h"
#include "core/kernels/activation.h"
#include "core/kernels/complex_math.h"
#include "core/kernels/elementwise.h"
#include "core/kernels/pack.h"
#include "core/kernels/reduce.h"

namespace argand {
namespace {

/// `at_zero` is the slope in every direction where |z| = 1e-6.
template <class F>
void check_activation(OpCheck& check, const F& activation, double at_zero) {
  constexpr double pi = std::numbers::pi;
  const auto with = [activation](int parts, Magnitude kind) {
    return [activation, parts, kind](auto x, auto theta) {
      using R = typename decltype(x)::value_type;
      return activation(x, Measure<R>{parts, kind, theta});
    };
  };
  const auto qic = [&](std::string label, Magnitude kind, double theta) {
    check.function(std::move(label), with(2, kind), check.real({3, 8}), Tensor<double>({1}, {theta}));
  };
  qic("euclidean", Magnitude::Euclidean, 0.3);
  qic("algebraic, θ = 0", Magnitude::Algebraic, 0);
  qic("algebraic, θ = 0.4", Magnitude::Algebraic, 0.4);
  qic("algebraic, θ = π/4", Magnitude::Algebraic, pi / 4);
  qic("author, θ = π/2", Magnitude::Author, pi / 2);
  check.function("quaternions", with(4, Magnitude::Euclidean), check.real({3, 8}), Tensor<double>({1}, {0.0}));
  check.sizes("", [with](OpCheck& at, std::int64_t n) {  // away from the kink at m = 0.25
    const Tensor<double> theta({1}, {0.4});
    at.function("euclidean", with(2, Magnitude::Euclidean), at.real({2, 2 * n}, 0.3, 2), theta);
    at.function("algebraic", with(2, Magnitude::Algebraic), at.real({2, 2 * n}, 0.3, 2), theta);
    at.function("author", with(2, Magnitude::Author), at.real({n, 4}, 0.3, 2), theta);
    at.function("quaternions", with(4, Magnitude::Euclidean), at.real({1, 4 * n}, 0.3, 2), theta);
  });
  const auto qic_at_zero = [activation](auto x) {
    using R = typename decltype(x)::value_type;
    return activation(x, Measure<R>{2, Magnitude::Algebraic, Var<R>(Tensor<R>::full({1}, R(0.3)))});
  };
  check.singular("zeros", qic_at_zero, Tensor<double>::zeros({2, 8}), Tensor<double>::full({2, 8}, at_zero));
  check.finite("large", with(2, Magnitude::Euclidean), Tensor<double>({2, 8}, std::vector<double>(16, -1e15)),
               Tensor<double>({1}, {0.3}));
}

}  // namespace

static const Op magnitude_gelu_op(
    {.name = "magnitude_gelu",
     .kind = Kind::Real,
     .equation = "y = GELU(m) z/m = Φ(m) z, m = |z| = sqrt(a² + w b² + 1e-12)",
     .dz = "∂y/∂z = Φ(m) + φ(m) z ∂m/∂z, ∂m/∂a = a/m, ∂m/∂b = w b/m, ∂m/∂w = b²/(2m)",
     .dzbar = "no complex input; hypercomplex numbers enter as their parts",
     .vjp = "with G = dy, t = φ(m) (a G_a + b G_b)/m:  da = Φ(m) G_a + t a, db = Φ(m) G_b + t w b, dθ = dw/dθ Σ t b²/2",
     .jvp = "ẏ = Φ(m) ż + φ(m) ṁ z, ṁ = (a ȧ + w b ḃ + ẇ b²/2)/m",
     .derivation = "y = s(m) z gives ẏ = s ż + s'(m) ṁ z and dL/dm = s'(m) Σ z G over the parts; here s = Φ and s' = φ.",
     .singular = "none: 1e-12 keeps m positive, and at z = 0 the gradient is half that of y",
     .source = "QIC, eq. 17, with GELU (Hendrycks and Gimpel, arXiv:1606.08415) in place of ReLU"},
    [](OpCheck& check) {
      check_activation(
          check, [](auto x, auto measure) { return magnitude_gelu(x, measure); }, 1 - NormalTail(1e-6).value());
    });

static const Op magnitude_modrelu_op(
    {.name = "magnitude_modrelu",
     .kind = Kind::Real,
     .equation = "y = ReLU(m + c) z/m, c real, one per column",
     .dz = "where m + c > 0: s = (m + c)/m, s' = -c/m², ∂s/∂c = 1/m; elsewhere 0",
     .dzbar = "no complex input; hypercomplex numbers enter as their parts",
     .vjp = "with G = dy, t = s' (a G_a + b G_b)/m:  da = s G_a + t a, db = s G_b + t w b, dc = Σ (a G_a + b G_b)/m over active "
            "rows, dθ = dw/dθ Σ t b²/2",
     .jvp = "ẏ = s ż + (ċ - c ṁ/m)/m z where m + c > 0, else 0; ṁ as for magnitude_gelu",
     .derivation = "y = s(m, c) z, as for magnitude_gelu.",
     .singular = "m = -c: a kink, where the gradient of the inactive side, 0, is returned. At z = 0 the slope for c > 0 is steep, "
                 "1 + c/1e-6",
     .source = "Arjovsky, Shah, Bengio, arXiv:1511.06464, eq. 8, with QIC's magnitudes"},
    [](OpCheck& check) {
      const auto fixed = [](double c) {
        return [c](auto x, auto measure) {
          using R = typename decltype(x)::value_type;
          return magnitude_modrelu(x, Var<R>(Tensor<R>::full({x.shape().back() / measure.parts}, static_cast<R>(c))), measure);
        };
      };
      check_activation(check, fixed(-0.25), 0);
      check_activation(check, fixed(0.25), 1 + 0.25e6);
      const auto f = [](auto x, auto c) {
        using R = typename decltype(x)::value_type;
        return magnitude_modrelu(x, c, Measure<R>{.parts = 2, .kind = Magnitude::Author, .theta = Var<R>(Tensor<R>::ones({1}))});
      };
      check.function("c", f, check.real({3, 8}), Tensor<double>({4}, {-0.4, 0.3, -0.1, 0.8}));
      check.sizes("c", [f](OpCheck& at, std::int64_t n) { at.function("", f, at.real({2, 2 * n}), at.real({n}, 0.1, 0.8)); });
    });

static const Op magnitude_relu_op({.name = "magnitude_relu",
                                   .kind = Kind::Real,
                                   .equation = "y = ReLU(m) z/m",
                                   .dz = "1, as m > 0 always",
                                   .dzbar = "no complex input; hypercomplex numbers enter as their parts",
                                   .vjp = "dz = dy, dθ = 0",
                                   .jvp = "ẏ = ż",
                                   .derivation = "As for magnitude_gelu, with s = ReLU(m)/m = 1 and s' = 0.",
                                   .singular = "none",
                                   .source = "QIC, eq. 17"},
                                  [](OpCheck& check) {
                                    check_activation(
                                        check, [](auto x, auto measure) { return magnitude_relu(x, measure); }, 1);
                                  });

namespace {

/// A number of P parts as its magnitude m = sqrt(a² + w (b² + ...) + 1e-12) times u, at any scale. X: a real or a pack.
template <int P, class X>
struct Measured {
  using R = LaneOf<X>;
  X m;
  std::array<X, P> u;

  Measured(const std::array<X, P>& z, R weight) : u(z), w(weight), s(largest(z)) {
    for (X& part : u) part = part * s.factor;
    r = math::sqrt(u[0] * u[0] + X(w) * square_of_rest(u) + X(magnitude_eps<R>) * s.factor * s.factor);
    m = r * s.inverse;
    for (X& part : u) part = part / r;
  }

  /// m + c for a real. Where m ≈ -c, it is computed as (m² - c²)/(m - c), with the difference in twice the precision of double:
  /// exact to all digits of float, and to those of double unless |z| and -c agree in more than 16.
  R plus(const std::array<R, P>& z, R c) const requires RealScalar<X> {
    if (!(-c > m / 2 && -c < 2 * m)) return m + c;
    const double factor = s.factor, b = c * factor;
    CompensatedSum<double> difference;
    for (std::size_t p = 0; p < P; ++p) {
      const double part = z[p] * factor;
      const WithError<double> weighted = p == 0 ? WithError<double>{part, 0} : exact_product<double>(w, part);
      difference.add_product(weighted.value, part);
      difference.add_small(weighted.error * part);
    }
    difference.add(magnitude_eps<double> * factor * factor);
    difference.add_product(-b, b);
    return static_cast<R>(difference.value() / (r - b) * s.inverse);
  }
  /// The same for a pack, lane by lane if any lane is near its kink.
  X plus(const std::array<X, P>& z, X c) const requires(!RealScalar<X>) {
    X reach = m + c;
    if (!any((-c > X(0.5) * m) & (-c < X(2) * m))) return reach;
    for (int l = 0; l < X::width; ++l) {
      std::array<R, P> lane;
      for (std::size_t p = 0; p < P; ++p) lane[p] = z[p][l];
      reach.lanes[l] = Measured<P, R>(lane, w).plus(lane, c[l]);
    }
    return reach;
  }

 private:
  R w;
  Scaling<X> s;  ///< only scales down: 1e-12 is the smallest square
  X r;           ///< m scaled by s

  static X largest(const std::array<X, P>& z) {
    X size(1);
    for (const X& part : z) size = math::max(size, math::abs(part));
    return size;
  }
};

/// For y = s(m, c) z: the factor s, m ∂s/∂m and m ∂s/∂c.
template <class X>
struct Factor {
  X s, bend, by_c;
};
struct Gelu {
  template <int P, class X>
  static Factor<X> at(const Measured<P, X>& n, const std::array<X, P>&, X) {
    const NormalTail<X> tail(n.m);  // m > 0
    return {X(1) - tail.value(), tail.bend(), X(0)};
  }
  /// s and ṡ, as expressions of m and c and their tangents.
  template <RealScalar R>
  static Var<R> moving(const Var<R>& m, const Var<R>&) {
    const R peak = static_cast<R>(0.5 * std::numbers::sqrt2 * std::numbers::inv_sqrtpi);  // maximum of φ: 1/sqrt(2π)
    return (gelu(m) / m).with_tangent(peak * exp(R(-0.5) * square(m)) * tangent(m));
  }
};
struct ModRelu {
  template <int P, class X>
  static Factor<X> at(const Measured<P, X>& n, const std::array<X, P>& z, X c) {
    const X reach = n.plus(z, c), zero(0);
    const auto inactive = reach <= zero;  // false for a NaN, which is kept
    return {math::select(inactive, zero, reach / n.m), math::select(inactive, zero, -c / n.m),
            math::select(reach > zero, X(1), math::select(inactive, zero, reach))};
  }
  template <RealScalar R>
  static Var<R> moving(const Var<R>& m, const Var<R>& c) {
    const Var<R> reach = m + c, active(map([](R x) { return x > 0 ? R(1) : R(0); }, reach.value())), over_m = active / m;
    return (reach * over_m).with_tangent((tangent(c) - c * tangent(m) / m) * over_m);
  }
};
struct Relu {
  template <int P, class X>
  static Factor<X> at(const Measured<P, X>&, const std::array<X, P>&, X) {
    return {X(1), X(0), X(0)};  // m > 0 always
  }
  template <RealScalar R>
  static Var<R> moving(const Var<R>& m, const Var<R>&) {
    return constant(Tensor<R>::ones(m.shape()));
  }
};

template <class F, RealScalar R>
struct MagnitudeActivation {
  std::int64_t rows, D;
  R w, slope;   ///< w of the measure, and dw/dθ
  Tensor<R> c;  ///< [D]

  template <int P>
  void forward(const R* x, R* y) const {
    parallel_for(rows, row_grain(P * D), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row)
        for_packs<R>(0, D, [&, z = x + row * P * D, out = y + row * P * D](auto at) {
          auto parts = load_parts<P>(at, z);
          const Pack<R> s = F::template at<P>(Measured<P, Pack<R>>(parts, w), parts, at.load(c.data())).s;
          for (Pack<R>& part : parts) part *= s;
          store_parts<P>(at, out, parts);
        });
    });
  }

  /// Writes dx; adds to dc if requested, and returns dL/dw.
  template <int P>
  R backward(const R* x, const R* dy, R* dx, R* dc) const {
    constexpr std::int64_t block = Measure<R>::block;
    const std::int64_t blocks = (rows + block - 1) / block;
    Tensor<R> c_parts = Tensor<R>::zeros(Shape{dc != nullptr ? blocks : 0, D});
    Tensor<double> weight_parts = Tensor<double>::zeros(Shape{blocks});
    parallel_for(blocks, 1, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t row = first * block; row < std::min(rows, last * block); ++row) {
        const R *z = x + row * P * D, *g = dy + row * P * D;
        R *out = dx + row * P * D, *sum_c = c_parts.data() + row / block * D;
        Pack<R> pull(0);  // Σ t b² m over the row
        for_packs<R>(0, D, [&](auto at) {
          const auto parts = load_parts<P>(at, z);
          auto d = load_parts<P>(at, g);
          const Measured<P, Pack<R>> n(parts, w);
          const Factor<Pack<R>> f = F::template at<P>(n, parts, at.load(c.data()));
          const Pack<R> along = dot_of_parts(n.u, d), t = f.bend * along;
          d[0] = f.s * d[0] + t * n.u[0];
          for (std::size_t p = 1; p < P; ++p) d[p] = f.s * d[p] + t * w * n.u[p];
          store_parts<P>(at, out, d);
          if (slope != 0) pull += at.fill_tail(t * square_of_rest(n.u) * n.m);
          if (dc != nullptr) at.add(sum_c, f.by_c * along);
        });
        if (slope != 0) weight_parts.data()[row / block] += static_cast<double>(sum(pull)) / 2;
      }
    });
    double dw = 0;
    for (std::int64_t b = 0; b < blocks; ++b) {
      dw += weight_parts.data()[b];
      for (std::int64_t j = 0; dc != nullptr && j < D; ++j) dc[j] += c_parts.data()[b * D + j];
    }
    return static_cast<R>(dw);
  }
};

template <class F, RealScalar R>
Var<R> activate(const Op& op, const Var<R>& x, const Var<R>* c, const Measure<R>& measure) {
  require_parts(op.name(), measure.parts);
  require(x.rank() >= 1 && x.shape().back() % measure.parts == 0, op.name(),
          "numbers of {} parts do not fit evenly into the last axis of {}", measure.parts, x.shape());
  const std::int64_t D = x.shape().back() / measure.parts;
  require(c == nullptr || c->shape() == Shape({D}), op.name(), "c {} must have one element for each of the {} numbers",
          c ? c->shape() : Shape{}, D);
  require(measure.theta.size() == 1, op.name(), "takes one angle, got {}", measure.theta.shape());
  const Var<R> bias = c != nullptr ? *c : Var<R>(Tensor<R>::zeros({D}));
  const MagnitudeActivation<F, R> f{x.shape().rows(), D, measure.weight(), measure.weight_derivative(), bias.value()};
  Tensor<R> y(x.shape());
  with_parts(measure.parts, [&]<int P>() { f.template forward<P>(x.value().data(), y.data()); });
  return record(
      op, std::move(y),
      [f, parts = measure.parts, in = x.value(), shape = measure.theta.shape(), dx = accumulator(x), dc = accumulator(bias),
       dtheta = accumulator(measure.theta)](const Tensor<R>& dy) {
        Tensor<R> gx(in.shape()), gc = Tensor<R>::zeros(Shape{dc ? f.D : 0});
        R dw = 0;
        with_parts(parts, [&]<int P>() { dw = f.template backward<P>(in.data(), dy.data(), gx.data(), dc ? gc.data() : nullptr); });
        dx.add(std::move(gx));
        if (dc) dc.add(std::move(gc));
        if (dtheta) dtheta.add(Tensor<R>::full(shape, dw * f.slope));
      },
      [&](const auto&) {
        const Var<R> z = planes_of(x, measure.parts), s = F::moving(magnitude_of(z, measure), bias);
        return interleaved(s * tangent(z) + tangent(s) * z, x.shape());
      },
      x, bias, measure.theta);
}

}  // namespace

template <RealScalar R>
Var<R> magnitude_gelu(const Var<R>& x, const Measure<R>& measure) {
  return activate<Gelu, R>(magnitude_gelu_op, x, nullptr, measure);
}
template <RealScalar R>
Var<R> magnitude_modrelu(const Var<R>& x, const Var<R>& c, const Measure<R>& measure) {
  return activate<ModRelu, R>(magnitude_modrelu_op, x, &c, measure);
}
template <RealScalar R>
Var<R> magnitude_relu(const Var<R>& x, const Measure<R>& measure) {
  return activate<Relu, R>(magnitude_relu_op, x, nullptr, measure);
}

#define ARGAND_MAGNITUDE_ACTIVATION(R)                                                \
  template Var<R> magnitude_gelu(const Var<R>&, const Measure<R>&);                   \
  template Var<R> magnitude_modrelu(const Var<R>&, const Var<R>&, const Measure<R>&); \
  template Var<R> magnitude_relu(const Var<R>&, const Measure<R>&);
ARGAND_FOR_REAL(ARGAND_MAGNITUDE_ACTIVATION)

}  // namespace argand
