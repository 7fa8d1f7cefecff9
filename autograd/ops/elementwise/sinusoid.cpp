#include "autograd/ops/elementwise/sinusoid.h"

#include <cmath>

#include "autograd/op_check.h"
#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/elementwise/complex_parts.h"
#include "autograd/tape.h"

namespace argand {

static const Op sinusoid_op(
    {.name = "sinusoid",
     .kind = Kind::Real,
     .equation = "y_t,2i = sin(a), y_t,2i+1 = cos(a), a = t/10000^(2i/d) + φ_i",
     .dz = "∂y_t,2i/∂φ_i = y_t,2i+1;  ∂y_t,2i+1/∂φ_i = -y_t,2i",
     .dzbar = "no complex input",
     .vjp = "dφ_i = Σ_t y_t,2i+1 dy_t,2i - y_t,2i dy_t,2i+1",
     .jvp = "ẏ_t,2i = y_t,2i+1 φ̇_i;  ẏ_t,2i+1 = -y_t,2i φ̇_i",
     .derivation = "sin' = cos and cos' = -sin: the derivative of each column is the other up to sign, so the gradient needs only "
                   "the output. With the two columns as one complex number c = sin a + i cos a, ċ = -i c φ̇.",
     .singular = "none",
     .source = "CRAT, positions with phase offsets; Vaswani et al. (2017), section 3.5"},
    [](OpCheck& check) {
      const auto f = [](auto phase) { return sinusoid(phase, 2, 4); };
      check.function("from position 2", f, check.real({3}));
      check.sizes("phases", [f](OpCheck& at, std::int64_t n) { at.function("", f, at.real({n})); });
      check.sizes("positions", [](OpCheck& at, std::int64_t n) {
        at.function(
            "", [n](auto phase) { return sinusoid(phase, 2, n); }, at.real({3}));
      });
    });

template <RealScalar R>
Var<R> sinusoid(const Var<R>& phase, std::int64_t first, std::int64_t T) {
  require(phase.rank() == 1 && T >= 0, "sinusoid", "phase must be a vector [d/2], got {} for {} positions", phase.shape(), T);
  const std::int64_t n = phase.dim(0);
  Tensor<R> y(Shape{T, 2 * n});
  for (std::int64_t i = 0; i < n; ++i) {
    const double frequency = std::pow(10000.0, -static_cast<double>(i) / static_cast<double>(n));
    for (std::int64_t t = 0; t < T; ++t) {  // angles in double: t outgrows float's accuracy
      const double a = static_cast<double>(first + t) * frequency + static_cast<double>(phase.value().data()[i]);
      y.data()[t * 2 * n + 2 * i] = static_cast<R>(std::sin(a));
      y.data()[t * 2 * n + 2 * i + 1] = static_cast<R>(std::cos(a));
    }
  }
  return record(
      sinusoid_op, y,
      [y, n, T, dphase = accumulator(phase)](const Tensor<R>& dy) {
        Tensor<R> d = Tensor<R>::zeros({n});
        for (std::int64_t t = 0; t < T; ++t) {
          const R *p = y.data() + t * 2 * n, *g = dy.data() + t * 2 * n;
          for (std::int64_t i = 0; i < n; ++i) d.data()[i] += p[2 * i + 1] * g[2 * i] - p[2 * i] * g[2 * i + 1];
        }
        dphase.add(std::move(d));
      },
      [&](const Var<R>& y) { return view_as_real(std::complex<R>(0, -1) * view_as_complex(y) * tangent(phase)); }, phase);
}

#define ARGAND_SINUSOID(R) template Var<R> sinusoid(const Var<R>&, std::int64_t, std::int64_t);
ARGAND_FOR_REAL(ARGAND_SINUSOID)

}  // namespace argand
