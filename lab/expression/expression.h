#pragma once
/// A function of complex numbers, written as in a textbook and computed with the library's ops, so that the tape differentiates it:
///
///     const Expression f("f(z) = abs(z)^2 * exp(i*angle(z))");
///     const Complex z = variable(Tensor<std::complex<double>>({1}, {{1, 2}}));
///     const AnyVar w = f({z});
///
/// Numbers are 2, 1.5e-3, 2i or 2j; constants i, pi and e; operators + - * / ^ with the usual precedence (a^b^c = a^(b^c), -z^2 =
/// -(z^2), 2z = 2*z); |z| is abs(z) and z̄ conj(z); functions are those of expression_functions(). Real values stay real: abs(z) is
/// a Var<double>, and becomes complex only where an op needs it. sqrt, log and powers of a real value that may be negative are
/// complex (sqrt(-1) is i); of one that cannot be negative (abs, abs2, exp of a real, even powers, their sums, products and
/// quotients) they are real.

#include <string>
#include <string_view>
#include <vector>

#include "lab/expression/expression_parser.h"

namespace argand {

class Expression {
 public:
  /// Parses "f(z, w) = ...", or only the right-hand side, in `default_variables`. Throws an InputError that shows the expression
  /// with a caret under the error:
  ///
  ///     expression: a modulus has a "|" on either side, as in 2*|z|
  ///       f(z) = z|w|
  ///               ^
  explicit Expression(std::string_view text, const std::vector<std::string>& default_variables = {"z"});

  const std::string& text() const { return parsed_.text; }
  const std::string& name() const { return parsed_.name; }
  const std::vector<std::string>& variables() const { return parsed_.variables; }
  /// The whole equation, "f(z) = ...", even if only the right-hand side was given.
  std::string equation() const;

  /// The value at N points at once, [N], elementwise: one argument per variable, real or complex, of shape [N]. Whether the value
  /// is real or complex depends on the expression and on the types of the arguments, not on their values. Throws for unsuitable
  /// arguments, and an InputError for a real-only function of a complex operand. (The signature matches CheckedFunction.)
  AnyVar operator()(const std::vector<AnyVar>& arguments) const { return evaluate(arguments, OpCaller(nullptr)); }
  /// Does the same and adds every recorded op to `trace`, in the tape's order; with Trace::All, also the ops on constants.
  AnyVar traced(const std::vector<AnyVar>& arguments, std::vector<TracedOp>& trace, Trace which = Trace::Recorded) const {
    return evaluate(arguments, OpCaller(&trace, which));
  }

 private:
  AnyVar evaluate(const std::vector<AnyVar>& arguments, const OpCaller& call) const;
  ParsedExpression parsed_;
};

}  // namespace argand
