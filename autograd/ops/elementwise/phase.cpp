#include "autograd/ops/elementwise/phase.h"

#include "autograd/accumulate.h"
#include "autograd/op_check.h"
#include "autograd/ops/elementwise/derivatives.h"
#include "core/kernels/complex_math.h"

namespace argand {

static const Op unit_phasor_op(
    {.name = "unit_phasor",
     .kind = Kind::General,
     .equation = "u = z/|z|, 0 at z = 0",
     .dz = "1/(2|z|)",
     .dzbar = "-u²/(2|z|)",
     .vjp = "dz = i u Im(conj(u) du) / |z|, 0 at z = 0",
     .jvp = "u̇ = i u Im(conj(u) ż) / |z|, 0 at z = 0",
     .derivation =
         "u = z (z z̄)^(-1/2): ∂u/∂z = 1/|z| - ½ z z̄/|z|³ = 1/(2|z|), ∂u/∂z̄ = -½ z²/|z|³ = -u²/(2|z|). So dz = (du - u² "
         "conj(du))/(2|z|) = u (conj(u) du - u conj(du))/(2|z|) = u · 2i Im(conj(u) du)/(2|z|): only the rotational part of du "
         "moves the phase. Forward, u = e^{iθ} turns at the rate θ̇ = Im(ż/z) = Im(conj(u) ż)/|z|, the tangent of arg z.",
     .singular = "z = 0: value 0, gradient 0; the gradient is also 0 for a subnormal |z|, where 1/|z| may overflow",
     .source = "Kreutz-Delgado, The Complex Gradient Operator and the CR-Calculus, 2009, sec. 4.2"},
    [](OpCheck& check) {
      using C = std::complex<double>;
      const auto f = [](auto z) { return unit_phasor(z); };
      check.function("complex", f, check.complex({3, 4}));
      check.singular("zero", f, Tensor<C>({4}, {{0.0, 0.0}, {-0.0, 0.0}, {0.0, -0.0}, {-0.0, -0.0}}), Tensor<C>::zeros({4}));
      check.finite("huge, tiny and subnormal", f,
                   Tensor<C>({5}, {{1e30, -1e30}, {-1e30, 1.0}, {1e-30, 1e-30}, {1e-40, -1e-42}, {0.0, 1e-45}}));
    });

template <RealScalar R>
Var<std::complex<R>> unit_phasor(const Var<std::complex<R>>& z) {
  using T = std::complex<R>;
  return record(
      unit_phasor_op, map_packs([](auto v) { return phasor(v); }, z.value()),
      [x = z.value(), dz = accumulator(z)](const Tensor<T>& du) {
        accumulate_map(
            dz, [](auto v, auto g) { return turn(v, conj_mul(phasor(v), g).im); }, x, du);
      },
      [&](const Var<T>& u) { return T(0, 1) * u * tangent_of_angle(z, u, tangent(z)); }, z);
}

#define ARGAND_PHASE(R) template Var<std::complex<R>> unit_phasor(const Var<std::complex<R>>&);
ARGAND_FOR_REAL(ARGAND_PHASE)

}  // namespace argand
