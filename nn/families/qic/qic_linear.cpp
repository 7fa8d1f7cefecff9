#include "nn/families/qic/qic_linear.h"

#include "autograd/ops/elementwise/complex_parts.h"
#include "autograd/ops/products/qic_linear.h"

namespace argand {

template <RealScalar R>
Var<R> QicLinear<R>::operator()(const Var<R>& x, const Var<R>& theta) const {
  return view_as_real(qic_linear(view_as_complex(x), map_.weight, *map_.bias, theta));
}

template class QicLinear<float>;
template class QicLinear<double>;

}  // namespace argand
