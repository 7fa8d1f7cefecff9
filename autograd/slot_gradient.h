#pragma once
/// The gradient in a slot whose scalar is not known.

#include <optional>

#include "autograd/watch.h"

namespace argand {

/// What has gathered in it so far, sharing its storage; nothing where no gradient has arrived, or for null.
std::optional<AnyValue> slot_gradient(const SlotBase* slot);

}  // namespace argand
