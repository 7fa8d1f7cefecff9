#include "autograd/ops/rows/magnitude_norm.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numbers>

#include "autograd/op_check.h"
#include "autograd/ops/rows/magnitude_tangent.h"
#include "autograd/ops/rows/row_scale.h"
#include "autograd/tape.h"
#include "core/kernels/pack.h"
#include "core/parallel.h"

namespace argand {
namespace {

/// Checks a norm for each kind of magnitude at QIC's angles, for quaternions, and for a row of zeros (slope 1/σ = `at_zero`).
template <class F>
void check_norm(OpCheck& check, const F& norm, double at_zero) {
  constexpr double pi = std::numbers::pi;
  const auto with = [norm](int parts, Magnitude kind) {
    return [norm, parts, kind](auto x, auto gain, auto theta) {
      using R = typename decltype(x)::value_type;
      return norm(x, gain, Measure<R>{parts, kind, theta});
    };
  };
  const auto qic = [&](std::string label, Magnitude kind, double theta) {
    check.function(std::move(label), with(2, kind), check.real({3, 8}), check.real({4}), Tensor<double>({1}, {theta}));
  };
  qic("euclidean", Magnitude::Euclidean, 0.3);
  qic("algebraic, θ = 0", Magnitude::Algebraic, 0);
  qic("algebraic, θ = 0.4", Magnitude::Algebraic, 0.4);
  qic("algebraic, θ = π/4", Magnitude::Algebraic, pi / 4);
  qic("author, θ = π/2", Magnitude::Author, pi / 2);
  check.function("quaternions", with(4, Magnitude::Euclidean), check.real({3, 12}), check.real({3}), Tensor<double>({1}, {0.0}));
  check.sizes("", [with](OpCheck& at, std::int64_t n) {
    const Tensor<double> theta({1}, {0.4});
    at.function("euclidean, width", with(2, Magnitude::Euclidean), at.real({2, 2 * n}), at.real({n}), theta);
    at.function("algebraic, width", with(2, Magnitude::Algebraic), at.real({2, 2 * n}), at.real({n}), theta);
    at.function("author, rows", with(2, Magnitude::Author), at.real({n, 16}), at.real({8}), theta);
    at.function("quaternions, width", with(4, Magnitude::Euclidean), at.real({1, 4 * n}), at.real({n}), theta);
  });
  const auto of_zeros = [norm](auto x) {
    using R = typename decltype(x)::value_type;
    return norm(x, Var<R>(Tensor<R>::ones({3})), Measure<R>{2, Magnitude::Algebraic, Var<R>(Tensor<R>::full({1}, R(0.3)))});
  };
  check.singular("zeros", of_zeros, Tensor<double>::zeros({2, 6}), Tensor<double>::full({2, 6}, at_zero));
  check.finite("dual numbers without a real part", with(2, Magnitude::Algebraic), Tensor<double>({1, 4}, {0, 1, 0, -2}),
               check.real({2}), Tensor<double>({1}, {pi / 4}));
}

}  // namespace

static const Op magnitude_layer_norm_op(
    {.name = "magnitude_layer_norm",
     .kind = Kind::Real,
     .equation = "y = (a - μ, b, ...) γ/σ, μ = mean(m), σ² = mean((m - μ)²) + eps, m = |z| = sqrt(a² + w b² + 1e-12)",
     .dz = "∂m/∂a = a/m, ∂m/∂b = w b/m, ∂m/∂w = b²/(2m)",
     .dzbar = "no complex input; hypercomplex numbers enter as their parts",
     .vjp = "with G = γ dy, A = Σ (a - μ) G_a + b G_b:  dm = -A (m - μ)/(D σ³) - Σ G_a/(D σ);  da = G_a/σ + dm a/m, "
            "db = G_b/σ + dm w b/m;  dγ = Σ ((a - μ) dy_a + b dy_b)/σ;  dθ = dw/dθ Σ dm b²/(2m)",
     .jvp = "with ṁ = (a ȧ + w b ḃ + ẇ b²/2)/m and σ̇ = mean((m - μ) ṁ)/σ:  ẏ = (γ (ȧ - mean(ṁ), ḃ) + γ̇ (a - μ, b))/σ - y σ̇/σ",
     .derivation = "y depends on z directly (G/σ); through σ, where σ̇ = mean((m - μ) ṁ)/σ gives -A/σ² σ̇; and through μ in the real "
                   "part, which gives -Σ G_a/σ μ̇ with μ̇ = mean(ṁ). The μ inside σ drops out, as Σ (m - μ) = 0. Tangent: the "
                   "product rule for y σ = γ (a - μ, b).",
     .singular = "none: 1e-12 keeps m positive, and eps keeps σ positive",
     .source = "QIC's layer norm; Ba, Kiros, Hinton, Layer Normalization (2016), for reals"},
    [](OpCheck& check) {
      check_norm(
          check, [](auto x, auto gain, auto measure) { return magnitude_layer_norm(x, gain, measure); }, 1 / std::sqrt(1e-5));
    });

static const Op magnitude_rms_norm_op(
    {.name = "magnitude_rms_norm",
     .kind = Kind::Real,
     .equation = "y = z γ/ρ, ρ² = mean(m²) + eps, m² = |z|² = a² + w b² + 1e-12",
     .dz = "∂m/∂a = a/m, ∂m/∂b = w b/m, ∂m/∂w = b²/(2m)",
     .dzbar = "no complex input; hypercomplex numbers enter as their parts",
     .vjp =
         "with G = γ dy, A = Σ a G_a + b G_b:  da = G_a/ρ - A a/(D ρ³), db = G_b/ρ - A w b/(D ρ³);  dγ = Σ (a dy_a + b dy_b)/ρ;  "
         "dθ = -dw/dθ A Σ b²/(2D ρ³)",
     .jvp = "with ρ̇ = mean(m ṁ)/ρ, m ṁ = a ȧ + w b ḃ + ẇ b²/2:  ẏ = (γ ż + γ̇ z)/ρ - y ρ̇/ρ",
     .derivation = "As for magnitude_layer_norm with μ = 0: g_m = -A m/(D ρ³). Tangent: the product rule for y ρ = γ z.",
     .singular = "none: eps keeps ρ > 0",
     .source = "Zhang, Sennrich, Root Mean Square Layer Normalization (2019), eq. 4, with magnitudes"},
    [](OpCheck& check) {
      check_norm(
          check, [](auto x, auto gain, auto measure) { return magnitude_rms_norm(x, gain, measure); }, 1 / std::sqrt(1e-6 + 1e-12));
    });

namespace {

template <RealScalar R>
struct MagnitudeNorm {
  int parts;
  bool centred;  ///< true: layer norm
  R w, slope;    ///< w of the measure, and dw/dθ
  std::int64_t rows, D;
  Tensor<double> mean, scale;  ///< μ (0 for RMS norm) and 1/σ, [rows]
  bool huge = false;           ///< whether squares overflow in any row

