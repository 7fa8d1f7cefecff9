#include "autograd/var.h"

namespace argand {

// The handling of an op's inputs and output, compiled here once instead of in every op.
template <Scalar T>
Var<T>::Var() = default;
template <Scalar T>
Var<T>::Var(Tensor<T> value) : value_(std::move(value)) {}
template <Scalar T>
Var<T>::Var(std::shared_ptr<Slot<T>> leaf) : slot_(std::move(leaf)) {}
template <Scalar T>
Var<T>::Var(Tensor<T> value, std::shared_ptr<Slot<T>> slot) : value_(std::move(value)), slot_(std::move(slot)) {}
template <Scalar T>
Var<T>::Var(const Var&) = default;
template <Scalar T>
Var<T>::Var(Var&&) noexcept = default;
template <Scalar T>
Var<T>& Var<T>::operator=(const Var&) = default;
template <Scalar T>
Var<T>& Var<T>::operator=(Var&&) noexcept = default;
template <Scalar T>
Var<T>::~Var() = default;

template <Scalar T>
Tensor<T> Var<T>::value() && {
  return slot_ && slot_->leaf ? slot_->value : std::move(value_);
}

template <Scalar T>
const Tensor<T> Var<T>::grad() const {
  require(slot_ != nullptr, "grad", "this tensor of shape {} is a constant; make it with variable()", shape());
  require(slot_->leaf || slot_->retained, "grad",
          "only variables keep their gradient; an op's output frees it during backward() unless retain_grad() was called first");
  return slot_->present ? slot_->grad : Tensor<T>::zeros(shape());
}

template <Scalar T>
void Var<T>::retain_grad() {
  require(slot_ != nullptr, "retain_grad", "this tensor of shape {} is a constant, which gets no gradient", shape());
  require(slot_->entry != SlotBase::spent, "retain_grad", "the backward pass is over; call retain_grad() before it");
  slot_->retained = true;
}

template <Scalar T>
void Var<T>::set_grad(Tensor<T> gradient) {
  require(slot_ != nullptr && slot_->leaf, "set_grad", "only a variable keeps a gradient; make one with variable()");
  require(gradient.shape() == shape(), "set_grad", "gradient of shape {} does not match variable of shape {}", gradient.shape(),
          shape());
  const auto alone = slot_->lock();
  slot_->grad = std::move(gradient);
  slot_->present = true;
}

template <Scalar T>
std::optional<Var<T>> Var<T>::tangent() const {
  if (tangent_ != nullptr) return *tangent_;
  if (slot_ && slot_->leaf && slot_->tangent) return Var(*slot_->tangent);
  return std::nullopt;
}

template <Scalar T>
Var<T> Var<T>::with_tangent(Var tangent) const {
  require(tangent.shape() == shape(), "tangent", "tangent of shape {} does not match tensor of shape {}", tangent.shape(), shape());
  Var z = *this;
  z.tangent_ = std::make_shared<const Var>(std::move(tangent));
  return z;
}

template <Scalar T>
Var<T> variable(Tensor<T> value, Role role) {
  auto slot = std::make_shared<Slot<T>>(value.shape(), true);
  slot->value = std::move(value);
  slot->described().role = role;
  return Var<T>(std::move(slot));
}

template <Scalar T>
Var<T> variable(Tensor<T> value) {
  const Role role = value.rank() >= 2 ? Role::Matrix : Role::Other;
  return variable(std::move(value), role);
}

#define ARGAND_VAR(T)                        \
  template class Var<T>;                     \
  template Var<T> variable(Tensor<T>, Role); \
  template Var<T> variable(Tensor<T>);
ARGAND_FOR_SCALAR(ARGAND_VAR)

}  // namespace argand
