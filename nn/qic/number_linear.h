#pragma once
/// Linear layers over the numbers of an algebra: QIC's, the complex numbers, those with phase gates, quaternions.

#include <memory>
#include <string>

#include "nn/layers.h"

namespace argand {

/// x [..., parts·in] -> [..., parts·out]: numbers of two or four real parts, side by side, in a real tensor.
template <RealScalar R>
class NumberLinear : public Module<R> {
 public:
  /// θ [1], or [H] for an angle of its own in each of H equal groups of outputs; only QIC numbers have one.
  virtual Var<R> operator()(const Var<R>& x, const Var<R>& theta) const = 0;
};

/// Real parts of a number: 2, or 4 for "quaternion".
int parts_of(const std::string& algebra);

/// The layer of an algebra: "qic", "complex", "phase_gates" or "quaternion"; `in` and `out` count numbers. Throws for another.
template <RealScalar R>
std::unique_ptr<NumberLinear<R>> make_number_linear(Init& init, const std::string& algebra, std::int64_t in, std::int64_t out);

}  // namespace argand
