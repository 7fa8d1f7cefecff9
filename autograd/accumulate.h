#pragma once
/// One-pass gradients of elementwise ops.

#include "autograd/tape.h"
#include "core/kernels/accurate.h"

namespace argand {

/// dx[i] = f(a[i], ...), or dx[i] += f(a[i], ...) if there is a gradient already: one pass without a temporary. f is called with
/// packs if it takes them (core/kernels/elementwise.h). Does nothing when dx is not needed.
template <Scalar T, class F, Scalar A, Scalar... Rest>
void accumulate_map(const GradientAccumulator<T>& dx, const F& f, const Tensor<A>& a, const Tensor<Rest>&... rest) {
  (require(a.shape() == rest.shape(), "backward", "shapes do not match: {} and {}", a.shape(), rest.shape()), ...);
  dx.accumulate([&](T* __restrict out, bool add) {
    parallel_for(a.size(), elementwise_grain, [&](std::int64_t begin, std::int64_t end) {
      if constexpr (TakesPacks<F, A, Rest...>)
        for_packs<RealOf<T>>(begin, end, [&](auto at) { at.put(out, f(at.load(a.data()), at.load(rest.data())...), add); });
      else
        for (std::int64_t i = begin; i < end; ++i)
          out[i] = add ? out[i] + f(a.data()[i], rest.data()[i]...) : f(a.data()[i], rest.data()[i]...);
    });
  });
}

/// The same for elementary functions, as accurately as map_accurately.
template <Scalar T, class F, Scalar A, Scalar... Rest>
void accumulate_accurately(const GradientAccumulator<T>& dx, const F& f, const Tensor<A>& a, const Tensor<Rest>&... rest) {
  if constexpr (std::same_as<RealOf<A>, float> && TakesPacks<F, DoubleOf<A>, DoubleOf<Rest>...>) {
    (require(a.shape() == rest.shape(), "backward", "shapes do not match: {} and {}", a.shape(), rest.shape()), ...);
    dx.accumulate([&](T* out, bool add) {
      parallel_for(a.size(), elementwise_grain, [&](std::int64_t begin, std::int64_t end) {
        for_packs<double>(begin, end, [&](auto at) { at.put(out, f(at.load(a.data()), at.load(rest.data())...), add); });
      });
    });
  } else {
    accumulate_map(
        dx, [&f](A x, Rest... others) { return f(x, others...); }, a, rest...);  // f's packs are for floats
  }
}

/// Returns x if `reader` needs a gradient, otherwise an empty tensor, for backward closures to capture.
template <Scalar T, Scalar S>
Tensor<T> save_if_needed(const GradientAccumulator<S>& reader, const Tensor<T>& x) {
  return reader ? x : Tensor<T>();
}

}  // namespace argand
