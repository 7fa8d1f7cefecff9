#include "nn/attention/projection.h"

#include "autograd/ops/elementwise/complex_parts.h"

namespace argand {

template <RealScalar R>
Projection<R> Projection<R>::dense(Init& init, std::int64_t in, std::int64_t out, bool bias) {
  return Projection(Linear<R>(init, in, out, bias));
}

template <RealScalar R>
Projection<R> Projection<R>::complex(Init& init, std::int64_t in, std::int64_t out) {
  require(in % 2 == 0 && out % 2 == 0, "projection", "widths must be even to form pairs, got {} -> {}", in, out);
  return Projection(Linear<std::complex<R>>(init, in / 2, out / 2, false));
}

template <RealScalar R>
Var<R> Projection<R>::operator()(const Var<R>& x) const {
  if (const auto* dense = std::get_if<Linear<R>>(&map_)) return (*dense)(x);
  return view_as_real(std::get<Linear<std::complex<R>>>(map_)(view_as_complex(x)));
}

template <RealScalar R>
void Projection<R>::visit(const Visit<R>& f) const {
  std::visit([&](const auto& map) { map.visit(f); }, map_);
}

template class Projection<float>;
template class Projection<double>;

}  // namespace argand
