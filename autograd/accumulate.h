#pragma once
/// One-pass gradients of elementwise ops.

#include "autograd/tape.h"
#include "core/kernels/accurate.h"

namespace argand {

/// dx[i] = f(a[i], ...), or dx[i] += f(a[i], ...) if there is a gradient already: one pass without a temporary. Does nothing when
/// dx is not needed. Calls f with packs of R, or with numbers if R is void.
template <class R, Scalar T, class F, Scalar A, Scalar... Rest>
void accumulate_by(const GradientAccumulator<T>& dx, const F& f, const Tensor<A>& a, const Tensor<Rest>&... rest) {
  (require(a.shape() == rest.shape(), "backward", "shapes do not match: {} and {}", a.shape(), rest.shape()), ...);
  dx.accumulate([&](T* __restrict out, bool add) {
    const auto put = [&](auto at) { at.put(out, f(at.load(a.data()), at.load(rest.data())...), add); };
    parallel_for(a.size(), elementwise_grain, [&](std::int64_t begin, std::int64_t end) {
      if constexpr (std::is_void_v<R>)
        for (std::int64_t i = begin; i < end; ++i) put(OneAt{i});
      else
        for_packs<R>(begin, end, put);
    });
  });
}

/// The same with packs if f takes them (core/kernels/elementwise.h).
template <Scalar T, class F, Scalar A, Scalar... Rest>
void accumulate_map(const GradientAccumulator<T>& dx, const F& f, const Tensor<A>& a, const Tensor<Rest>&... rest) {
  accumulate_by<std::conditional_t<TakesPacks<F, A, Rest...>, RealOf<T>, void>>(dx, f, a, rest...);
}

/// The same for elementary functions, as accurately as map_accurately.
template <Scalar T, class F, Scalar A, Scalar... Rest>
void accumulate_accurately(const GradientAccumulator<T>& dx, const F& f, const Tensor<A>& a, const Tensor<Rest>&... rest) {
  constexpr bool by_packs = std::same_as<RealOf<A>, float> && TakesPacks<F, DoubleOf<A>, DoubleOf<Rest>...>;
  accumulate_by<std::conditional_t<by_packs, double, void>>(dx, f, a, rest...);
}

/// Returns x if `reader` needs a gradient, otherwise an empty tensor, for backward closures to capture.
template <Scalar T, Scalar S>
Tensor<T> save_if_needed(const GradientAccumulator<S>& reader, const Tensor<T>& x) {
  return reader ? x : Tensor<T>();
}

}  // namespace argand
