#include "optim/clip.h"

#include <cmath>
#include <numeric>

#include "core/kernels/pack.h"
#include "optim/real_view.h"

namespace argand {

template <RealScalar R>
double grad_norm(const ParameterList<R>& parameters) {
  require_variables(parameters, "grad_norm");
  const std::vector<RealBlock> blocks = real_blocks(parameters);
  std::vector<double> sums(blocks.size());
  parallel_for(static_cast<std::int64_t>(blocks.size()), 1, [&](std::int64_t first, std::int64_t last) {
    for (auto b = static_cast<std::size_t>(first); b < static_cast<std::size_t>(last); ++b) {
      const R* g = gradient_data(parameters[blocks[b].tensor]);
      if (g == nullptr) continue;
      sums[b] = pack_sum<double>(blocks[b].begin, blocks[b].end, [g](auto at) {
        const Pack<double> x = at.load(g);
        return x * x;
      });
    }
  });
  return std::sqrt(std::accumulate(sums.begin(), sums.end(), 0.0));
}

double clip_factor(double norm, double max_norm) {
  require(max_norm >= 0, "clip", "the largest norm must not be negative, got {}; 0 means no limit", max_norm);
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
