#include "nn/families/qic/complex_linear.h"

#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/elementwise/complex_parts.h"

namespace argand {

template <RealScalar R>
Var<R> ComplexLinear<R>::operator()(const Var<R>& x, const Var<R>&) const {
  return view_as_real(map_(view_as_complex(x)));
}

template <RealScalar R>
PhaseGatedLinear<R>::PhaseGatedLinear(Init& init, std::int64_t in, std::int64_t out)
    : map_(init, in, out), phase_(init.full<R>(Role::Angle, {out}, 0)) {}

template <RealScalar R>
Var<R> PhaseGatedLinear<R>::operator()(const Var<R>& x, const Var<R>&) const {
  const Var<R> one(Tensor<R>::ones(phase_.shape()));
  return view_as_real(map_(view_as_complex(x)) * polar(one, phase_));
}

template <RealScalar R>
void PhaseGatedLinear<R>::visit(const Visit<R>& f) const {
  map_.visit(f);
  f("phase", phase_);
}

#define ARGAND_COMPLEX_LINEAR(R)   \
  template class ComplexLinear<R>; \
  template class PhaseGatedLinear<R>;
ARGAND_FOR_REAL(ARGAND_COMPLEX_LINEAR)

}  // namespace argand
