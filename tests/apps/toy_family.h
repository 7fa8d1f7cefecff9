#pragma once
/// A family that is not part of the library; it shows all that a program needs in order to add one.

#include "nn/family.h"

namespace argand {

/// `toy` has complex states. In each layer, every state is multiplied by learnt phases, one for each component, to make a query;
/// what the query finds among all states by dot attention is added to the state.
Family toy_family();

}  // namespace argand
