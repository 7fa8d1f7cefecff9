#pragma once
/// A family that the library does not know: all that a program needs to bring one of its own.

#include "nn/family.h"

namespace argand {

/// `toy`: complex states, each layer adds to a state what its query, the state turned by a learnt phase of each component, finds
/// among all states by dot attention.
Family toy_family();

}  // namespace argand