  MagnitudeNorm(const Shape& x, const Measure<R>& measure, bool centre)
      : parts(measure.parts),
        centred(centre),
        w(measure.weight()),
        slope(measure.weight_derivative()),
        rows(x.rows()),
        D(x.back() / measure.parts),
        mean(Shape{rows}),
        scale(Shape{rows}) {}

  /// Magnitudes, and everything computed from them in a row, are double: they differ little from their mean, so m - μ and σ would
  /// lose digits in float, which made gradients ten times less accurate.
  using Wide = Pack<double>;
  template <bool Huge, std::size_t P>
  Wide magnitude(std::array<Wide, P> z) const {
    if constexpr (!Huge) return math::sqrt(z[0] * z[0] + square_of_rest(z) * static_cast<double>(w) + magnitude_eps<double>);
    Wide largest(0);
    for (const Wide& part : z) largest = math::max(largest, math::abs(part));
    const Wide scale = math::select(largest > Wide(0x1p500), Wide(to_square<double>), Wide(1));
    for (Wide& part : z) part *= scale;
    return math::sqrt(z[0] * z[0] + square_of_rest(z) * static_cast<double>(w) + scale * scale * magnitude_eps<double>) / scale;
  }

  /// Computes μ and 1/σ of one row, and its magnitudes in m; returns false if squares overflow and Huge is not set.
  template <int P, bool Huge>
  bool measure(const R* z, std::int64_t row, double* m) {
    constexpr double down = Huge ? to_square<double> : 1;
    const double n = static_cast<double>(D);
    const double total = pack_sum<double>(0, D, [&](auto at) {
      const Wide m_j = magnitude<Huge>(load_parts<P>(at, z));
      at.store(m, m_j);
      return m_j * down;
    });
    const double average = centred ? total / n / down : 0;
    const double square = pack_sum<double>(0, D, [&](auto at) {
      const Wide d = (at.load(m) - average) * down;
      return d * d;
    });
    mean.data()[row] = average;
    scale.data()[row] = inverse_of_root(square, n, centred ? 1e-5 : 1e-6, down);
    return std::isfinite(square);
  }

