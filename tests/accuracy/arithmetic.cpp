/// The four arithmetic operations on all pairs of real and complex operands.

#include "tests/accuracy/cases.h"
#include "tests/accuracy/inputs.h"
#include "tests/accuracy/measure.h"

namespace accuracy {
namespace {

template <class F>
void pairs(Table& table, const std::string& op, const F& f, const Exact& exact) {
  for (const Range range : {Range::Ordinary, Range::Extreme}) {
    const auto of = [&]<RealScalar R>(R) {
      const std::string real(argand::scalar_name<R>()), complex(argand::scalar_name<std::complex<R>>());
      const auto a = real_numbers<R>(range, 6), b = real_numbers<R>(range, 7);
      const auto u = complex_numbers<R>(range, 8), v = complex_numbers<R>(range, 9);
      measure(table.cell(range, op, "", real), f, exact, a, b);
      measure(table.cell(range, op, "", complex), f, exact, u, v);
      measure(table.cell(range, op, "", complex), f, exact, a, v);
      measure(table.cell(range, op, "", complex), f, exact, u, b);
    };
    of(float());
    of(double());
  }
}

}  // namespace

void measure_arithmetic(Table& table) {
  pairs(
      table, "add", [](auto a, auto b) { return argand::add(a, b); },
      [](std::span<const Z> z) {
        return Jet{z[0] + z[1], {{Z(1.0), {}}, {Z(1.0), {}}}};
      });
  pairs(
      table, "sub", [](auto a, auto b) { return argand::sub(a, b); },
      [](std::span<const Z> z) {
        return Jet{z[0] - z[1], {{Z(1.0), {}}, {Z(-1.0), {}}}};
      });
  pairs(
      table, "mul", [](auto a, auto b) { return argand::mul(a, b); },
      [](std::span<const Z> z) {
        return Jet{z[0] * z[1], {{z[1], {}}, {z[0], {}}}};
      });
  pairs(
      table, "div", [](auto a, auto b) { return argand::div(a, b); },
      [](std::span<const Z> z) {
        return Jet{z[0] / z[1], {{Z(1.0) / z[1], {}}, {-(z[0] / (z[1] * z[1])), {}}}};
      });
}

}  // namespace accuracy
