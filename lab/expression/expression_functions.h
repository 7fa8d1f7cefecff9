#pragma once
/// The functions that may be written in an expression: which op of the library each one is, and what it takes.

#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "autograd/op_check.h"

namespace argand {

/// One op of an evaluation, with its values: what a walk along the tape shows.
struct TracedOp {
  AnyVar output;
  std::vector<AnyVar> inputs;
  std::function<AnyVar(const std::vector<AnyVar>&)> again;  ///< the op at other inputs
  bool recorded = true;                                     ///< false: an op of constants, which is not on the tape
};

/// Which ops of an evaluation are kept.
enum class Trace { Recorded, All };

/// Applies ops and keeps them, the recorded ones in the tape's order.
class OpCaller {
 public:
  /// `trace` may be null.
  explicit OpCaller(std::vector<TracedOp>* trace, Trace which = Trace::Recorded) : trace_(trace), which_(which) {}

  /// f(Var...) for any mixture of real and complex operands. f is kept with the trace: what it captures, it captures by value.
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
