#pragma once
/// The functions that may be written in an expression: which op of the library each one is, and what it takes.

#include <span>
#include <string>
#include <vector>

#include "autograd/op_check.h"

namespace argand {

/// One op that was recorded on the tape, with its values: what a walk along the tape shows.
struct TracedOp {
  AnyVar output;
  std::vector<AnyVar> inputs;
};

/// Applies ops and keeps what they recorded, in the tape's order.
class OpCaller {
 public:
  /// `trace` may be null.
  explicit OpCaller(std::vector<TracedOp>* trace) : trace_(trace) {}

  /// f(Var...) for any mixture of real and complex operands.
  template <class F, std::same_as<AnyVar>... X>
  AnyVar operator()(const F& f, const X&... x) const {
    AnyVar w = std::visit([&](const auto&... v) -> AnyVar { return f(v...); }, x...);
    keep(w, {x...});
    return w;
  }

 private:
  void keep(const AnyVar& w, std::vector<AnyVar> inputs) const;
  std::vector<TracedOp>* trace_;
};

/// What a function takes, and what becomes of a real operand.
enum class Takes {
  Any,        ///< real or complex, as it is
  Principal,  ///< complex, or a real number that cannot be negative: the value of one that can is complex (sqrt, log, powers)
  Complex,    ///< a real operand becomes complex
  Real,       ///< a complex operand is a mistake
};

/// When the result, if it is real, cannot be negative.
enum class Sign { Unknown, IfOperandsAre, Never };

struct ExpressionFunction {
  std::string name;  ///< "angle": the registered op, where it is one
  std::vector<std::string> aliases;
  std::string parameters;  ///< "z", "r, phi": for messages
  std::string meaning;     ///< one line for the help
  std::vector<Takes> takes;
  Sign sign;
  AnyVar (*apply)(const OpCaller& call, std::span<const AnyVar> x);
  std::string instead;  ///< what a complex operand may be given to instead; "" where all are taken
};

/// Those called by name, in the order in which help lists them.
const std::vector<ExpressionFunction>& expression_functions();
/// By name or alias; null when there is none.
const ExpressionFunction* find_expression_function(const std::string& name);
/// + - * / of two operands, and ~ for the minus of one.
const ExpressionFunction& expression_operator(char symbol);

/// x as a complex number, by to_complex where it is real.
AnyVar complex_operand(const OpCaller& call, const AnyVar& x);

}  // namespace argand
