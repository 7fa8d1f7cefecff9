#include "autograd/slot_gradient.h"

namespace argand {

std::optional<AnyValue> slot_gradient(const SlotBase* slot) {
  std::optional<AnyValue> found;
  const auto look = [&]<class T>(const Slot<T>* typed) {
    if (typed != nullptr && typed->present) found = typed->grad;
  };
  look(dynamic_cast<const Slot<float>*>(slot));
  look(dynamic_cast<const Slot<double>*>(slot));
  look(dynamic_cast<const Slot<std::complex<float>>*>(slot));
  look(dynamic_cast<const Slot<std::complex<double>>*>(slot));
  return found;
}

}  // namespace argand
