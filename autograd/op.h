#pragma once
/// An Op: what is written once, beside the code, about one differentiable operation: equation, kind, derivation, singular points
/// and the numerical check. `record` takes an Op, a gradient and a tangent, and an Op takes a check with a case, so an operation
/// without one of them cannot exist.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"

namespace argand {

class OpCheck;

/// Which case of the gradient convention (autograd/var.h) an op is.
enum class Kind {
  Holomorphic,  ///< ∂w/∂z̄ = 0 in every complex input
  RealValued,   ///< complex in, real out
  General,      ///< complex out, and depends on z̄
  Real,         ///< every input is real, so there is no z to differentiate by (the output may be complex: polar)
};
std::string_view kind_name(Kind kind);

struct OpText {
  std::string name;  ///< "exp"
  Kind kind;
  std::string equation;  ///< "w = exp(z)"
  std::string dz;        ///< ∂w/∂z, "exp(z)"
  std::string dzbar;     ///< ∂w/∂z̄, "0"; the Jacobian alone for Kind::Real
  std::string vjp;       ///< the vector-Jacobian product as implemented, "dz = conj(w) dw"
  std::string jvp;  ///< the Jacobian-vector product, ẇ = (∂w/∂z) ż + (∂w/∂z̄) conj(ż), as implemented: "ẇ = w ż"
  std::string derivation;  ///< how they follow from the equation
  std::string singular;    ///< singular points and what is returned there; "none"
  std::string source;      ///< paper or textbook, with the equation's number where it has one
};

class Op {
 public:
  using Check = void (*)(OpCheck&);
  /// Registers the op until it is destroyed; lives in a static variable of the op's file, longer than the tapes that it is on. An
  /// op whose name is taken, that does not say its jvp, or whose check, which this calls once, has no case is not registered, and
  /// throws when it is used: an exception before main() would end the program without a word.
  Op(OpText text, Check check);
  ~Op();
  Op(const Op&) = delete;
  Op& operator=(const Op&) = delete;

  const std::string& name() const { return text_.name; }
  const OpText& text() const { return text_; }
  void check(OpCheck& check) const { check_(check); }
  /// Throws the function's fault, if it has one.
  void require_usable() const {
    if (!fault_.empty()) [[unlikely]]
      throw Error(fault_);
  }

  /// Every registered op, by name.
  static std::vector<const Op*> all();
  /// Null if there is none of that name.
  static const Op* find(std::string_view name);

  /// The op of that name of the user's own (autograd/ops/custom_op.h), without a text or a check, and not registered: the same one
  /// at every call, to the end of the program. Throws Error when a registered op has the name.
  static const Op& custom(const std::string& name);

 private:
  explicit Op(std::string custom_name);
  OpText text_;
  Check check_;
  std::string fault_;
};

}  // namespace argand
