#include "lab/expression/expression_functions.h"

#include <algorithm>

#include "autograd/ops.h"

namespace argand {
namespace {

using C = std::complex<double>;
using Operands = std::span<const AnyVar>;

/// Calls an op on a real number. Takes::Real guarantees that the operand is real.
#define ARGAND_REAL_OP(OP) \
  [](const OpCaller& call, Operands x) { return call([]<class T>(const Var<T>& v) { return OP(as<double>(v)); }, x[0]); }
/// Calls an op on a complex number. Takes::Complex guarantees that the operand is complex.
#define ARGAND_COMPLEX_OP(OP) \
  [](const OpCaller& call, Operands x) { return call([]<class T>(const Var<T>& v) { return OP(as<C>(v)); }, x[0]); }
/// Calls an op that accepts either.
#define ARGAND_ANY_OP(OP) [](const OpCaller& call, Operands x) { return call([](const auto& v) { return OP(v); }, x[0]); }

/// v as a Var of T, which must be the type that v holds.
template <Scalar T, Scalar U>
Var<T> as(const Var<U>& v) {
  if constexpr (std::same_as<T, U>)
    return v;
  else
    fail("expression", "an operand was not converted from {} to {}", scalar_name<U>(), scalar_name<T>());
}

std::int64_t size_of(const AnyVar& x) {
  return std::visit([](const auto& v) { return v.size(); }, x);
}

/// Broadcasts a single number to N points, because some ops do not broadcast.
AnyVar stretched(const OpCaller& call, const AnyVar& x, std::int64_t n) {
  const Shape shape{n};
  if (std::visit([&](const auto& v) { return v.shape() == shape; }, x)) return x;
  return call([shape](const auto& v) { return add(v, Var<double>(Tensor<double>::zeros(shape))); }, x);
}

/// Applies op(x, y) to real x and y, broadcast to one shape.
template <class F>
AnyVar real_pair(const OpCaller& call, Operands x, const F& op) {
  const std::int64_t n = std::max(size_of(x[0]), size_of(x[1]));
  const AnyVar a = stretched(call, x[0], n), b = stretched(call, x[1], n);
  return call([op](const auto& v, const auto& w) { return op(as<double>(v), as<double>(w)); }, a, b);
}

AnyVar apply_rotate(const OpCaller& call, Operands x) {
  const std::int64_t n = std::max(size_of(x[0]), size_of(x[1]));
  const AnyVar z = stretched(call, x[0], n), theta = stretched(call, x[1], n);
  return call([](const auto& v, const auto& t) { return rotate(as<C>(v), as<double>(t)); }, z, theta);
}

AnyVar apply_phase_rotation(const OpCaller& call, Operands x) {
  const std::int64_t n = std::max({size_of(x[0]), size_of(x[1]), size_of(x[2])});
  const AnyVar z = stretched(call, x[0], n), delta = stretched(call, x[1], n), beta = stretched(call, x[2], n);
  return call([](const auto& v, const auto& d, const auto& b) { return phase_rotation(as<C>(v), as<double>(d), as<double>(b)); }, z,
              delta, beta);
}

AnyVar apply_modrelu(const OpCaller& call, Operands x) {
  const AnyVar z = stretched(call, x[0], std::max(size_of(x[0]), size_of(x[1])));
  return call([](const auto& v, const auto& c) { return modrelu(as<C>(v), as<double>(c)); }, z, x[1]);
}

/// Returns x: for real x, Re x = conj(x) = x.
AnyVar apply_real(const OpCaller& call, Operands x) {
  if (x[0].index() == 0) return x[0];
  return call([](const auto& v) { return real(as<C>(v)); }, x[0]);
}
AnyVar apply_conj(const OpCaller& call, Operands x) {
  if (x[0].index() == 0) return x[0];
  return call([](const auto& v) { return conj(as<C>(v)); }, x[0]);
}

std::vector<ExpressionFunction> make_functions() {
  const std::vector<Takes> any = {Takes::Any}, principal = {Takes::Principal}, complex = {Takes::Complex}, real = {Takes::Real};
  const std::string parts = "crelu or cgelu apply one to each part, modrelu(z, c) to the modulus";
  return {
      {"abs", {"mod"}, "z", "|z|", any, Sign::Never, ARGAND_ANY_OP(abs), ""},
      {"abs2", {}, "z", "|z|^2", any, Sign::Never, ARGAND_ANY_OP(abs2), ""},
      {"angle", {"arg", "Arg", "phase"}, "z", "arg z, in [-pi, pi]", complex, Sign::Unknown, ARGAND_COMPLEX_OP(angle), ""},
      {"conj", {}, "z", "the conjugate", any, Sign::IfOperandsAre, apply_conj, ""},
      {"real", {"re", "Re"}, "z", "Re z", any, Sign::IfOperandsAre, apply_real, ""},
      {"imag", {"im", "Im"}, "z", "Im z", complex, Sign::Unknown, ARGAND_COMPLEX_OP(imag), ""},
      {"exp", {}, "z", "e^z", any, Sign::Never, ARGAND_ANY_OP(exp), ""},
      {"log", {"ln", "Log"}, "z", "principal branch", principal, Sign::Unknown, ARGAND_ANY_OP(log), ""},
      {"log1p", {}, "z", "log(1 + z), principal branch", complex, Sign::Unknown, ARGAND_COMPLEX_OP(log1p), ""},
      {"expm1", {}, "z", "e^z - 1", any, Sign::IfOperandsAre, ARGAND_ANY_OP(expm1), ""},
      {"sqrt", {}, "z", "principal branch", principal, Sign::Never, ARGAND_ANY_OP(sqrt), ""},
      {"square", {}, "z", "z^2", any, Sign::Never, ARGAND_ANY_OP(square), ""},
      {"sin", {}, "z", "", any, Sign::Unknown, ARGAND_ANY_OP(sin), ""},
      {"cos", {}, "z", "", any, Sign::Unknown, ARGAND_ANY_OP(cos), ""},
      {"tan", {}, "z", "sin(z)/cos(z)", any, Sign::Unknown, ARGAND_ANY_OP(tan), ""},
      {"sinh", {}, "z", "(exp(z) - exp(-z))/2", any, Sign::IfOperandsAre, ARGAND_ANY_OP(sinh), ""},
      {"cosh", {}, "z", "(exp(z) + exp(-z))/2", any, Sign::Never, ARGAND_ANY_OP(cosh), ""},
      {"tanh", {}, "z", "", any, Sign::Unknown, ARGAND_ANY_OP(tanh), ""},
      {"asin", {"arcsin"}, "z", "principal branch", complex, Sign::Unknown, ARGAND_COMPLEX_OP(asin), ""},
      {"acos", {"arccos"}, "z", "principal branch", complex, Sign::Unknown, ARGAND_COMPLEX_OP(acos), ""},
      {"atan", {"arctan"}, "z", "principal branch", any, Sign::IfOperandsAre, ARGAND_ANY_OP(atan), ""},
      {"asinh", {"arsinh", "arcsinh"}, "z", "principal branch", any, Sign::IfOperandsAre, ARGAND_ANY_OP(asinh), ""},
      {"acosh", {"arcosh", "arccosh"}, "z", "principal branch", complex, Sign::Unknown, ARGAND_COMPLEX_OP(acosh), ""},
      {"atanh", {"artanh", "arctanh"}, "z", "principal branch", complex, Sign::Unknown, ARGAND_COMPLEX_OP(atanh), ""},
      {"sinc", {}, "z", "sin(pi z)/(pi z)", any, Sign::Unknown, ARGAND_ANY_OP(sinc), ""},
      {"sigmoid", {}, "z", "1/(1 + e^-z)", any, Sign::Never, ARGAND_ANY_OP(sigmoid), ""},
      {"unit_phasor", {"sgn"}, "z", "z/|z|", complex, Sign::Unknown, ARGAND_COMPLEX_OP(unit_phasor), ""},
      {"polar",
       {},
       "r, phi",
       "r e^{i phi}",
       {Takes::Real, Takes::Real},
       Sign::Unknown,
       [](const OpCaller& call, Operands x) {
         return real_pair(call, x, [](const auto& r, const auto& phi) { return polar(r, phi); });
       },
       "write r*exp(i*phi)"},
      {"make_complex",
       {"complex"},
       "x, y",
       "x + iy",
       {Takes::Real, Takes::Real},
       Sign::Unknown,
       [](const OpCaller& call, Operands x) {
         return real_pair(call, x, [](const auto& re, const auto& im) { return make_complex(re, im); });
       },
       "write x + i*y"},
      {"rotate",
       {},
       "z, theta",
       "z e^{i theta}",
       {Takes::Complex, Takes::Real},
       Sign::Unknown,
       apply_rotate,
       "write z*exp(i*theta)"},
      {"phase_rotation",
       {},
       "z, delta, beta",
       "|z| e^{i(delta arg z + beta)}",
       {Takes::Complex, Takes::Real, Takes::Real},
       Sign::Unknown,
       apply_phase_rotation,
       "delta and beta are real"},
      {"modrelu", {}, "z, c", "relu(|z| + c) z/|z|", {Takes::Complex, Takes::Real}, Sign::Unknown, apply_modrelu, "c is real"},
      {"cardioid", {}, "z", "(1 + cos arg z) z/2", complex, Sign::Unknown, ARGAND_COMPLEX_OP(cardioid), ""},
      {"zrelu", {}, "z", "z in the first quadrant, else 0", complex, Sign::Unknown, ARGAND_COMPLEX_OP(zrelu), ""},
      {"crelu", {}, "z", "relu(x) + i relu(y)", complex, Sign::Unknown, ARGAND_COMPLEX_OP(crelu), ""},
      {"cgelu", {}, "z", "gelu(x) + i gelu(y)", complex, Sign::Unknown, ARGAND_COMPLEX_OP(cgelu), ""},
      {"relu", {}, "x", "max(x, 0), x real", real, Sign::Never, ARGAND_REAL_OP(relu), parts},
      {"gelu", {}, "x", "x real", real, Sign::Unknown, ARGAND_REAL_OP(gelu), parts},
      {"silu", {}, "x", "x sigmoid(x), x real", real, Sign::Unknown, ARGAND_REAL_OP(silu), "write z*sigmoid(z)"},
      {"softplus", {}, "x", "log(1 + e^x), x real", real, Sign::Never, ARGAND_REAL_OP(softplus), "write log(1 + exp(z))"},
      {"log_sigmoid", {}, "x", "log sigmoid(x), x real", real, Sign::Unknown, ARGAND_REAL_OP(log_sigmoid), "write log(sigmoid(z))"},
      {"logaddexp",
       {},
       "x, y",
       "log(e^x + e^y), both real",
       {Takes::Real, Takes::Real},
       Sign::Unknown,
       [](const OpCaller& call, Operands x) {
         return real_pair(call, x, [](const auto& a, const auto& b) { return logaddexp(a, b); });
       },
       "write log(exp(z) + exp(w))"},
      {"atan2",
       {},
       "y, x",
       "arg(x + iy), both real",
       {Takes::Real, Takes::Real},
       Sign::Unknown,
       [](const OpCaller& call, Operands x) {
         return real_pair(call, x, [](const auto& a, const auto& b) { return atan2(a, b); });
       },
       "write angle(z)"},
      {"swiglu",
       {},
       "x, y",
       "silu(x) y, both real",
       {Takes::Real, Takes::Real},
       Sign::Unknown,
       [](const OpCaller& call, Operands x) {
         return real_pair(call, x, [](const auto& gate, const auto& up) { return swiglu(gate, up); });
       },
       "write z*sigmoid(z)*w"},
      {"erf", {}, "x", "x real", real, Sign::IfOperandsAre, ARGAND_REAL_OP(erf), "erf is implemented for real numbers only"},
      {"erfc", {}, "x", "1 - erf(x), x real", real, Sign::Never, ARGAND_REAL_OP(erfc), "erfc is implemented for real numbers only"},
      {"erfinv",
       {},
       "x",
       "the w with erf(w) = x, x real",
       real,
       Sign::IfOperandsAre,
       ARGAND_REAL_OP(erfinv),
       "erfinv is implemented for real numbers only"},
      {"lgamma",
       {},
       "x",
       "log |gamma(x)|, x real",
       real,
       Sign::Unknown,
       ARGAND_REAL_OP(lgamma),
       "lgamma is implemented for real numbers only"},
      {"digamma",
       {},
       "x",
       "lgamma'(x), x real",
       real,
       Sign::Unknown,
       ARGAND_REAL_OP(digamma),
       "digamma is implemented for real numbers only"},
  };
}

std::vector<ExpressionFunction> make_operators() {
  const std::vector<Takes> two = {Takes::Any, Takes::Any};
  return {
      {"+",
       {},
       "a, b",
       "",
       two,
       Sign::IfOperandsAre,
       [](const OpCaller& call, Operands x) { return call([](const auto& a, const auto& b) { return add(a, b); }, x[0], x[1]); },
       ""},
      {"-",
       {},
       "a, b",
       "",
       two,
       Sign::Unknown,
       [](const OpCaller& call, Operands x) { return call([](const auto& a, const auto& b) { return sub(a, b); }, x[0], x[1]); },
       ""},
      {"*",
       {},
       "a, b",
       "",
       two,
       Sign::IfOperandsAre,
       [](const OpCaller& call, Operands x) { return call([](const auto& a, const auto& b) { return mul(a, b); }, x[0], x[1]); },
       ""},
      {"/",
       {},
       "a, b",
       "",
       two,
       Sign::IfOperandsAre,
       [](const OpCaller& call, Operands x) { return call([](const auto& a, const auto& b) { return div(a, b); }, x[0], x[1]); },
       ""},
      {"~", {}, "a", "", {Takes::Any}, Sign::Unknown, ARGAND_ANY_OP(neg), ""},
  };
}

#undef ARGAND_REAL_OP
#undef ARGAND_COMPLEX_OP
#undef ARGAND_ANY_OP

}  // namespace

const std::vector<ExpressionFunction>& expression_functions() {
  static const std::vector<ExpressionFunction> functions = make_functions();
  return functions;
}

const ExpressionFunction* find_expression_function(const std::string& name) {
  for (const ExpressionFunction& f : expression_functions())
    if (f.name == name || std::find(f.aliases.begin(), f.aliases.end(), name) != f.aliases.end()) return &f;
  return nullptr;
}

const ExpressionFunction& expression_operator(char symbol) {
  static const std::vector<ExpressionFunction> operators = make_operators();
  return *std::find_if(operators.begin(), operators.end(), [symbol](const auto& o) { return o.name[0] == symbol; });
}

AnyVar complex_operand(const OpCaller& call, const AnyVar& x) {
  if (x.index() == 1) return x;
  return call([]<class T>(const Var<T>& v) { return to_complex(as<double>(v)); }, x);
}

}  // namespace argand
