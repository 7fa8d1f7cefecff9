#pragma once
/// ComplexFormer: the decoder with phase attention and, if its weight is positive, the phase contrastive loss.

#include "nn/decoder.h"
#include "nn/families/complexformer/config.h"

namespace argand {

template <RealScalar R>
class ComplexFormer final : public Decoder<R> {
 public:
  ComplexFormer(const ModelConfig& config, std::uint64_t seed);

 protected:
  bool wants_queries() const override { return own_.pcl_weight > 0; }
  /// For each layer: u_m = (cos θq, sin θq) of all heads, divided by sqrt(H d_k/2); s = u uᵀ/τ; InfoNCE over the positions
  /// (autograd/ops/rows/info_nce.h). Returns pcl_weight times the mean over layers.
  Var<R> auxiliary_loss(const Ids& tokens, const typename TextModel<R>::Queries& queries) const override;

 private:
  ComplexFormerConfig own_;
};

}  // namespace argand
