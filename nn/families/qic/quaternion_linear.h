#pragma once
/// The linear layer over quaternions.

#include "nn/families/qic/number_linear.h"

namespace argand {

/// y = W x + b with Hamilton's product and W on the left: a quarter of the parameters of a real layer of the same width. Weight
/// [out, in, 4] with each component ~ N(0, 1/(4 in)), bias [4 out] = 0.
template <RealScalar R>
class QuaternionLinear final : public NumberLinear<R> {
 public:
  QuaternionLinear(Init& init, std::int64_t in, std::int64_t out);
  Var<R> operator()(const Var<R>& x, const Var<R>& theta) const override;
  ARGAND_FIELDS(R, weight_, bias_)

 private:
  Var<R> weight_, bias_;
};

}  // namespace argand
