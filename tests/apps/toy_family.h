#pragma once
/// A family that is not part of the library: everything a program needs to add one of its own.

#include "nn/family.h"

namespace argand {

/// `toy`: complex states, each layer adds to a state what its query, the state turned by a learnt phase of each component, finds
/// among all states by dot attention.
Family toy_family();

}  // namespace argand
