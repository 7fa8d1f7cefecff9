#pragma once
/// A deliberate mistake in one op's gradient, to show that the checks find it.

#include <string>
#include <string_view>

#include "autograd/context.h"

namespace argand {

enum class Fault {
  // Faults in all elements.
  Conjugate,  ///< conjugated
  Twice,      ///< doubled
  Half,       ///< halved
  Transpose,  ///< the last two axes transposed, then reshaped to the old shape
  // Faults that a careless check misses. Unless stated otherwise, the gradient is doubled when
  Adding,         ///< there is a gradient already, to which it is added
  Overwriting,    ///< there is a gradient already, which is overwritten
  Tail,           ///< the element is one of the last n mod 8 of n, which do not fill a vector of 8
  FarElements,    ///< the element is past the first 4096, which one thread computes
  Float32,        ///< it is float32 or complex64
  SecondUse,      ///< the op has read the same input before on this tape
  ThirdBackward,  ///< the op's gradient is computed for the third time or later since the fault was planted
  LargeGradient,  ///< an element of the incoming gradient is larger than 2
};
std::string_view fault_name(Fault fault);

/// Falsifies the gradients that the op gives its inputs, on every tape of this thread, during its lifetime. Only one may exist at a
/// time.
class PlantedFault {
 public:
  /// Throws if there is no such op.
  PlantedFault(std::string op, Fault fault);
  ~PlantedFault();
  PlantedFault(const PlantedFault&) = delete;
  PlantedFault& operator=(const PlantedFault&) = delete;

 private:
  Context::Runner before_;
};

}  // namespace argand
