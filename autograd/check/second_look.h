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

/// At a kink each output moves by one of two slopes, and an honest gradient is made of slopes between them, or of those at points
/// nearby: where several elements tie, the limit of gradients need not lie between the slopes along one axis. A kink that is closer
/// than the steps of a difference is found by slopes that differ from side to side by the same amount at steps of all sizes, or by
/// gradients, which are f's slopes further away. `noise` is that of f's values, relative to them: where it hides slopes, an element
/// is excused only if f turns between neighbouring numbers.
SecondLook second_look(const ScalarProjection& projected, const ElementCheck& e, std::uint64_t seed, double noise = 0);

/// Settles what is at a kink: it fails where its gradient is not finite or stands outside of the slopes, and a sentence says so;
/// `between_slopes` is set where it was found to lie there.
std::string settle_kink(const ScalarProjection& projected, ElementCheck& e, std::uint64_t seed);

}  // namespace argand
