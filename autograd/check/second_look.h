#pragma once
/// Before a gradient is accused: reasons why an element that seems wrong may be right.

#include <cstdint>
#include <string>

#include "autograd/gradcheck.h"

namespace argand {

enum class SecondLook {
  Stands,      ///< it is wrong
  Unresolved,  ///< the two differ by less than rounding inside of f can make
  Kink,        ///< a slope that f has nearby, on one side of a kink or the other
};

/// At a kink each output moves with one of two slopes. An honest gradient combines slopes between them, or those at points nearby:
/// where several elements tie, the limit of gradients need not lie between the slopes along one axis. A kink that is closer than
/// the difference steps shows as slopes that differ from side to side by the same amount at all step sizes, or as gradients nearby
/// that span the difference while those further away are right. `noise`: of f's values, relative to them; where it hides slopes,
/// only a gradient that a polynomial through the noise rules out stands accused.
SecondLook second_look(const ScalarProjection& projected, const ElementCheck& e, std::uint64_t seed, double noise = 0);

/// Settles what is at a kink: it fails where its gradient is not finite or stands outside of the slopes, and a sentence says so;
/// `between_slopes` is set where it was found to lie there.
std::string settle_kink(const ScalarProjection& projected, ElementCheck& e, std::uint64_t seed);

}  // namespace argand
