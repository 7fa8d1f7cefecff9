#pragma once
/// Linear layers over the numbers of an algebra: QIC, complex, complex with phase gates, quaternion.

#include <memory>

#include "nn/families/qic/config.h"
#include "nn/layers.h"

namespace argand {

/// x [..., parts·in] -> [..., parts·out]: numbers of two or four real components, stored next to each other in a real tensor.
template <RealScalar R>
class NumberLinear : public Module<R> {
 public:
  /// θ has shape [1], or [H] with one angle for each of H equal groups of outputs. Only QIC numbers have an angle.
  virtual Var<R> operator()(const Var<R>& x, const Var<R>& theta) const = 0;
};

/// Creates the layer for an algebra; `in` and `out` count numbers. Throws for real numbers, whose layers are Linear.
template <RealScalar R>
std::unique_ptr<NumberLinear<R>> make_number_linear(Init& init, Algebra algebra, std::int64_t in, std::int64_t out);

}  // namespace argand
