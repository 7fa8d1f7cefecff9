#pragma once
/// Expressions of the lab in 500 bits: what they are worth, by formulas from the mathematics. Of the library only the grammar is
/// used, and what is real by its types.

#include <map>
#include <string>
#include <vector>

#include "lab/expression/expression_parser.h"
#include "tests/accuracy/exact.h"

namespace reference {

using accuracy::N;
using accuracy::Z;

/// A function of numbers of which `apply` knows the value; `on_cut`: whether its first operand lies on a cut, where the sign of a
/// zero chooses the side.
struct Function {
  Z (*apply)(const std::vector<Z>& x);
  bool (*on_cut)(const Z& x) = nullptr;
  bool real_on_cut = true;  ///< so it is for a real operand; false: a real operand is on the upper side
};
/// By the lab's name; null when there is none yet.
const Function* function(const std::string& name);

/// How an evaluation went.
struct Value {
  Z value;
  bool ambiguous = false;  ///< an operand lay on a cut: the side is not the mathematics' to tell
};

class Evaluator {
 public:
  /// Throws Error when a function has no reference.
  explicit Evaluator(argand::ParsedExpression parsed);
  /// f(z), f of one variable. With `jitter`, every op's value is off by up to that, relatively and at random: a measure of how well
  /// the result is known.
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
