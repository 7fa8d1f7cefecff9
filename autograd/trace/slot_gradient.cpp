#include "autograd/trace/slot_gradient.h"

namespace argand {

std::optional<AnyValue> slot_gradient(const SlotBase* slot) {
  std::optional<AnyValue> found;
  visit_slot(slot, [&](const auto* typed) {
    if (typed->present) found = typed->grad;
  });
  return found;
}

KeptGradients::KeptGradients(const Tape& tape) {
  for (const TapeEntry& entry : tape.entries())
    for (const auto& input : entry.inputs)
      if (input != nullptr && input->leaf) keep(input);
}

void KeptGradients::keep(const std::shared_ptr<SlotBase>& slot) {
  if (slot != nullptr) before_.emplace(slot, slot_gradient(slot.get()));
}

KeptGradients::~KeptGradients() {
  for (auto& [slot, gradient] : before_) {
    slot->clear_grad();
    if (!gradient) continue;
    std::visit(
        [&leaf = *slot]<class T>(Tensor<T>& g) {
          auto& typed = dynamic_cast<Slot<T>&>(leaf);
          typed.grad = std::move(g);
          typed.present = true;
        },
        *gradient);
  }
}

}  // namespace argand
