/// Modulus, phase and the other parts of complex numbers, and rotations.

#include "tests/accuracy/cases.h"
#include "tests/accuracy/inputs.h"
#include "tests/accuracy/measure.h"

namespace accuracy {
namespace {

const Z half(0.5), two_i(N(0), N(2));

Jet abs_jet(std::span<const Z> z) {
  const N r = modulus(z[0]);
  // For a real x, or a complex x on the real axis; on the axis this is also 2 ∂w/∂z̄.
  if (z[0].y == 0) return {r, {{z[0] / Z(r), {}}}};
  return {r, {{conj(z[0]) / Z(2 * r), z[0] / Z(2 * r)}}};
}

/// 1/|z|, or 0 where it overflows: by convention the ops do not rotate there.
template <RealScalar R>
Z inverse_modulus(const N& r) {
  return r < std::numeric_limits<R>::min() ? N(0) : N(1 / r);
}

template <RealScalar R>
void measure_parts_for(Table& table, Range range) {
  using C = std::complex<R>;
  const std::string real(argand::scalar_name<R>()), complex(argand::scalar_name<C>());
  const auto x = real_numbers<R>(range, 10), y = real_numbers<R>(range, 11);
  const auto z = complex_numbers<R>(range, 12);
  const auto on_z = [&](const std::string& op, const auto& f, const Exact& exact) {
    measure(table.cell(range, op, "", complex), f, exact, z);
  };

  measure(
      table.cell(range, "abs", "", real), [](auto v) { return argand::abs(v); }, abs_jet, x);
  on_z(
      "abs", [](auto v) { return argand::abs(v); },
      [](std::span<const Z> v) {
        const N r = modulus(v[0]);
        return Jet{r, {{conj(v[0]) / Z(2 * r), v[0] / Z(2 * r)}}};
      });
  measure(
      table.cell(range, "abs2", "", real), [](auto v) { return argand::abs2(v); },
      [](std::span<const Z> v) {
        return Jet{v[0] * v[0], {{Z(2.0) * v[0], {}}}};
      },
      x);
  on_z(
      "abs2", [](auto v) { return argand::abs2(v); },
      [](std::span<const Z> v) {
        return Jet{v[0] * conj(v[0]), {{conj(v[0]), v[0]}}};
      });
  on_z(
      "conj", [](auto v) { return argand::conj(v); },
      [](std::span<const Z> v) {
        return Jet{conj(v[0]), {{Z(), Z(1.0)}}};
      });
  on_z(
      "real", [](auto v) { return argand::real(v); },
      [](std::span<const Z> v) {
        return Jet{Z(v[0].x), {{half, half}}};
      });
  on_z(
      "imag", [](auto v) { return argand::imag(v); },
      [](std::span<const Z> v) {
        return Jet{Z(v[0].y), {{half / i_unit, -(half / i_unit)}}};
      });
  on_z(
      "angle", [](auto v) { return argand::angle(v); },
      [](std::span<const Z> v) {
        const N r = modulus(v[0]);
        const Z inverse = inverse_modulus<R>(r), u = v[0] / Z(r);
        return Jet{Z(arg(v[0])), {{conj(u) * inverse / two_i, -(u * inverse) / two_i}}};
      });
  on_z(
      "unit_phasor", [](auto v) { return argand::unit_phasor(v); },
      [](std::span<const Z> v) {
        const N r = modulus(v[0]);
        const Z inverse = inverse_modulus<R>(r) * half, u = v[0] / Z(r);
        return Jet{u, {{inverse, -(u * u * inverse)}}};
      });
  measure(
      table.cell(range, "to_complex", "", real), [](auto v) { return argand::to_complex(v); },
      [](std::span<const Z> v) {
        return Jet{v[0], {{Z(1.0), {}}}};
      },
      x);
  measure(
      table.cell(range, "make_complex", "", real), [](auto a, auto b) { return argand::make_complex(a, b); },
      [](std::span<const Z> v) {
        return Jet{v[0] + i_unit * v[1], {{Z(1.0), {}}, {i_unit, {}}}};
      },
      x, y);
  measure(
      table.cell(range, "polar", "", real), [](auto r, auto phi) { return argand::polar(r, phi); },
      [](std::span<const Z> v) {
        const Z u = exp(i_unit * v[1]);
        return Jet{v[0] * u, {{u, {}}, {i_unit * v[0] * u, {}}}};
      },
      x, y);
  measure(
      table.cell(range, "rotate", "", complex), [](auto v, auto theta) { return argand::rotate(v, theta); },
      [](std::span<const Z> v) {
        const Z u = exp(i_unit * v[1]);
        return Jet{v[0] * u, {{u, {}}, {i_unit * v[0] * u, {}}}};
      },
      z, y);
  if (range == Range::Extreme) return;  // the rounding error of a large angle exceeds a full turn
  const auto small = [&](std::uint64_t stream, R bound) {
    return argand::rand<R>(argand::Shape{samples}, argand::Random(3, stream), -bound, bound);
  };
  const auto at_position = [](auto v, auto omega) {
    return argand::rotary(argand::reshape(v, {1, 1, v.size()}), argand::Rotary<R>{omega.value(), 100});
  };
  const auto some = Tensor<C>(argand::Shape{samples}, z.span().first(samples));
  measure(
      table.cell(range, "rotary", "position 100, frequencies below 1", complex), at_position,
      [](std::span<const Z> v) {
        const Z u = exp(i_unit * v[1] * Z(100.0));
        return Jet{v[0] * u, {{u, {}}}};
      },
      some, small(1, 1));
  measure(
      table.cell(range, "phase_rotation", "δ below 2, β below 4", complex),
      [](auto v, auto delta, auto beta) { return argand::phase_rotation(v, delta, beta); },
      [](std::span<const Z> v) {
        // y = r e^(iφ) with φ = δ a + β and u = z/r: ∂r/∂z = ū/2, ∂a/∂z = 1/(2iz); the derivatives with respect to z̄ are their
        // conjugates.
        const Z &z = v[0], r = Z(modulus(z)), a = Z(arg(z)), e = exp(i_unit * (v[1] * a + v[2])), y = r * e, u = z / r;
        const Z turn = y * i_unit * v[1];
        return Jet{y,
                   {{e * conj(u) * half + turn / (two_i * z), e * u * half - turn / (two_i * conj(z))},
                    {i_unit * y * a, {}},
                    {i_unit * y, {}}}};
      },
      some, small(2, 2), small(3, 4));
}

}  // namespace

void measure_parts(Table& table) {
  for (const Range range : {Range::Ordinary, Range::Extreme}) {
    measure_parts_for<float>(table, range);
    measure_parts_for<double>(table, range);
  }
}

}  // namespace accuracy
