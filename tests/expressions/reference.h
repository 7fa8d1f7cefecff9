#pragma once
/// Evaluates the lab's expressions in 500-bit arithmetic, by mathematical formulas. It uses only the library's parser and its rules
/// for which types are real.

#include <map>
#include <string>
#include <vector>

#include "lab/expression/expression_parser.h"
#include "tests/accuracy/exact.h"

namespace reference {

using accuracy::N;
using accuracy::Z;

/// A function computed by `apply`. `on_cut` tests whether the first operand lies on a branch cut, where the sign of a zero selects
/// the side.
struct Function {
  Z (*apply)(const std::vector<Z>& x);
  bool (*on_cut)(const Z& x) = nullptr;
  /// Whether on_cut also applies to a real operand. If false, a real operand counts as lying on the upper side.
  bool real_on_cut = true;
};
/// The reference for the lab's function with this name, or null if there is none.
const Function* function(const std::string& name);

/// The result of an evaluation.
struct Value {
  Z value;
  /// Whether an operand lay on a cut, so that its side is undefined, or was too large to compute with.
  bool ambiguous = false;
};

class Evaluator {
 public:
  /// Throws Error if a function has no reference.
  explicit Evaluator(argand::ParsedExpression parsed);
  /// f(z) for a function of one variable. A nonzero `jitter` perturbs the value of every op at random, by a relative 1e-145 times
  /// `jitter` at most, to measure how precisely the result is determined.
  Value operator()(const Z& z, double jitter = 0) const;

 private:
  struct Operand {
    Z z;
    bool real, never_negative, constant;
  };
  Operand call(const argand::ExpressionFunction& f, const std::vector<Operand>& x, bool& ambiguous) const;
  static Operand power(const Operand& a, const Operand& b, bool& ambiguous);

  argand::ParsedExpression parsed_;
};

}  // namespace reference
