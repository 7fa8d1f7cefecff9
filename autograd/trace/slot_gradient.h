#pragma once
/// Access to the gradient in a slot whose scalar type is known only at run time.

#include <map>
#include <optional>

#include "autograd/tape.h"
#include "autograd/watch.h"

namespace argand {

/// Calls f with the slot as its actual type Slot<T>*, const if `slot` is; does nothing for null.
template <class Base, class F>
void visit_slot(Base* slot, const F& f) {
  const auto as = [&]<class T>() {
    using Typed = std::conditional_t<std::is_const_v<Base>, const Slot<T>, Slot<T>>;
    if (auto* typed = dynamic_cast<Typed*>(slot)) f(typed);
  };
  as.template operator()<float>();
  as.template operator()<double>();
  as.template operator()<std::complex<float>>();
  as.template operator()<std::complex<double>>();
}

/// The gradient accumulated so far, sharing its storage; nullopt if none has arrived or the slot is null.
std::optional<AnyValue> slot_gradient(const SlotBase* slot);

/// Construct it between a forward pass and its backward pass. On destruction, the leaves that the tape reads get back their earlier
/// gradients, so inspecting a gradient has no lasting effect.
class KeptGradients {
 public:
  [[nodiscard]] explicit KeptGradients(const Tape& tape);
  /// Also restores the gradient of this slot, which may be null.
  void keep(const std::shared_ptr<SlotBase>& slot);
  /// Exempts this slot: it keeps its new gradient.
  void except(const std::shared_ptr<SlotBase>& slot) { before_.erase(slot); }
  ~KeptGradients();
  KeptGradients(const KeptGradients&) = delete;
  KeptGradients& operator=(const KeptGradients&) = delete;

 private:
  std::map<std::shared_ptr<SlotBase>, std::optional<AnyValue>> before_;
};

}  // namespace argand
