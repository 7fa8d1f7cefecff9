#pragma once
/// Parses the text of an expression into the steps of a stack machine.

#include <complex>
#include <string>
#include <string_view>
#include <vector>

#include "lab/expression/expression_functions.h"

namespace argand {

struct ExpressionStep {
  enum class Action {
    Number,    ///< push `number`, as a real Var if its imaginary part is 0
    Variable,  ///< push variable `index`
    Call,      ///< replace the operands of `function` by its value
    Power,     ///< replace a, b by a^b
  };
  Action action;
  std::complex<double> number = 0;
  std::size_t index = 0;
  const ExpressionFunction* function = nullptr;
  std::size_t begin = 0;  ///< where in the text the value now on top of the stack begins, in bytes
};

struct ParsedExpression {
  std::string text;                    ///< the text as given
  std::string name;                    ///< the function's name, "f"
  std::vector<std::string> variables;  ///< the names of its variables, such as "z"
  std::vector<ExpressionStep> steps;
};

/// Throws an InputError with a caret under the error.
ParsedExpression parse_expression(std::string_view text, const std::vector<std::string>& default_variables);

/// Throws the InputError for an error at position `at`.
[[noreturn]] void expression_fail(const std::string& text, std::size_t at, const std::string& message);

}  // namespace argand
