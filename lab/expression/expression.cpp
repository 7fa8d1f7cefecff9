#include "lab/expression/expression.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "autograd/ops.h"
#include "core/text/text_layout.h"

namespace argand {
namespace {

using C = std::complex<double>;

/// An element of the evaluation stack.
struct Operand {
  AnyVar var = {};
  bool never_negative = false;  ///< real and never negative, for any values of the variables
  bool constant = false;        ///< computed from numbers only
  std::size_t begin = 0;        ///< where it begins in the text

  bool is_real() const { return var.index() == 0; }
  /// The value of a real constant; empty for anything else.
  std::optional<double> real_constant() const {
    if (!constant) return std::nullopt;
    const C value = std::visit([](const auto& v) { return C(v.value().item()); }, var);
    return value.imag() == 0 ? std::optional(value.real()) : std::nullopt;
  }
};

class Machine {
 public:
  Machine(const ParsedExpression& parsed, const std::vector<AnyVar>& arguments, const OpCaller& call)
      : parsed_(parsed), arguments_(arguments), call_(call) {}

  AnyVar run(std::int64_t points) {
    for (const ExpressionStep& step : parsed_.steps) {
      switch (step.action) {
        case ExpressionStep::Action::Number: push_number(step); break;
        case ExpressionStep::Action::Variable: stack_.push_back({arguments_[step.index], false, false, step.begin}); break;
        case ExpressionStep::Action::Call: apply(step); break;
        case ExpressionStep::Action::Power: apply_power(step); break;
      }
    }
    // Broadcasts a constant function to every point.
    AnyVar w = stack_.back().var;
    if (stack_.back().constant)
      w = call_([points](const auto& v) { return add(v, Var<double>(Tensor<double>::zeros({points}))); }, w);
    return w;
  }

 private:
  void push_number(const ExpressionStep& step) {
    if (step.number.imag() == 0)
      stack_.push_back({number<double>(step.number.real()), step.number.real() >= 0, true, step.begin});
    else
      stack_.push_back({number<C>(step.number), false, true, step.begin});
  }

  void apply(const ExpressionStep& step) {
    const ExpressionFunction& f = *step.function;
    const auto first = stack_.end() - static_cast<std::ptrdiff_t>(f.takes.size());
    std::vector<AnyVar> x;
    Operand result{.constant = true, .begin = step.begin};
    bool positive = true;
    for (auto operand = first; operand != stack_.end(); ++operand) {
      x.push_back(converted(*operand, f.takes[static_cast<std::size_t>(operand - first)], f));
      result.constant = result.constant && operand->constant;
      positive = positive && operand->never_negative;
    }
    result.var = f.apply(call_, x);
    result.never_negative = result.is_real() && (f.sign == Sign::Never || (f.sign == Sign::IfOperandsAre && positive));
    stack_.erase(first, stack_.end());
    stack_.push_back(std::move(result));
  }

  AnyVar converted(const Operand& operand, Takes takes, const ExpressionFunction& f) const {
    if (takes == Takes::Real && !operand.is_real())
      expression_fail(parsed_.text, operand.begin,
                      fmt::format("{} needs a real number here, got a complex one; {}", f.name, f.instead));
    if (takes == Takes::Complex || (takes == Takes::Principal && !operand.never_negative))
      return complex_operand(call_, operand.var);
    return operand.var;
  }

  /// Applies a^b: products for integer exponents, pow for other real constants, exp(b) for e^b, pow of two variables otherwise.
  void apply_power(const ExpressionStep& step) {
    const Operand b = std::move(stack_.back());
    stack_.pop_back();
    const Operand a = std::move(stack_.back());
    stack_.pop_back();
    const auto p = b.real_constant(), base = a.real_constant();
    Operand w{.never_negative = a.never_negative, .constant = a.constant && b.constant, .begin = step.begin};
    if (p && *p != 0 && *p == std::round(*p) && std::abs(*p) <= most_products) {
      w.var = whole_power(a.var, static_cast<int>(*p));
      w.never_negative = a.never_negative || (a.is_real() && std::remainder(*p, 2) == 0);
    } else if (p) {
      const AnyVar z = *p == std::round(*p) || a.never_negative ? a.var : complex_operand(call_, a.var);
      w.var = call_([](const auto& v, const auto& q) { return pow(v, real_of(q.value().item())); }, z, AnyVar(number<double>(*p)));
    } else if (base && *base == std::numbers::e) {
      w.var = call_([](const auto& v) { return exp(v); }, b.var);
    } else {
      const AnyVar z = a.never_negative ? a.var : complex_operand(call_, a.var);
      w.var = call_([](const auto& v, const auto& q) { return pow(v, q); }, z, b.var);
    }
    w.never_negative = w.never_negative && w.var.index() == 0;
    stack_.push_back(std::move(w));
  }

  /// z^p by repeated squaring. This involves only the rounding of a few products (and of a quotient if p < 0), and unlike the polar
  /// form it has no branch cut.
  AnyVar whole_power(const AnyVar& z, int p) const {
    std::optional<AnyVar> result;
    AnyVar square_of = z;  // runs through z, z², z⁴, ...
    for (int n = std::abs(p); n > 0; n /= 2) {
      if (n % 2 == 1)
        result = result ? call_([](const auto& u, const auto& v) { return mul(u, v); }, *result, square_of) : square_of;
      if (n > 1) square_of = call_([](const auto& v) { return square(v); }, square_of);
    }
    if (p > 0) return *result;
    const AnyVar one = number<double>(1);
    return call_([](const auto& u, const auto& v) { return div(u, v); }, one, *result);
  }

  static constexpr int most_products = 64;

  const ParsedExpression& parsed_;
  const std::vector<AnyVar>& arguments_;
  const OpCaller& call_;
  std::vector<Operand> stack_;
};

}  // namespace

Expression::Expression(std::string_view text, const std::vector<std::string>& default_variables)
    : parsed_(parse_expression(text.substr(std::min(text.find_first_not_of(' '), text.size())), default_variables)) {}

std::string Expression::equation() const {
  if (parsed_.text.find('=') != std::string::npos) return parsed_.text;
  std::string names;
  for (const std::string& v : variables()) names += (names.empty() ? "" : ", ") + v;
  return fmt::format("{}({}) = {}", name(), names, parsed_.text);
}

AnyVar Expression::evaluate(const std::vector<AnyVar>& arguments, const OpCaller& call) const {
  require(arguments.size() == variables().size(), "expression", "{} has {}, got {}", name(),
          counted(std::ssize(variables()), "variable"), counted(std::ssize(arguments), "argument"));
  const auto shape = [](const AnyVar& x) { return std::visit([](const auto& v) { return v.shape(); }, x); };
  for (const AnyVar& x : arguments)
    require(shape(x).rank() == 1 && shape(x) == shape(arguments.front()), "expression",
            "expects one vector [N] of points per variable, all of the same length; got {} and {}", shape(arguments.front()),
            shape(x));
  return Machine(parsed_, arguments, call).run(arguments.empty() ? 1 : shape(arguments.front())[0]);
}

}  // namespace argand
