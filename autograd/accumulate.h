#pragma once
/// One-pass gradients of elementwise ops.

#include "autograd/tape.h"
#include "core/kernels/elementwise.h"

namespace argand {

/// dx[i] = f(a[i], ...), or dx[i] += f(a[i], ...) if there is a gradient already: one pass without a temporary. Does nothing when
/// dx is not needed.
template <Scalar T, class F, Scalar A, Scalar... Rest>
void accumulate_map(const GradientAccumulator<T>& dx, const F& f, const Tensor<A>& a, const Tensor<Rest>&... rest) {
  (require(a.shape() == rest.shape(), "backward", "shapes do not match: {} and {}", a.shape(), rest.shape()), ...);
  dx.accumulate([&](T* out, bool add) {
    const auto loop = [&f, add](std::int64_t begin, std::int64_t end, T* __restrict y, const A* pa, const Rest*... p) {
      if (add)
        for (std::int64_t i = begin; i < end; ++i) y[i] += f(pa[i], p[i]...);
      else
        for (std::int64_t i = begin; i < end; ++i) y[i] = f(pa[i], p[i]...);
    };
    parallel_for(a.size(), elementwise_grain,
                 [&](std::int64_t begin, std::int64_t end) { loop(begin, end, out, a.data(), rest.data()...); });
  });
}

/// The same, one pack at a time: f must work for any number type, as in map_packs.
template <Scalar T, class F, Scalar A, Scalar... Rest>
requires(std::same_as<RealOf<T>, RealOf<A>> &&
         (std::same_as<RealOf<T>, RealOf<Rest>> && ...)) void accumulate_packs(const GradientAccumulator<T>& dx, const F& f,
                                                                               const Tensor<A>& a, const Tensor<Rest>&... rest) {
  (require(a.shape() == rest.shape(), "backward", "shapes do not match: {} and {}", a.shape(), rest.shape()), ...);
  dx.accumulate([&](T* out, bool add) {
    parallel_for(a.size(), elementwise_grain, [&](std::int64_t begin, std::int64_t end) {
      if (add)
        for_packs<RealOf<T>>(begin, end, [&](auto at) { at.add(out, f(at.load(a.data()), at.load(rest.data())...)); });
      else
        for_packs<RealOf<T>>(begin, end, [&](auto at) { at.store(out, f(at.load(a.data()), at.load(rest.data())...)); });
    });
  });
}

/// Returns x if `reader` needs a gradient, otherwise an empty tensor, for backward closures to capture.
template <Scalar T, Scalar S>
Tensor<T> save_if_needed(const GradientAccumulator<S>& reader, const Tensor<T>& x) {
  return reader ? x : Tensor<T>();
}

}  // namespace argand
