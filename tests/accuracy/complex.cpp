/// Activations of complex numbers, and activations that depend on magnitudes.

#include "tests/accuracy/cases.h"
#include "tests/accuracy/inputs.h"
#include "tests/accuracy/measure.h"

namespace accuracy {
namespace {

using Slope = std::function<N(const N&)>;

/// w = s(m) z for a magnitude m. Its derivatives follow from the real ones, ∂w/∂a = s + s' z ∂m/∂a and ∂w/∂b = i s + s' z ∂m/∂b:
/// ∂w/∂z = ½(∂w/∂a - i ∂w/∂b), ∂w/∂z̄ = ½(∂w/∂a + i ∂w/∂b).
Jet scaled(const Z& z, const N& s, const N& slope, const N& m_a, const N& m_b) {
  const Z by_a = Z(s) + z * Z(N(slope * m_a)), by_b = i_unit * Z(s) + z * Z(N(slope * m_b)), half(0.5);
  return {z * Z(s), {{half * (by_a - i_unit * by_b), half * (by_a + i_unit * by_b)}}};
}

/// Applies f separately to the real and imaginary parts.
Jet split(const Z& z, const Slope& f, const Slope& slope) {
  const N p = slope(z.x), q = slope(z.y);
  return {Z(f(z.x), f(z.y)), {{Z(N((p + q) / 2)), Z(N((p - q) / 2))}}};
}

/// ReLU(m + c)/m and its derivatives with respect to m and c, where m is the modulus or another magnitude; the derivatives are 0
/// at the kink.
struct ModRelu {
  N s = 0, slope = 0, by_c = 0;
  ModRelu(const N& m, const N& c) {
    if (m + c <= 0) return;
    s = (m + c) / m, slope = -c / (m * m), by_c = 1 / m;
  }
};

template <RealScalar R>
Jet modrelu_jet(std::span<const Z> v) {
  const N m = modulus(v[0]);
  const ModRelu f(m, v[1].x);
  // By convention, the derivatives of w = z + c u ignore the rotation of u where 1/|z| overflows.
  if (m < std::numeric_limits<R>::min() && f.s > 0) return {v[0] * Z(f.s), {{Z(1.0), {}}, {v[0] * Z(f.by_c), {}}}};
  Jet jet = scaled(v[0], f.s, f.slope, v[0].x / m, v[0].y / m);
  jet.d.push_back({v[0] * Z(f.by_c), {}});
  return jet;
}

Jet cardioid_jet(std::span<const Z> v) {
  // With u = z/|z|: s = ½(1 + cos θ), ∂w/∂z = s + (i/4) sin θ, ∂w/∂z̄ = -(i/4) sin θ u² (Virtue, Yu, Lustig, 2017).
  const N r = modulus(v[0]), &x = v[0].x, &y = v[0].y;
  // When x is close to -r, 500 bits are too few for 1 + x/r.
  const N s = x < 0 ? N(y * y / (2 * r * (r - x))) : N((1 + x / r) / 2);
  const Z u = v[0] / Z(r), quarter = i_unit * Z(N(v[0].y / r / 4));
  return {v[0] * Z(s), {{Z(s) + quarter, -(quarter * u * u)}}};
}

/// Numbers z with biases c of both signs. In every second pair |z| + c is small, which puts it near the kink.
template <RealScalar R>
std::pair<Tensor<std::complex<R>>, Tensor<R>> around_the_kink(Range range) {
  const auto z = complex_numbers<R>(range, 20);
  Tensor<R> c(z.shape());
  const auto free = real_numbers<R>(range, 21);
  for (std::int64_t i = 0; i < z.size(); ++i) {
    const N r = modulus(Z(z.data()[i]));
    const N off = 1 + ldexp(N(i % 4 < 2 ? 1 : -1), -static_cast<int>(i % (std::numeric_limits<R>::digits + 2)));
    c.data()[i] = i % 2 == 0 ? free.data()[i % samples] : static_cast<R>(N(-(r * off)));
  }
  return {z, c};
}

/// Measures an activation that depends on the magnitude of QIC numbers, as a function of the complex number z = a + ib that holds
/// both parts. With the magnitude m = sqrt(a² + w b² + 1e-12), ∂m/∂a = a/m and ∂m/∂b = w b/m.
template <RealScalar R, class F>
void by_magnitude(Table& table, Range range, const std::string& op, const F& activation,
                  const std::function<ModRelu(const N& m, const N& c)>& factor) {
  using argand::Magnitude;
  for (const auto& [name, kind, theta] :
       {std::tuple("euclidean", Magnitude::Euclidean, 0.0), {"algebraic", Magnitude::Algebraic, 0.4}}) {
    const auto f = [&, kind = kind, theta = theta](auto z, auto c) {
      const argand::Measure<R> measure{2, kind, Var<R>(Tensor<R>::full({1}, static_cast<R>(theta)))};
      return argand::view_as_complex(activation(argand::view_as_real(z), c, measure));
    };
    const N angle = static_cast<R>(theta), w = kind == Magnitude::Euclidean ? N(1) : N(1 - sin(N(2 * angle)));
    const Exact exact = [&](std::span<const Z> v) {
      const Z& z = v[0];
      const N m = sqrt(N(z.x * z.x + w * z.y * z.y + N("1e-12")));
      const ModRelu g = factor(m, v[1].x);
      Jet jet = scaled(z, g.s, g.slope, z.x / m, w * z.y / m);
      jet.d.push_back({z * Z(g.by_c), {}});
      return jet;
    };
    const auto [z, c] = around_the_kink<R>(range);
    measure(table.cell(range, op, name, std::string(argand::scalar_name<R>())), f, exact, z, c);
  }
}

template <RealScalar R>
void measure_for(Table& table, Range range) {
  const std::string complex(argand::scalar_name<std::complex<R>>());
  const auto z = complex_numbers<R>(range, 22, {{-0.75, 0.001}, {-0.75, -0.75}, {1e-3, 20}, {-1, 1}});
  const auto on_z = [&](const std::string& op, const auto& f, const Exact& exact) {
    measure(table.cell(range, op, "", complex), f, exact, z);
  };
  const Slope step = [](const N& x) { return N(x > 0 ? 1 : 0); };

  const auto [kinked, c] = around_the_kink<R>(range);
  measure(
      table.cell(range, "modrelu", "", complex), [](auto v, auto b) { return argand::modrelu(v, b); }, modrelu_jet<R>, kinked, c);
  on_z(
      "cardioid", [](auto v) { return argand::cardioid(v); }, cardioid_jet);
  on_z(
      "zrelu", [](auto v) { return argand::zrelu(v); },
      [](std::span<const Z> v) {
        return v[0].x >= 0 && v[0].y >= 0 ? Jet{v[0], {{Z(1.0), {}}}} : Jet{Z(), {{Z(), {}}}};
      });
  on_z(
      "crelu", [](auto v) { return argand::crelu(v); },
      [&](std::span<const Z> v) {
        return split(
            v[0], [](const N& x) { return x > 0 ? x : N(0); }, step);
      });
  on_z(
      "cgelu", [](auto v) { return argand::cgelu(v); },
      [](std::span<const Z> v) {
        return split(
            v[0], [](const N& x) { return N(x * normal_cdf(x)); },
            [](const N& x) { return N(normal_cdf(x) + x * normal_density(x)); });
      });

  // The first two activations have no bias, so by_c, the derivative of the factor with respect to a bias, is 0.
  const auto without_bias = [](const auto& f) { return [f](auto x, auto, auto measure) { return f(x, measure); }; };
  by_magnitude<R>(table, range, "magnitude_gelu", without_bias([](auto x, auto m) { return argand::magnitude_gelu(x, m); }),
                  [](const N& m, const N&) {
                    ModRelu g(m, 0);
                    g.s = normal_cdf(m), g.slope = normal_density(m), g.by_c = 0;
                    return g;
                  });
  by_magnitude<R>(table, range, "magnitude_relu", without_bias([](auto x, auto m) { return argand::magnitude_relu(x, m); }),
                  [](const N& m, const N&) {
                    ModRelu g(m, 0);
                    g.by_c = 0;
                    return g;
                  });
  by_magnitude<R>(
      table, range, "magnitude_modrelu", [](auto x, auto b, auto m) { return argand::magnitude_modrelu(x, b, m); },
      [](const N& m, const N& b) { return ModRelu(m, b); });
}

}  // namespace

void measure_complex(Table& table) {
  for (const Range range : {Range::Ordinary, Range::Extreme}) {
    measure_for<float>(table, range);
    measure_for<double>(table, range);
  }
}

}  // namespace accuracy
