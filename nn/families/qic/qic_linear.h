#pragma once
/// QIC's linear layer.

#include "nn/families/qic/number_linear.h"

namespace argand {

/// y = W x + b in the algebra of θ (autograd/ops/products/qic_linear.h); weight [out, in] ~ N(0, 1/in) and bias [out] = 0 consist
/// of pairs (a, b).
template <RealScalar R>
class QicLinear final : public NumberLinear<R> {
 public:
  QicLinear(Init& init, std::int64_t in, std::int64_t out) : map_(init, in, out) {}
  Var<R> operator()(const Var<R>& x, const Var<R>& theta) const override;
  void visit(const Visit<R>& f) const override { map_.visit(f); }

 private:
  Linear<std::complex<R>> map_;  ///< holds the parameters
};

}  // namespace argand
