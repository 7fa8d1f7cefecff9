#pragma once
/// Sums over one axis of a tensor, and their adjoints.

#include <algorithm>

#include "autograd/accumulate.h"
#include "core/kernels/reduce.h"

namespace argand {

/// Σ term(x) over the middle axis of [outer, n, inner], result [outer, inner]. Calls `term(value, place)`, place in [0,
/// outer·inner); for inner > 1 with packs if it takes them, and `place` is that of the first element.
template <Scalar Out, Scalar T, class F>
void sum_axis(const T* x, const AxisView& view, Out* __restrict y, const F& term) {
  const auto [outer, n, inner] = view;
  if (outer == 1 && inner == 1) {
    y[0] = block_sum<Out>(n, [&](std::int64_t i) { return term(x[i], 0); });
    return;
  }
  if (inner == 1) {
    parallel_for(outer, row_grain(n), [&, n = n](std::int64_t begin, std::int64_t end) {
      for (std::int64_t o = begin; o < end; ++o) y[o] = lane_sum<Out>(n, [&](std::int64_t i) { return term(x[o * n + i], o); });
    });
    return;
  }
  Tensor<Out> of_block(Shape{n > summed_rows ? outer * inner : 0});
  Out* const later = of_block.data();
  // Columns are independent: each thread sums its share of them.
  parallel_for(outer * inner, 64, [&, n = n, inner = inner](std::int64_t begin, std::int64_t end) {
    while (begin < end) {
      const std::int64_t o = begin / inner, first = begin % inner, last = std::min(inner, first + end - begin);
      Out* const total = y + o * inner;
      for (std::int64_t j = first; j < last; ++j) total[j] = Out(0);
      for (std::int64_t from = 0; from < n; from += summed_rows) {
        Out* const row = from == 0 ? total : later + o * inner;
        for (std::int64_t j = first; from > 0 && j < last; ++j) row[j] = Out(0);
        for (std::int64_t i = from; i < std::min(n, from + summed_rows); ++i) {
          const T* in = x + (o * n + i) * inner;
          if constexpr (std::invocable<F, PackOf<T>, std::int64_t>)
            for_short_packs<RealOf<T>>(first, last, [&](auto at) { at.add(row, term(at.load(in), o * inner + at.place)); });
          else
            for (std::int64_t j = first; j < last; ++j) row[j] += term(in[j], o * inner + j);
        }
        for (std::int64_t j = first; from > 0 && j < last; ++j) total[j] += row[j];
      }
      begin += last - first;
    }
  });
}

/// Adjoint of a reduction: dx[i] (+)= f(i, place), where `place` is the element of the result that x[i] contributes to.
template <Scalar T, class F>
void spread_axis(const GradientAccumulator<T>& dx, const AxisView& view, const F& f) {
  dx.accumulate([&](T* __restrict out, bool add) {
    const auto [outer, n, inner] = view;
    const auto put = [&](std::int64_t i, std::int64_t place) { out[i] = add ? out[i] + f(i, place) : f(i, place); };
    parallel_for(outer * n, row_grain(inner), [&, n = n, inner = inner](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end;) {
        const std::int64_t o = row / n, stop = std::min(end, (o + 1) * n);
        if (inner == 1)
          for (; row < stop; ++row) put(row, o);
        else
          for (; row < stop; ++row)
            for (std::int64_t j = 0; j < inner; ++j) put(row * inner + j, o * inner + j);
      }
    });
  });
}

/// dx[i] (+)= c dy[place], the adjoint of c times the sum.
template <Scalar T>
void spread(const GradientAccumulator<T>& dx, const AxisView& view, const T* dy, RealOf<T> c) {
  dx.accumulate([&](T* out, bool add) {
    const auto [outer, n, inner] = view;
    parallel_for(outer * n, row_grain(inner), [&, n = n, inner = inner](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end;) {
        const std::int64_t o = row / n, stop = std::min(end, (o + 1) * n);
        if (inner == 1)
          for_short_packs<RealOf<T>>(row, stop, [&](auto at) { at.put(out, at.same(mul(dy[o], c)), add); });
        else
          for (; row < stop; ++row)
            for_short_packs<RealOf<T>>(0, inner, [&](auto at) { at.put(out + row * inner, at.load(dy + o * inner) * c, add); });
        row = stop;
      }
    });
  });
}

}  // namespace argand
