#pragma once
/// A second look at elements that seem wrong, before they are reported: a kink or rounding may explain the difference.

#include <cstdint>
#include <string>

#include "autograd/gradcheck.h"

namespace argand {

enum class SecondLook {
  Stands,      ///< no explanation: the gradient is wrong
  Unresolved,  ///< the difference is within the rounding errors inside f
  Kink,        ///< the gradient is a slope of f nearby, on one side of a kink or the other
};

/// At a kink each output has two one-sided slopes. A valid gradient combines slopes between them, or those at points nearby: where
/// several elements tie, the limit of gradients need not lie between the slopes along one axis. A kink closer than the difference
/// steps shows as slopes that differ from side to side by the same amount at all step sizes, or as gradients nearby that span the
/// difference while those further away are correct. `noise`: the relative noise of f's values; where it hides slopes, a gradient is
/// called wrong only if a polynomial fitted through the noise rules it out.
SecondLook second_look(const ScalarProjection& projected, const ElementCheck& e, std::uint64_t seed, double noise = 0);

/// Judges an element at a kink: the element fails if its gradient is not finite or lies outside the slopes, and the result says so;
/// sets `between_slopes` if the gradient lies between them.
std::string settle_kink(const ScalarProjection& projected, ElementCheck& e, std::uint64_t seed);

}  // namespace argand
