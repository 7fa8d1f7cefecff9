#pragma once
/// A family outside the library, which shows everything a program needs in order to add one.

#include "nn/family.h"

namespace argand {

/// `toy` has complex states. In each layer, every state is multiplied by learnt phases, one per component, to form a query; the
/// result of dot attention of this query over all states is added to the state.
Family toy_family();

}  // namespace argand
