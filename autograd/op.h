#pragma once
/// An Op: everything written about one differentiable operation, in one place next to its code: equation, kind, derivation,
/// singular points and the numerical check. `record` takes an Op, a gradient and a tangent, and an Op takes a check with a case, so
/// the library cannot have an operation without them. (To define your own op in six lines: custom_op(), autograd/ops/custom_op.h.)

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"

namespace argand {

class OpCheck;

/// The case of the gradient convention (autograd/var.h) that an op belongs to.
enum class Kind {
  Holomorphic,  ///< ∂w/∂z̄ = 0 in every complex input
  RealValued,   ///< complex in, real out
  General,      ///< complex out, and depends on z̄
  Real,         ///< every input is real, so there is no z to differentiate with respect to (the output may be complex: polar)
};
std::string_view kind_name(Kind kind);

struct OpText {
  std::string name;  ///< "exp"
  Kind kind;
  std::string equation;  ///< "w = exp(z)"
  std::string dz;        ///< ∂w/∂z, "exp(z)"
  std::string dzbar;     ///< ∂w/∂z̄, "0"; just the Jacobian for Kind::Real
  std::string vjp;       ///< the vector-Jacobian product as implemented, "dz = conj(w) dw"
  std::string jvp;  ///< the Jacobian-vector product, ẇ = (∂w/∂z) ż + (∂w/∂z̄) conj(ż), as implemented: "ẇ = w ż"
  std::string derivation;  ///< how these follow from the equation
  std::string singular;    ///< singular points and the gradient returned there; "none"
  std::string source;      ///< paper or textbook, with the equation's number if it has one
};

class Op {
 public:
  using Check = void (*)(OpCheck&);
  /// Registers the op until it is destroyed; keep it in a static variable of the op's file, so that it outlives the tapes that use
  /// it. If the name is taken, the jvp is missing, or the check (called once here) has no case, the op is not registered and throws
  /// when used: an exception before main() would end the program without a message.
  Op(OpText text, Check check);
  ~Op();
  Op(const Op&) = delete;
  Op& operator=(const Op&) = delete;

  const std::string& name() const { return text_.name; }
  const OpText& text() const { return text_; }
  void check(OpCheck& check) const { check_(check); }
  /// Throws if registration failed.
  void require_usable() const {
    if (!fault_.empty()) [[unlikely]]
      throw Error(fault_);
  }

  /// Every registered op, by name.
  static std::vector<const Op*> all();
  /// Null if no op has that name.
  static const Op* find(std::string_view name);

  /// The user-defined op of that name (autograd/ops/custom_op.h), which has no text or check and is not registered. Every call
  /// returns the same object, which lives until the program ends. Throws Error when a registered op has the name.
  static const Op& custom(const std::string& name);

 private:
  explicit Op(std::string custom_name);
  OpText text_;
  Check check_;
  std::string fault_;
};

}  // namespace argand
