#include "tests/expressions/reference.h"

#include <numbers>

#include "autograd/var.h"

namespace reference {

using namespace argand;
namespace mp = boost::multiprecision;

namespace {

/// Whether f returns a real type for operands of these types, according to the library.
bool is_real(const ExpressionFunction& f, const std::vector<bool>& real) {
  thread_local std::map<std::pair<const ExpressionFunction*, std::vector<bool>>, bool> known;
  const auto [entry, first] = known.try_emplace({&f, real}, false);
  if (first) {
    std::vector<AnyVar> x;
    for (const bool r : real)
      if (r)
        x.emplace_back(Var<double>(Tensor<double>({1}, {0.5})));
      else
        x.emplace_back(Var<std::complex<double>>(Tensor<std::complex<double>>({1}, {0.5})));
    entry->second = f.apply(OpCaller(nullptr), x).index() == 0;
  }
  return entry->second;
}

/// Pseudo-random relative perturbations, which differ from op to op but not between evaluations of the same expression.
struct Jitter {
  double size;
  std::uint64_t state = 0x9E3779B97F4A7C15;
  N operator()(const N& x) {
    state = state * 6364136223846793005 + 1442695040888963407;
    static const N unit("1e-145");
    return x * (1 + unit * (size * (static_cast<double>(state >> 40) / 8388608.0 - 1)));
  }
};

}  // namespace

Evaluator::Evaluator(ParsedExpression parsed) : parsed_(std::move(parsed)) {
  for (const ExpressionStep& step : parsed_.steps)
    if (step.action == ExpressionStep::Action::Call)
      require(function(step.function->name) != nullptr, "expressions",
              "{} has no formula to compare with; add one to tests/expressions/functions.cpp", step.function->name);
}

Value Evaluator::operator()(const Z& z, double jitter) const {
  using Action = ExpressionStep::Action;
  Jitter jittered{jitter};
  Value result;
  std::vector<Operand> stack;
  const auto shake = [&](Z& w) {
    if (jitter != 0) w = {jittered(w.x), jittered(w.y)};
  };
  for (const ExpressionStep& step : parsed_.steps) {
    switch (step.action) {
      case Action::Number:
        stack.push_back({step.number, step.number.imag() == 0, step.number.imag() == 0 && step.number.real() >= 0, true});
        break;
      case Action::Variable: stack.push_back({z, false, false, false}); break;
      case Action::Call: {
        const auto first = stack.end() - static_cast<std::ptrdiff_t>(step.function->takes.size());
        Operand w = call(*step.function, {first, stack.end()}, result.ambiguous);
        stack.erase(first, stack.end());
        shake(w.z);
        stack.push_back(w);
        break;
      }
      case Action::Power: {
        const Operand b = stack.back();
        stack.pop_back();
        const Operand a = stack.back();
        stack.pop_back();
        stack.push_back(power(a, b, result.ambiguous));
        shake(stack.back().z);
        break;
      }
    }
  }
  result.value = stack.back().z;
  return result;
}

Evaluator::Operand Evaluator::call(const ExpressionFunction& f, const std::vector<Operand>& x, bool& ambiguous) const {
  const Function& g = *function(f.name);
  std::vector<Z> numbers;
  std::vector<bool> real;
  bool positive = true, constant = true;
  for (std::size_t k = 0; k < x.size(); ++k) {
    numbers.push_back(x[k].z);
    const bool complex = f.takes[k] == Takes::Complex || (f.takes[k] == Takes::Principal && !x[k].never_negative);
    real.push_back(x[k].real && !complex);
    positive = positive && x[k].never_negative;
    constant = constant && x[k].constant;
  }
  // The sine of a number this large would take hours.
  static const N vast("1e2000");
  for (const Z& number : numbers)
    if (f.name.size() > 1 && (mp::abs(number.x) > vast || mp::abs(number.y) > vast)) {
      ambiguous = true;
      return {Z(N(1) / N(0)), is_real(f, real), false, constant};
    }
  if (g.on_cut != nullptr && g.on_cut(numbers[0]) && (!x[0].real || g.real_on_cut)) ambiguous = true;
  Operand w{g.apply(numbers), is_real(f, real), false, constant};
  if (w.real) w.z.y = 0;
  w.never_negative = w.real && (f.sign == Sign::Never || (f.sign == Sign::IfOperandsAre && positive));
  return w;
}

/// a^b as the lab defines it: the principal value of exp(b log a), unless b is an integer.
Evaluator::Operand Evaluator::power(const Operand& a, const Operand& b, bool& ambiguous) {
  const bool real_exponent = b.constant && b.z.y == 0, whole = real_exponent && mp::floor(b.z.x) == b.z.x;
  Operand w{Z(0.0), false, false, a.constant && b.constant};
  if (whole) {
    w.real = a.real;
    w.never_negative = a.real && (a.never_negative || (b.z.x != 0 && mp::abs(b.z.x) <= 64 && mp::fmod(b.z.x, N(2)) == 0));
    if (a.z.y == 0) {
      w.z = mp::pow(a.z.x, b.z.x);
    } else if (mp::abs(b.z.x) <= 64) {
      Z product(1.0);
      for (int k = 0; k < static_cast<int>(mp::abs(b.z.x)); ++k) product = product * a.z;
      w.z = b.z.x < 0 ? Z(1.0) / product : product;
    } else {
      w.z = accuracy::pow(a.z, b.z.x);
    }
    return w;
  }
  const bool of_e = a.constant && a.z.y == 0 && a.z.x == N(std::numbers::e);
  static const N vast("1e2000");
  if (mp::abs(b.z.x) > vast || mp::abs(b.z.y) > vast) {
    ambiguous = true;
    w.z = Z(N(1) / N(0));
    return w;
  }
  if (!of_e && a.z.y == 0 && a.z.x < 0 && !a.real) ambiguous = true;
  if (of_e && !real_exponent) {
    w.z = accuracy::exp(b.z);
    w.real = w.never_negative = b.real;
    return w;
  }
  w.real = a.never_negative && b.real;
  w.never_negative = w.real;
  if (a.z.x == 0 && a.z.y == 0) {
    w.z = b.z.x > 0 ? Z(0.0) : Z(N(0) / N(0));
    return w;
  }
  w.z = accuracy::exp(accuracy::log(a.z) * b.z);
  if (w.real) w.z.y = 0;
  return w;
}

}  // namespace reference
