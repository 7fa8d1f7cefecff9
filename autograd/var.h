#pragma once
/// Var<T>: a tensor that takes part in differentiation.
///
/// THE GRADIENT CONVENTION, stated once. The loss L is real. For z = x + iy
///
///     grad(z) = ∂L/∂x + i ∂L/∂y = 2 ∂L/∂z̄          (conjugate Wirtinger, PyTorch's convention)
///
/// so that z -= lr · grad(z) descends. For w = f(z) and the incoming dw = grad(w) every op returns
///
///     dz = conj(∂w/∂z) · dw + (∂w/∂z̄) · conj(dw)
///
/// which is, by the kind of f (see Op):   holomorphic   dz = conj(f'(z)) · dw            (∂w/∂z̄ = 0)
///                                        real-valued   dz = 2 (∂w/∂z̄) · dw              (dw real, ∂w/∂z̄ = conj(∂w/∂z))
///                                        general       both terms
///
/// In code the gradient of a quantity x is called dx.

#include <memory>
#include <variant>

#include "core/tensor.h"

namespace argand {

/// What the tape knows of one tensor: its shape, its place, and, in Slot<T>, the gradient that gathers for it.
struct SlotBase {
  explicit SlotBase(const Shape& s, bool is_leaf) : shape(s), leaf(is_leaf) {}
  virtual ~SlotBase() = default;
  virtual bool has_grad() const = 0;
  virtual void clear_grad() = 0;

  Shape shape;
  bool leaf;                ///< a variable of the user's (keeps its gradient) rather than the output of an op
  std::int64_t entry = -1;  ///< the tape entry that made it; -1 for a leaf
};

template <Scalar T>
struct Slot final : SlotBase {
  using SlotBase::SlotBase;
  bool has_grad() const override { return present; }
  void clear_grad() override {
    grad = Tensor<T>();
    present = false;
  }

  Tensor<T> grad;
  bool present = false;
};

template <Scalar T>
class Var {
 public:
  using value_type = T;

  Var() = default;
  /// A constant: takes part in computations, gets no gradient.
  Var(Tensor<T> value) : value_(std::move(value)) {}
  Var(Tensor<T> value, std::shared_ptr<Slot<T>> slot) : value_(std::move(value)), slot_(std::move(slot)) {}

  const Tensor<T>& value() const { return value_; }
  /// For optimisers and initialisers: the numbers of a leaf may be changed in place between two steps.
  Tensor<T>& value() { return value_; }
  const Shape& shape() const { return value_.shape(); }
  int rank() const { return value_.rank(); }
  std::int64_t dim(int axis) const { return value_.dim(axis); }
  std::int64_t size() const { return value_.size(); }

  bool requires_grad() const { return slot_ != nullptr; }
  bool has_grad() const { return slot_ && slot_->present; }
  /// The gradient of the last backward pass, in the convention above; zeros where the loss does not depend on this variable.
  /// Throws for constants and for the outputs of ops, whose gradients are freed as the walk passes them.
  Tensor<T> grad() const;
  Tensor<T>& mutable_grad() { return slot_->grad; }
  void zero_grad() {
    if (slot_) slot_->clear_grad();
  }

  /// The same value as a constant: no gradient flows through.
  Var detach() const { return Var(value_); }
  const std::shared_ptr<Slot<T>>& slot() const { return slot_; }

 private:
  Tensor<T> value_;
  std::shared_ptr<Slot<T>> slot_;  // null: a constant
};

/// A real or complex variable of one precision: what lists of parameters and checks over any op hold.
template <RealScalar R>
using AnyVarOf = std::variant<Var<R>, Var<std::complex<R>>>;
/// The same of bare tensors.
template <RealScalar R>
using AnyTensorOf = std::variant<Tensor<R>, Tensor<std::complex<R>>>;

using Real = Var<double>;
using Complex = Var<std::complex<double>>;

/// A leaf that gathers a gradient.
template <Scalar T>
Var<T> variable(Tensor<T> value) {
  auto slot = std::make_shared<Slot<T>>(value.shape(), true);
  return Var<T>(std::move(value), std::move(slot));
}
template <Scalar T>
Var<T> constant(Tensor<T> value) {
  return Var<T>(std::move(value));
}

}  // namespace argand
