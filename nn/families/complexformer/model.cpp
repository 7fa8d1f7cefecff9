#include "nn/families/complexformer/model.h"

#include "autograd/ops/elementwise/arithmetic.h"
#include "autograd/ops/elementwise/phase.h"
#include "autograd/ops/products/matmul.h"
#include "autograd/ops/rows/info_nce.h"
#include "nn/families/complexformer/phase_attention.h"

namespace argand {

template <RealScalar R>
ComplexFormer<R>::ComplexFormer(const ModelConfig& config, std::uint64_t seed)
    : Decoder<R>(config, seed, [&](Init& init) { return std::make_unique<PhaseAttention<R>>(init, config); }),
      own_(config.own<ComplexFormerConfig>()) {}

template <RealScalar R>
Var<R> ComplexFormer<R>::auxiliary_loss(const Ids& tokens, const typename TextModel<R>::Queries& queries) const {
  Var<R> total(Tensor<R>::zeros({}));
  for (const auto& q : queries) {
    const Var<R> u = join_heads(unit_phasor(q));  // (cos θ, sin θ) of every head, [B, T, d_model], of squared length d_model/2
    const double factor = 2 / (static_cast<double>(u.shape().back()) * own_.pcl_temperature);
    total = total + info_nce(scale(matmul(u, u, Transpose::No, Transpose::Yes), factor), tokens);
  }
  return scale(total, own_.pcl_weight / static_cast<double>(queries.size()));
}

template class ComplexFormer<float>;
template class ComplexFormer<double>;

}  // namespace argand
