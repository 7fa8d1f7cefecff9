#pragma once
/// The gradient in a slot whose scalar is not known.

#include <map>
#include <optional>

#include "autograd/tape.h"
#include "autograd/watch.h"

namespace argand {

/// Calls f with the slot as the Slot<T>* that it is, const where `slot` is; not at all for null.
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

/// What has gathered in it so far, sharing its storage; nothing where no gradient has arrived, or for null.
std::optional<AnyValue> slot_gradient(const SlotBase* slot);

/// Made between a forward and its backward pass: when it goes, the leaves that the tape reads have the gradients that they had
/// before, so that a look at a gradient leaves no trace.
class KeptGradients {
 public:
  [[nodiscard]] explicit KeptGradients(const Tape& tape);
  /// Those of this slot as well, which may be null.
  void keep(const std::shared_ptr<SlotBase>& slot);
  /// This slot keeps what it gathers.
  void except(const std::shared_ptr<SlotBase>& slot) { before_.erase(slot); }
  ~KeptGradients();
  KeptGradients(const KeptGradients&) = delete;
  KeptGradients& operator=(const KeptGradients&) = delete;

 private:
  std::map<std::shared_ptr<SlotBase>, std::optional<AnyValue>> before_;
};

}  // namespace argand
