/// Activations of real numbers.

#include "tests/accuracy/cases.h"
#include "tests/accuracy/inputs.h"
#include "tests/accuracy/measure.h"

namespace accuracy {
namespace {

using RealFunction = std::function<N(const N&)>;

template <class F>
void real_only(Table& table, const std::string& op, const F& f, const RealFunction& w, const RealFunction& slope,
               const std::vector<double>& near) {
  const Exact exact = [&](std::span<const Z> x) { return Jet{w(x[0].x), {{slope(x[0].x), {}}}}; };
  for (const Range range : {Range::Ordinary, Range::Extreme}) {
    measure(table.cell(range, op, "", "float32"), f, exact, real_numbers<float>(range, 3, false, near));
    measure(table.cell(range, op, "", "float64"), f, exact, real_numbers<double>(range, 3, false, near));
  }
}

N silu(const N& x) { return x * logistic(x).x; }
N silu_slope(const N& x) { return logistic(x).x * (1 + x * logistic(-x).x); }

N softplus(const N& x) { return (x > 0 ? x : N(0)) + log1p(exp(N(-abs(x)))); }

/// Measures erfinv on numbers of all sizes in (-1, 1), up to the last ones before ±1.
template <RealScalar R>
void measure_erfinv(Table& table) {
  const Exact exact = [](std::span<const Z> x) {
    const N w = erfinv(x[0].x);
    return Jet{Z(w), {{Z(N(sqrt(pi()) / 2 * exp(N(w * w)))), {}}}};
  };
  const R last = 1 - std::numeric_limits<R>::epsilon() / 2;
  for (const Range range : {Range::Ordinary, Range::Extreme}) {
    Tensor<R> x = real_numbers<R>(range, 6, false, {});
    for (R& v : x.span())
      if (!(std::abs(v) < 1)) v = std::copysign(std::min(last, 1 - 1 / std::abs(v)), v);
    measure(
        table.cell(range, "erfinv", "", std::string(argand::scalar_name<R>())), [](auto v) { return argand::erfinv(v); }, exact, x);
  }
}

/// Measures a function f of two reals; `exact` is called with a, b and the smallest normal number.
template <class F, class E>
void pairs(Table& table, const std::string& op, const F& f, const E& exact) {
  const auto of = [&]<RealScalar R>(R, Range range) {
    const N least(std::numeric_limits<R>::min());
    measure(
        table.cell(range, op, "", std::string(argand::scalar_name<R>())), f,
        [&](std::span<const Z> x) { return exact(x[0].x, x[1].x, least); }, real_numbers<R>(range, 7), real_numbers<R>(range, 8));
  };
  for (const Range range : {Range::Ordinary, Range::Extreme}) {
    of(float(), range);
    of(double(), range);
  }
}

}  // namespace

void measure_real(Table& table) {
  // The points where the derivatives of silu and gelu are 0.
  const double silu_zero = -1.2784645427610738, gelu_zero = -0.7517915246935645;
  real_only(
      table, "relu", [](auto x) { return argand::relu(x); }, [](const N& x) { return x > 0 ? x : N(0); },
      [](const N& x) { return N(x > 0 ? 1 : 0); }, {});
  real_only(
      table, "gelu", [](auto x) { return argand::gelu(x); }, [](const N& x) { return N(x * normal_cdf(x)); },
      [](const N& x) { return N(normal_cdf(x) + x * normal_density(x)); }, {gelu_zero, -1, -5, -10, -14, -37});
  real_only(table, "silu", [](auto x) { return argand::silu(x); }, silu, silu_slope, {silu_zero, -10, -88, -104, -700, -745});
  real_only(
      table, "erf", [](auto x) { return argand::erf(x); }, [](const N& x) { return erf(x); },
      [](const N& x) { return N(2 / sqrt(pi()) * exp(N(-x * x))); }, {0.5, 1, 3, 9, 26});
  real_only(
      table, "erfc", [](auto x) { return argand::erfc(x); }, [](const N& x) { return erfc(x); },
      [](const N& x) { return N(-2 / sqrt(pi()) * exp(N(-x * x))); }, {0.5, 1, 3, 9, 26});
  real_only(
      table, "softplus", [](auto x) { return argand::softplus(x); }, softplus, [](const N& x) { return logistic(x).x; },
      {-88, -104, -745, 17, 37});
  real_only(
      table, "log_sigmoid", [](auto x) { return argand::log_sigmoid(x); }, [](const N& x) { return N(-softplus(-x)); },
      [](const N& x) { return logistic(-x).x; }, {88, 104, 745, -17, -37});
  measure_erfinv<float>(table);
  measure_erfinv<double>(table);
  pairs(
      table, "logaddexp", [](auto a, auto b) { return argand::logaddexp(a, b); },
      [](const N& a, const N& b, const N&) {
        const N d = a - b;
        return Jet{Z(N((d > 0 ? a : b) + log1p(exp(N(-abs(d)))))), {{logistic(d), {}}, {logistic(-d), {}}}};
      });
  pairs(
      table, "atan2", [](auto y, auto x) { return argand::atan2(y, x); },
      [](const N& y, const N& x, const N& least) {
        const N square = x * x + y * y;
        const bool turns = sqrt(square) >= least;  // by convention the gradient is 0 at a subnormal radius
        return Jet{Z(arg(Z(x, y))), {{Z(turns ? N(x / square) : N(0)), {}}, {Z(turns ? N(-y / square) : N(0)), {}}}};
      });
  const auto swiglu = [](auto gate, auto up) { return argand::swiglu(gate, up); };
  const Exact exact_swiglu = [](std::span<const Z> x) {
    const N &g = x[0].x, &u = x[1].x;
    return Jet{Z(N(silu(g) * u)), {{Z(N(silu_slope(g) * u)), {}}, {Z(silu(g)), {}}}};
  };
  for (const Range range : {Range::Ordinary, Range::Extreme}) {
    const auto of = [&]<RealScalar R>(R) {
      const auto gate = real_numbers<R>(range, 4, false, {silu_zero, -88, -700}), up = real_numbers<R>(range, 5, false, {1, 2, 3});
      measure(table.cell(range, "swiglu", "", std::string(argand::scalar_name<R>())), swiglu, exact_swiglu, gate, up);
    };
    of(float());
    of(double());
  }
}

}  // namespace accuracy
