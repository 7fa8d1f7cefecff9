#include "optim/clip.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "core/kernels/pack.h"
#include "optim/real_view.h"

namespace argand {

template <RealScalar R>
double grad_norm(const ParameterList<R>& parameters) {
  require_variables(parameters, "grad_norm");
  const std::vector<RealBlock> blocks = real_blocks(parameters);
  const auto over_all = [&](const auto& of_block, const auto& join) {  // combines the blocks in an order independent of the threads
    std::vector<double> each(blocks.size());
    parallel_for(static_cast<std::int64_t>(blocks.size()), 1, [&](std::int64_t first, std::int64_t last) {
      for (auto b = static_cast<std::size_t>(first); b < static_cast<std::size_t>(last); ++b)
        if (const R* g = gradient_data(parameters[blocks[b].tensor]); g != nullptr) each[b] = of_block(blocks[b], g);
    });
    return std::accumulate(each.begin(), each.end(), 0.0, join);
  };
  const auto sum_of_squares = [&](double unit) {
    return over_all(
        [unit](const RealBlock& block, const R* g) {
          return pack_sum<double>(block.begin, block.end, [=](auto at) {
            const Pack<double> x = at.load(g) * unit;
            return x * x;
          });
        },
        std::plus<>());
  };
  const double square = sum_of_squares(1);
  if (std::isfinite(square) && square >= 1e-290) return std::sqrt(square);
  // Squares of float64 gradients beyond 1e154 or below 1e-154 are out of range.
  const double largest = over_all(
      [](const RealBlock& block, const R* g) {
        double most = 0;
        for (std::int64_t i = block.begin; i < block.end; ++i) most = std::max(most, std::abs(static_cast<double>(g[i])));
        return most;
      },
      [](double a, double b) { return std::max(a, b); });
  if (largest == 0 || !std::isfinite(largest) || std::isnan(square)) return std::sqrt(square);
  const int exponent = std::clamp(std::ilogb(largest), -1020, 1020);
  return std::ldexp(std::sqrt(sum_of_squares(std::ldexp(1.0, -exponent))), exponent);
}

double clip_factor(double norm, double max_norm) {
  require(max_norm >= 0, "clip", "max_norm must not be negative, got {}; 0 means no limit", max_norm);
  return max_norm > 0 && norm > max_norm ? max_norm / norm : 1;
}

template <RealScalar R>
void scale_gradients(const ParameterList<R>& parameters, double factor) {
  require_variables(parameters, "scale_gradients");
  for (Parameter<R> p : parameters)
    std::visit(
        [&]<Scalar T>(Var<T>& v) {
          if (!v.has_grad()) return;
          T* g = v.slot()->grad.data();
          const R by = static_cast<R>(factor);
          parallel_for(v.size(), elementwise_grain, [&](std::int64_t begin, std::int64_t end) {
            for_packs<R>(begin, end, [&](auto at) { at.store(g, at.load(g) * by); });
          });
        },
        p.var);
}

template <RealScalar R>
double clip_grad_norm(const ParameterList<R>& parameters, double max_norm) {
  const double norm = grad_norm(parameters), factor = clip_factor(norm, max_norm);
  if (factor != 1) scale_gradients(parameters, factor);
  return norm;
}

#define ARGAND_CLIP(R)                                            \
  template double grad_norm(const ParameterList<R>&);             \
  template void scale_gradients(const ParameterList<R>&, double); \
  template double clip_grad_norm(const ParameterList<R>&, double);
ARGAND_FOR_REAL(ARGAND_CLIP)

}  // namespace argand
