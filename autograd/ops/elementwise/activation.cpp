#include "autograd/ops/elementwise/activation.h"

#include "autograd/accumulate.h"
#include "autograd/op_check.h"
#include "autograd/ops/elementwise/derivatives.h"
#include "core/kernels/activation.h"

namespace argand {
namespace {

/// max(x, 0), keeping NaN. The function below gives the gradient: g where y > 0, otherwise y itself, which is 0 or NaN.
constexpr auto positive_part = [](auto x) {
  using X = decltype(x);
  return math::select(x <= X(0), X(0), x);
};
constexpr auto where_positive = [](auto y, auto g) {
  using X = decltype(y);
  return math::select(y > X(0), g, y);
};

}  // namespace

// ------------------------------------------------------------------------------------------------ relu

static const Op relu_op(
    {.name = "relu",
     .kind = Kind::Real,
     .equation = "y = max(x, 0)",
     .dz = "1 for x > 0, 0 for x < 0",
     .dzbar = "no complex input",
     .vjp = "dx = dy where y > 0, else 0",
     .jvp = "ẏ = ẋ where y > 0, else 0",
     .derivation = "Away from x = 0, y is locally x or 0. y > 0 exactly where x > 0, so only the output is saved. The step that "
                   "multiplies ẋ counts as a constant: its derivative is 0 away from the kink.",
     .singular = "x = 0: a kink; the gradient returned is 0. NaN stays NaN",
     .source = "Nair and Hinton, ICML 2010"},
    [](OpCheck& check) {
      const auto f = [](auto x) { return relu(x); };
      check.function("real", f, check.real({3, 4}));
      check.singular("zero", f, Tensor<double>({2}, {0.0, -0.0}), Tensor<double>::zeros({2}));
    });

template <RealScalar R>
Var<R> relu(const Var<R>& x) {
  Tensor<R> y = map_packs(positive_part, x.value());
  return record(
      relu_op, y, [y, dx = accumulator(x)](const Tensor<R>& dy) { accumulate_map(dx, where_positive, y, dy); },
      [&](const Var<R>& y) {
        const Var<R> step(map_packs([](auto v) { return where_positive(v, decltype(v)(1)); }, y.value()));
        return step * tangent(x);
      },
      x);
}

// ------------------------------------------------------------------------------------------------ gelu

static const Op gelu_op({.name = "gelu",
                         .kind = Kind::Real,
                         .equation = "y = x Φ(x), Φ(x) = (1 + erf(x/√2))/2 = erfc(-x/√2)/2",
                         .dz = "Φ(x) + x φ(x), φ(x) = e^(-x²/2)/√(2π)",
                         .dzbar = "no complex input",
                         .vjp = "dx = (Φ(x) + x φ(x)) dy",
                         .jvp = "ẏ = (Φ(x) + x φ(x)) ẋ",
                         .derivation = "Product rule with Φ' = φ, from erf'(t) = 2/√π e^(-t²) at t = x/√2.",
                         .singular = "none; for large |x| the values are x or 0 and the derivatives 1 or 0",
                         .source = "Hendrycks and Gimpel, arXiv:1606.08415, sec. 2"},
                        [](OpCheck& check) {
                          const auto f = [](auto x) { return gelu(x); };
                          check.function("real", f, check.real({3, 4}, -3, 3));
                          check.finite("large", f, Tensor<double>({4}, {1e30, -1e30, 40, -40}));
                        });

template <RealScalar R>
Var<R> gelu(const Var<R>& x) {
  const ValueAndSlope<R> y = gelu_with_slope(x.value(), wants_grad(x));
  return record(
      gelu_op, y.value,
      [slope = y.slope, dx = accumulator(x)](const Tensor<R>& dy) {
        accumulate_map(
            dx, [](auto s, auto g) { return s * g; }, slope, dy);
      },
      [&](const auto&) { return slope_of_gelu(x) * tangent(x); }, x);
}

// ------------------------------------------------------------------------------------------------ silu

static const Op silu_op({.name = "silu",
                         .kind = Kind::Real,
                         .equation = "y = x σ(x), σ(x) = 1/(1 + e^-x)",
                         .dz = "σ (1 + x (1 - σ))",
                         .dzbar = "no complex input",
                         .vjp = "dx = σ (1 + x (1 - σ)) dy",
                         .jvp = "ẏ = σ (1 + x (1 - σ)) ẋ",
                         .derivation = "Product rule with σ' = σ (1 - σ): y' = σ + x σ (1 - σ).",
                         .singular = "none; for large |x| the values are x or 0 and the derivatives 1 or 0",
                         .source = "Hendrycks and Gimpel, arXiv:1606.08415, sec. 2"},
                        [](OpCheck& check) {
                          const auto f = [](auto x) { return silu(x); };
                          check.function("real", f, check.real({3, 4}, -3, 3));
                          check.finite("large", f, Tensor<double>({4}, {1e30, -1e30, 100, -100}));
                        });

template <RealScalar R>
Var<R> silu(const Var<R>& x) {
  return record(
      silu_op, map_packs([](auto v) { return silu_of(v); }, x.value()),
      [x = x.value(), dx = accumulator(x)](const Tensor<R>& dy) {
        accumulate_map(
            dx, [](auto v, auto g) { return silu_derivative(v) * g; }, x, dy);
      },
      [&](const auto&) { return slope_of_silu(x) * tangent(x); }, x);
}

// ------------------------------------------------------------------------------------------------ swiglu

static const Op swiglu_op({.name = "swiglu",
                           .kind = Kind::Real,
                           .equation = "y = g σ(g) u, g the gate, u the up projection",
                           .dz = "∂y/∂g = u σ (1 + g (1 - σ)), ∂y/∂u = g σ",
                           .dzbar = "no complex input",
                           .vjp = "dg = u σ (1 + g (1 - σ)) dy, du = g σ dy",
                           .jvp = "ẏ = u σ (1 + g (1 - σ)) ġ + g σ u̇",
                           .derivation = "y = silu(g) u with silu' = σ (1 + g (1 - σ)). Both gradients take one pass.",
                           .singular = "none",
                           .source = "Shazeer, arXiv:2002.05202, eq. 6"},
                          [](OpCheck& check) {
                            const auto f = [](auto gate, auto up) { return swiglu(gate, up); };
                            check.function("real", f, check.real({3, 4}, -3, 3), check.real({3, 4}));
                            check.finite("large gate", f, Tensor<double>({2}, {1e30, -1e30}), Tensor<double>({2}, {1, 2}));
                          });

template <RealScalar R>
Var<R> swiglu(const Var<R>& gate, const Var<R>& up) {
  require(gate.shape() == up.shape(), "swiglu", "gate and up must have the same shape, got {} and {}", gate.shape(), up.shape());
  return record(
      swiglu_op, map_packs([](auto g, auto u) { return silu_of(g, u); }, gate.value(), up.value()),
      [gate = gate.value(), up = up.value(), dgate = accumulator(gate), dup = accumulator(up)](const Tensor<R>& dy) {
        Tensor<R> dg(dy.shape()), du(dy.shape());
        parallel_for(dy.size(), elementwise_grain, [&](std::int64_t begin, std::int64_t end) {
          for_packs<R>(begin, end, [&](auto at) {
            const Pack<R> g = at.load(gate.data()), u = at.load(up.data()), d = at.load(dy.data());
            at.store(dg.data(), d * silu_derivative(g, u));
            at.store(du.data(), d * silu_of(g));
          });
        });
        dgate.add(std::move(dg));
        dup.add(std::move(du));
      },
      [&](const auto&) { return slope_of_silu(gate) * up * tangent(gate) + silu(gate) * tangent(up); }, gate, up);
}

#define ARGAND_ACTIVATION(R)           \
  template Var<R> relu(const Var<R>&); \
  template Var<R> gelu(const Var<R>&); \
  template Var<R> silu(const Var<R>&); \
  template Var<R> swiglu(const Var<R>&, const Var<R>&);
ARGAND_FOR_REAL(ARGAND_ACTIVATION)

}  // namespace argand
