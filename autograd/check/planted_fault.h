#pragma once
/// A mistake put into one op's gradient on purpose, to show that the checks find it.

#include <string>
#include <string_view>

#include "autograd/context.h"

namespace argand {

enum class Fault {
  // Wrong wherever one looks.
  Conjugate,  ///< conjugated
  Twice,      ///< doubled
  Half,       ///< halved
  Transpose,  ///< the numbers of the transposed last two axes, poured into the old shape
  // Right where a careless check looks; doubled, unless it says otherwise, when
  Adding,         ///< there is a gradient already, to which it is added
  Overwriting,    ///< there is a gradient already, which is lost
  Tail,           ///< the element is one of the last n mod 8 of n, what a vector of 8 leaves over
  FarElements,    ///< the element is past the first 4096, which one thread computes
  Float32,        ///< it is float32 or complex64
  SecondUse,      ///< the op has read the same input before on this tape
  ThirdBackward,  ///< the op's gradient is computed for the third time or later since the fault was planted
  LargeGradient,  ///< an element of the incoming gradient is larger than 2
};
std::string_view fault_name(Fault fault);

/// While it lives, on every tape of this thread, the gradients that the op gives its inputs are falsified. One at a time.
class PlantedFault {
 public:
  /// Throws when there is no such op.
  PlantedFault(std::string op, Fault fault);
  ~PlantedFault();
  PlantedFault(const PlantedFault&) = delete;
  PlantedFault& operator=(const PlantedFault&) = delete;

 private:
  Context::Runner before_;
};

}  // namespace argand
