#pragma once
/// What `argand gradcheck` checks of QIC.

#include "nn/family.h"

namespace argand {

GradientChecks qic_checks();

}  // namespace argand