  template <int P>
  void forward(const R* x, const R* gain, R* y) {
    std::atomic<bool> overflow = false;
    parallel_for(rows, 16, [&](std::int64_t begin, std::int64_t end) {
      std::vector<double> magnitudes(static_cast<std::size_t>(D));
      for (std::int64_t row = begin; row < end; ++row) {
        const R* z = x + row * P * D;
        R* out = y + row * P * D;
        if (!measure<P, false>(z, row, magnitudes.data())) {
          measure<P, true>(z, row, magnitudes.data());
          overflow = true;
        }
        const double average = mean.data()[row], s = scale.data()[row];
        for_packs<double>(0, D, [&](auto at) {
          auto parts = load_parts<P>(at, z);
          const Wide factor = at.load(gain) * s;
          parts[0] = (parts[0] - average) * factor;
          for (std::size_t p = 1; p < P; ++p) parts[p] *= factor;
          store_parts<P>(at, out, parts);
        });
      }
    });
    huge = overflow;
  }

  /// Writes dx; adds to dgain and returns dL/dw.
  template <int P, bool Huge>
  R backward(const R* x, const R* gain, const R* dy, R* dx, R* dgain) const {
    constexpr std::int64_t block = Measure<R>::block;
    const std::int64_t blocks = (rows + block - 1) / block;
    Tensor<R> gain_parts = Tensor<R>::zeros(Shape{blocks, D});
    Tensor<double> weight_parts = Tensor<double>::zeros(Shape{blocks});
    parallel_for(blocks, 1, [&](std::int64_t first, std::int64_t last) {
      const double n = static_cast<double>(D);
      for (std::int64_t row = first * block; row < std::min(rows, last * block); ++row) {
        const R* z = x + row * P * D;
        const R* g = dy + row * P * D;
        R* out = dx + row * P * D;
        R* sum_gain = gain_parts.data() + row / block * D;
        const double mu = mean.data()[row], s = scale.data()[row];
        Wide along_all(0), of_real_parts(0);  // A = Σ γ (z - μ)·g, and Σ γ g_a
        for_packs<double>(0, D, [&](auto at) {
          auto parts = load_parts<P>(at, z);
          const auto g_j = load_parts<P>(at, g);
          const Wide gamma = at.load(gain);
          parts[0] -= mu;
          const Wide along = dot_of_parts(parts, g_j);
          along_all += at.fill_tail(along * gamma);
          of_real_parts += at.fill_tail(gamma * g_j[0]);
          at.add(sum_gain, along * s);
        });
        const double A = sum(along_all), total = centred ? sum(of_real_parts) : 0;
        // dL/dm = s h, where h is about as large as dy, whatever the scale of x; the z/m that h multiplies are about 1.
        const double pull = A * s / n, shift = total / n;
        const double dw_row = pack_sum<double>(0, D, [&](auto at) {
          const auto parts = load_parts<P>(at, z);
          auto d = load_parts<P>(at, g);
          const Wide m = magnitude<Huge>(parts), gamma = at.load(gain), h = (mu - m) * s * pull - shift;
          const Wide h_over_m = h / m, of_rest = h_over_m * static_cast<double>(w);
          Wide along_w(0);  // h (b² + c² + d²)/m s
          d[0] = (gamma * d[0] + h_over_m * parts[0]) * s;
          for (std::size_t p = 1; p < P; ++p) {
            d[p] = (gamma * d[p] + of_rest * parts[p]) * s;
            along_w += h_over_m * parts[p] * (parts[p] * s);
          }
          store_parts<P>(at, out, d);
          return along_w;
        });
        if (slope != 0) weight_parts.data()[row / block] += dw_row / 2;
      }
    });
    double dw = 0;
    for (std::int64_t b = 0; b < blocks; ++b) {
      dw += weight_parts.data()[b];
      for (std::int64_t j = 0; j < D; ++j) dgain[j] += gain_parts.data()[b * D + j];
    }
    return static_cast<R>(dw);
  }
};

template <RealScalar R>
Var<R> magnitude_norm_tangent(const Var<R>& y, const Var<R>& x, const Var<R>& gain, const Measure<R>& measure, bool centred) {
  const Var<R> z = planes_of(x, measure.parts), m = magnitude_of(z, measure);
  Var<R> from_mean = m, numerator = z, moved = tangent(z);
  if (centred) {
    Tensor<R> real_part = Tensor<R>::zeros({measure.parts, 1, 1});
    real_part.data()[0] = 1;
    const Var<R> mu = mean(m, -1, true);
    from_mean = m - mu;
    numerator = z - mu * constant(real_part);
    moved = moved - mean(tangent(m), -1, true) * constant(real_part);
  }
  const Var<R> inverse = pow(mean(square(from_mean), -1, true) + (centred ? R(1e-5) : R(1e-6)), R(-0.5));
  const Var<R> shrinking = mean(from_mean * tangent(m), -1, true) * square(inverse);  // σ̇/σ
  Shape row = x.shape();
  row[-1] = 1;
  return interleaved((gain * moved + tangent(gain) * numerator) * inverse, x.shape()) - y * reshape(shrinking, row);
}

template <RealScalar R>
Var<R> magnitude_norm(const Op& op, const Var<R>& x, const Var<R>& gain, const Measure<R>& measure, bool centred) {
  require_parts(op.name(), measure.parts);
  require(x.rank() >= 1 && gain.rank() == 1 && gain.size() * measure.parts == x.shape().back(), op.name(),
          "gain {} must have one element for each number of {} parts in the last axis of {}", gain.shape(), measure.parts,
          x.shape());
  require(measure.theta.size() == 1, op.name(), "takes one angle, got {}", measure.theta.shape());
  MagnitudeNorm<R> norm(x.shape(), measure, centred);
  Tensor<R> y(x.shape());
  with_parts(measure.parts, [&]<int P>() { norm.template forward<P>(x.value().data(), gain.value().data(), y.data()); });
  return record(
      op, std::move(y),
      [norm, in = x.value(), g = gain.value(), shape = measure.theta.shape(), dx = accumulator(x), dgain = accumulator(gain),
       dtheta = accumulator(measure.theta)](const Tensor<R>& dy) {
        Tensor<R> gx(in.shape()), gg = Tensor<R>::zeros(g.shape());
        R dw = 0;
        with_parts(norm.parts, [&]<int P>() {
          const auto go = [&]<bool Huge>() {
            dw = norm.template backward<P, Huge>(in.data(), g.data(), dy.data(), gx.data(), gg.data());
          };
          norm.huge ? go.template operator()<true>() : go.template operator()<false>();
        });
        dx.add(std::move(gx));
        dgain.add(std::move(gg));
        if (dtheta) dtheta.add(Tensor<R>::full(shape, dw * norm.slope));
      },
      [&](const Var<R>& y) { return magnitude_norm_tangent(y, x, gain, measure, centred); }, x, gain, measure.theta);
}

}  // namespace

template <RealScalar R>
Var<R> magnitude_layer_norm(const Var<R>& x, const Var<R>& gain, const Measure<R>& measure) {
  return magnitude_norm(magnitude_layer_norm_op, x, gain, measure, true);
}
template <RealScalar R>
Var<R> magnitude_rms_norm(const Var<R>& x, const Var<R>& gain, const Measure<R>& measure) {
  return magnitude_norm(magnitude_rms_norm_op, x, gain, measure, false);
}

#define ARGAND_MAGNITUDE_NORM(R)                                                         \
  template Var<R> magnitude_layer_norm(const Var<R>&, const Var<R>&, const Measure<R>&); \
  template Var<R> magnitude_rms_norm(const Var<R>&, const Var<R>&, const Measure<R>&);
ARGAND_FOR_REAL(ARGAND_MAGNITUDE_NORM)

}  // namespace argand
