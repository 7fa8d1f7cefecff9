#pragma once
/// The functions that expressions can use: the op behind each one, and the operands that it accepts.

#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "autograd/op_check.h"

namespace argand {

/// One op of an evaluation, with the values of its inputs and output.
struct TracedOp {
  AnyVar output;
  std::vector<AnyVar> inputs;
  std::function<AnyVar(const std::vector<AnyVar>&)> again;  ///< applies the op to other inputs
  bool recorded = true;                                     ///< false for an op on constants, which is not on the tape
};

/// Which ops of an evaluation to trace.
enum class Trace { Recorded, All };

/// Applies ops and traces them; the recorded ones are in the tape's order.
class OpCaller {
 public:
  /// `trace` may be null.
  explicit OpCaller(std::vector<TracedOp>* trace, Trace which = Trace::Recorded) : trace_(trace), which_(which) {}

  /// Calls f(Var...) on any mixture of real and complex operands. The trace keeps f, so f must capture by value.
  template <class F, std::same_as<AnyVar>... X>
  AnyVar operator()(const F& f, const X&... x) const {
    AnyVar w = std::visit([&](const auto&... v) -> AnyVar { return f(v...); }, x...);
    const bool recorded = std::visit([](const auto& v) { return v.requires_grad(); }, w);
    if (trace_ != nullptr && (recorded || which_ == Trace::All)) {
      const auto again = [f](const std::vector<AnyVar>& at) {
        return [&]<std::size_t... I>(std::index_sequence<I...>) { return OpCaller(nullptr)(f, at[I]...); }
        (std::index_sequence_for<X...>());
      };
      trace_->push_back({w, {x...}, again, recorded});
    }
    return w;
  }

 private:
  std::vector<TracedOp>* trace_;
  Trace which_;
};

/// What operands a function takes, and how real ones are treated.
enum class Takes {
  Any,        ///< real or complex, unchanged
  Principal,  ///< complex, or a real number that cannot be negative; for other reals the value is complex (sqrt, log, powers)
  Complex,    ///< a real operand becomes complex
  Real,       ///< a complex operand is an error
};

/// When a real result cannot be negative.
enum class Sign { Unknown, IfOperandsAre, Never };

struct ExpressionFunction {
  std::string name;  ///< name of the registered op, if it is one, such as "angle"
  std::vector<std::string> aliases;
  std::string parameters;  ///< names for messages, such as "z" or "r, phi"
  std::string meaning;     ///< a one-line description for the help
  std::vector<Takes> takes;
  Sign sign;
  AnyVar (*apply)(const OpCaller& call, std::span<const AnyVar> x);
  std::string instead;  ///< what to use instead for a complex operand; "" if all operands are accepted
};

/// The functions called by name, in the order in which help lists them.
const std::vector<ExpressionFunction>& expression_functions();
/// Looks up a name or alias; null if there is no such function.
const ExpressionFunction* find_expression_function(const std::string& name);
/// The operators + - * / of two operands, and ~ for unary minus.
const ExpressionFunction& expression_operator(char symbol);

/// x as a complex number.
AnyVar complex_operand(const OpCaller& call, const AnyVar& x);

}  // namespace argand
