#pragma once
/// Var<T>: a tensor in a differentiable computation.
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
///
/// Forward mode goes the other way: ż is the derivative of z along a direction, and that of w is
///
///     ẇ = (∂w/∂z) ż + (∂w/∂z̄) conj(ż)
///
/// so that Re Σ conj(dw) ẇ = Re Σ conj(dz) ż: backward computes the adjoint of forward (autograd/forward.h).

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/arithmetic.h"
#include "core/tensor.h"

namespace argand {

/// The role of a variable in a model. Optimisers use it to decide which variables get weight decay and which take Muon's steps.
enum class Role {
  Matrix,     ///< the matrix of a linear map inside the model
  Embedding,  ///< a table whose rows are looked up
  Output,     ///< the matrix that produces the logits
  Bias,
  Gain,   ///< the gain of a norm
  Angle,  ///< a phase, its scale, or the angle of an algebra: θ, δ, β
  Other,
};

/// Data that only variables have; outputs of ops need none.
struct VariableInfo {
  std::string name;                  ///< its name in a model, "blocks.0.attn.q.weight"
  std::vector<std::string> aliases;  ///< its other names, where a model uses it in several places
  Role role = Role::Other;
  std::recursive_mutex gradient;  ///< several threads may add to it
};

/// The state shared by all handles to one tensor: its shape, its place on the tape and, in Slot<T>, the gradient accumulated for
/// it.
struct SlotBase {
  explicit SlotBase(const Shape& s, bool is_leaf) : shape(s), leaf(is_leaf) {}
  virtual ~SlotBase() = default;
  virtual bool has_grad() const = 0;
  virtual void clear_grad() = 0;

  /// Hold this lock while reading and changing the gradient. Variables may be used from several threads; everything else belongs to
  /// one thread.
  std::unique_lock<std::recursive_mutex> lock() {
    return info ? std::unique_lock(info->gradient) : std::unique_lock<std::recursive_mutex>();
  }
  std::string_view name() const { return info ? std::string_view(info->name) : std::string_view(); }
  /// The info, which is created if there is none yet.
  VariableInfo& described() { return info ? *info : *(info = std::make_unique<VariableInfo>()); }

  Shape shape;
  bool leaf;  ///< a variable made by the user (keeps its gradient) rather than the output of an op
  static constexpr std::int64_t no_entry = -1, spent = -2;
  std::int64_t entry = no_entry;       ///< the tape entry that made it; `spent` once that is gone; no_entry for a leaf
  bool retained = false;               ///< an op's output that keeps its gradient too
  std::unique_ptr<VariableInfo> info;  ///< null unless this is a variable
};

template <Scalar T>
struct Slot final : SlotBase {
  using SlotBase::SlotBase;
  bool has_grad() const override { return present; }
  void clear_grad() override {
    grad = Tensor<T>();
    present = false;
  }

  Tensor<T> value;  ///< value of a leaf; an op's output is held by its users
  Tensor<T> grad;
  bool present = false;
  std::unique_ptr<Tensor<T>> tangent;  ///< of a leaf: its direction, while a ForwardMode is alive (autograd/forward.h)
};

/// A handle. Copies of a variable are the same variable: a new value reaches all of them, in the optimiser and in the model.
/// (Copies of a constant or of an op's output are independent values. If a handle is assigned another variable, w = variable(...),
/// the optimiser keeps the old one: its next step() throws, unless another handle keeps the old variable alive.)
template <Scalar T>
class Var {
 public:
  using value_type = T;

  Var();
  /// A constant: used in computations but gets no gradient.
  Var(Tensor<T> value);
  /// A handle to a variable, or to an op's output with this `value`.
  explicit Var(std::shared_ptr<Slot<T>> leaf);
  Var(Tensor<T> value, std::shared_ptr<Slot<T>> slot);
  Var(const Var&);
  Var(Var&&) noexcept;
  Var& operator=(const Var&);
  Var& operator=(Var&&) noexcept;
  ~Var();
  /// x = tensor would turn x into a constant unknown to any optimiser. Write x.value() = tensor, or x = constant(tensor).
  Var& operator=(const Tensor<T>&) = delete;

  const Tensor<T>& value() const& { return slot_ && slot_->leaf ? slot_->value : value_; }
  Tensor<T> value() &&;
  /// For optimisers and initialisers: the elements of a variable may be changed, or a tensor of the same shape assigned. Earlier
  /// results keep the values they were computed from, and a later backward pass differentiates at those. (An op's output can be
  /// changed too. Later ops use the new value, and gradients treat it as the op's own result.)
  Tensor<T>& value() & { return slot_ && slot_->leaf ? slot_->value : value_; }
  const Shape& shape() const { return value().shape(); }
  int rank() const { return value().rank(); }
  std::int64_t dim(int axis) const { return value().dim(axis); }
  std::int64_t size() const { return value().size(); }

  bool requires_grad() const { return slot_ != nullptr; }
  bool has_grad() const { return slot_ && slot_->present; }
  /// The gradient of the last backward pass, in the convention above; zeros where the loss does not depend on this variable. Throws
  /// for constants, and for outputs of ops, whose gradients are freed as the walk passes them, unless retain_grad() was called.
  /// Changing a copy does not change the variable's gradient; set_grad() does.
  const Tensor<T> grad() const;
  /// Throws unless this is a variable and the gradient has its shape.
  void set_grad(Tensor<T> gradient);
  /// For an op's output, before the backward pass: keeps its gradient for grad(). Throws for a constant, and after that pass.
  void retain_grad();
  void zero_grad() {
    if (slot_) slot_->clear_grad();
  }

  /// The same value as a constant: no gradient flows through.
  Var detach() const { return Var(value()); }
  const std::shared_ptr<Slot<T>>& slot() const { return slot_; }

  /// ż, or nothing if the derivative is 0. For ops; programs call jvp() (autograd/forward.h).
  std::optional<Var> tangent() const;
  bool has_tangent() const { return tangent_ != nullptr || (slot_ && slot_->leaf && slot_->tangent); }
  /// The same variable with tangent ż; throws unless ż has its shape.
  Var with_tangent(Var tangent) const;

 private:
  Tensor<T> value_;                // empty for a variable, whose slot has it
  std::shared_ptr<Slot<T>> slot_;  // null: a constant
  std::shared_ptr<const Var> tangent_;
};

/// A real or complex variable of one precision: the element type of parameter lists and of the inputs of type-erased functions.
template <RealScalar R>
using AnyVarOf = std::variant<Var<R>, Var<std::complex<R>>>;
/// The same for plain tensors.
template <RealScalar R>
using AnyTensorOf = std::variant<Tensor<R>, Tensor<std::complex<R>>>;

using Real = Var<double>;
using Complex = Var<std::complex<double>>;

/// A leaf that accumulates a gradient. If no role is given, a tensor of two or more axes is treated as a matrix.
template <Scalar T>
Var<T> variable(Tensor<T> value, Role role);
template <Scalar T>
Var<T> variable(Tensor<T> value);
template <Scalar T>
Var<T> constant(Tensor<T> value) {
  return Var<T>(std::move(value));
}

template <Scalar T>
std::ostream& operator<<(std::ostream& out, const Var<T>& x) {
  return out << x.value();
}

}  // namespace argand

/// Formats the value.
template <argand::Scalar T>
struct fmt::formatter<argand::Var<T>> : fmt::formatter<argand::Tensor<T>> {
  template <class Context>
  auto format(const argand::Var<T>& x, Context& context) const {
    return fmt::formatter<argand::Tensor<T>>::format(x.value(), context);
  }
};
