#pragma once
/// The values of the lab's expressions in 500 bits, by formulas from the mathematics. Of the library, only the grammar is used,
/// and the decision what is real by its types.

#include <map>
#include <string>
#include <vector>

#include "lab/expression/expression_parser.h"
#include "tests/accuracy/exact.h"

namespace reference {

using accuracy::N;
using accuracy::Z;

/// A function whose value `apply` computes. `on_cut` says whether its first operand lies on a cut, where the sign of a zero
/// chooses the side.
struct Function {
  Z (*apply)(const std::vector<Z>& x);
  bool (*on_cut)(const Z& x) = nullptr;
  /// Whether this also holds for a real operand. If false, a real operand is on the upper side.
  bool real_on_cut = true;
};
/// The function with the lab's name; null if it has no reference yet.
const Function* function(const std::string& name);

/// The result of an evaluation.
struct Value {
  Z value;
  /// An operand lay on a cut, and mathematics does not say on which side.
  bool ambiguous = false;
};

class Evaluator {
 public:
  /// Throws Error if a function has no reference.
  explicit Evaluator(argand::ParsedExpression parsed);
  /// f(z) for a function of one variable. With `jitter`, the value of every op is perturbed relatively by up to that much, at
  /// random, which measures how well the result is known.
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
