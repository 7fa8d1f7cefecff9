/// The lab's functions, computed from their definitions in 500-bit arithmetic.

#include "tests/expressions/reference.h"

namespace reference {
namespace {

namespace mp = boost::multiprecision;
using accuracy::arg;
using accuracy::modulus;
using accuracy::pi;
using Operands = std::vector<Z>;

bool is_zero(const Z& z) { return z.x == 0 && z.y == 0; }
bool negative(const Z& z) { return z.y == 0 && z.x < 0; }
bool beyond_one(const Z& z) { return z.y == 0 && mp::abs(z.x) > 1; }
bool below_one(const Z& z) { return z.y == 0 && z.x < 1; }
bool beyond_i(const Z& z) { return z.x == 0 && mp::abs(z.y) > 1; }

Z times_i(const Z& z) { return {-z.y, z.x}; }
Z over_i(const Z& z) { return {z.y, -z.x}; }

/// log(z + √(1 + z²)), or the equivalent -log(√(1 + z²) - z), whichever avoids cancellation.
Z asinh(const Z& z) {
  if (modulus(z) < N(1e-40)) return z - z * z * z / Z(6.0);
  const Z root = sqrt(Z(1.0) + z * z);
  const Z there = z + root, back = root - z;  // there · back = 1
  return modulus(there) >= modulus(back) ? log(there) : -log(back);
}
Z atanh(const Z& z) {
  if (modulus(z) < N(1e-40)) return z + z * z * z / Z(3.0);
  return (log(Z(1.0) + z) - log(Z(1.0) - z)) / Z(2.0);
}
Z asin(const Z& z) { return over_i(asinh(times_i(z))); }
Z acosh(const Z& z) { return log(z + sqrt(z + Z(1.0)) * sqrt(z - Z(1.0))); }
Z sinh(const Z& z) { return over_i(sin(times_i(z))); }
Z cosh(const Z& z) { return cos(times_i(z)); }
Z tan(const Z& z) { return over_i(tanh(times_i(z))); }

/// z/|z|, and 0 at 0.
Z phasor(const Z& z) {
  if (is_zero(z)) return N(0);
  const N r = modulus(z);
  return {z.x / r, z.y / r};
}
Z polar(const N& r, const N& phi) { return {r * mp::cos(phi), r * mp::sin(phi)}; }
N relu(const N& x) { return x > 0 ? x : N(0); }
N gelu(const N& x) { return x * accuracy::normal_cdf(x); }

N from_mpfr(const N& x, int (*f)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t)) {
  N w;
  f(w.backend().data(), x.backend().data(), MPFR_RNDN);
  return w;
}
N lgamma(const N& x) {
  N w;
  int sign = 0;
  mpfr_lgamma(w.backend().data(), &sign, x.backend().data(), MPFR_RNDN);
  return w;
}
/// Newton's method for erf(y) = x, starting at y = √π x/2, with steps of at most 0.5; erf'(y) = 2 e^(-y²)/√π.
N erfinv(const N& x) {
  if (mp::abs(x) >= 1) return x / N(0);
  N y = x == 0 ? N(0) : x * mp::sqrt(pi()) / 2;
  for (int k = 0; k < 200; ++k) {
    const N step = (accuracy::erf(y) - x) * mp::sqrt(pi()) / 2 * mp::exp(y * y),
            limited = mp::abs(step) > 0.5 ? N(step > 0 ? 0.5 : -0.5) : step;
    y -= limited;
    static const N unit("1e-149");
    if (mp::abs(limited) <= unit * mp::abs(y)) break;
  }
  return y;
}
N softplus(const N& x) { return x > 0 ? x + accuracy::log1p(N(mp::exp(-x))) : accuracy::log1p(N(mp::exp(x))); }

std::map<std::string, Function> make_functions() {
  const auto of_parts = [](const Z& z, N (*f)(const N&)) { return Z(f(z.x), f(z.y)); };
  static const auto both = of_parts;
  return {
      {"+", Function{[](const Operands& x) { return x[0] + x[1]; }}},
      {"-", Function{[](const Operands& x) { return x[0] - x[1]; }}},
      {"*", Function{[](const Operands& x) { return x[0] * x[1]; }}},
      {"/", Function{[](const Operands& x) { return x[0] / x[1]; }}},
      {"~", Function{[](const Operands& x) { return -x[0]; }}},
      {"abs", Function{[](const Operands& x) { return Z(modulus(x[0])); }}},
      {"abs2", Function{[](const Operands& x) { return Z(x[0].x * x[0].x + x[0].y * x[0].y); }}},
      {"angle", Function{[](const Operands& x) { return Z(arg(x[0])); }, negative, false}},
      {"conj", Function{[](const Operands& x) { return accuracy::conj(x[0]); }}},
      {"real", Function{[](const Operands& x) { return Z(x[0].x); }}},
      {"imag", Function{[](const Operands& x) { return Z(x[0].y); }}},
      {"exp", Function{[](const Operands& x) { return accuracy::exp(x[0]); }}},
      {"log", Function{[](const Operands& x) { return accuracy::log(x[0]); }, negative, false}},
      {"sqrt", Function{[](const Operands& x) { return accuracy::sqrt(x[0]); }, negative, false}},
      {"square", Function{[](const Operands& x) { return x[0] * x[0]; }}},
      {"sin", Function{[](const Operands& x) { return accuracy::sin(x[0]); }}},
      {"cos", Function{[](const Operands& x) { return accuracy::cos(x[0]); }}},
      {"tan", Function{[](const Operands& x) { return tan(x[0]); }}},
      {"sinh", Function{[](const Operands& x) { return sinh(x[0]); }}},
      {"cosh", Function{[](const Operands& x) { return cosh(x[0]); }}},
      {"tanh", Function{[](const Operands& x) { return accuracy::tanh(x[0]); }}},
      {"asin", Function{[](const Operands& x) { return asin(x[0]); }, beyond_one}},
      {"acos", Function{[](const Operands& x) { return Z(pi() / 2) - asin(x[0]); }, beyond_one}},
      {"atan", Function{[](const Operands& x) { return over_i(atanh(times_i(x[0]))); }, beyond_i}},
      {"asinh", Function{[](const Operands& x) { return asinh(x[0]); }, beyond_i}},
      {"acosh", Function{[](const Operands& x) { return acosh(x[0]); }, below_one}},
      {"atanh", Function{[](const Operands& x) { return atanh(x[0]); }, beyond_one}},
      {"sinc",
       Function{[](const Operands& x) { return is_zero(x[0]) ? Z(1.0) : accuracy::sin(Z(pi()) * x[0]) / (Z(pi()) * x[0]); }}},
      {"sigmoid", Function{[](const Operands& x) { return accuracy::logistic(x[0]); }}},
      {"unit_phasor", Function{[](const Operands& x) { return phasor(x[0]); }}},
      {"polar", Function{[](const Operands& x) { return polar(x[0].x, x[1].x); }}},
      {"make_complex", Function{[](const Operands& x) { return Z(x[0].x, x[1].x); }}},
      {"rotate", Function{[](const Operands& x) { return x[0] * polar(1, x[1].x); }}},
      {"phase_rotation",
       Function{[](const Operands& x) { return polar(modulus(x[0]), x[1].x * arg(x[0]) + x[2].x); }, negative, false}},
      {"modrelu", Function{[](const Operands& x) { return Z(relu(modulus(x[0]) + x[1].x)) * phasor(x[0]); }}},
      {"cardioid", Function{[](const Operands& x) { return Z((1 + phasor(x[0]).x) / 2) * x[0]; }}},
      {"zrelu", Function{[](const Operands& x) { return x[0].x >= 0 && x[0].y >= 0 ? x[0] : Z(0.0); }}},
      {"crelu", Function{[](const Operands& x) { return both(x[0], relu); }}},
      {"cgelu", Function{[](const Operands& x) { return both(x[0], gelu); }}},
      {"relu", Function{[](const Operands& x) { return Z(relu(x[0].x)); }}},
      {"gelu", Function{[](const Operands& x) { return Z(gelu(x[0].x)); }}},
      {"silu", Function{[](const Operands& x) { return x[0] * accuracy::logistic(x[0]); }}},
      {"swiglu", Function{[](const Operands& x) { return x[0] * accuracy::logistic(x[0]) * x[1]; }}},
      {"erf", Function{[](const Operands& x) { return Z(accuracy::erf(x[0].x)); }}},
      {"erfc", Function{[](const Operands& x) { return Z(accuracy::erfc(x[0].x)); }}},
      {"lgamma", Function{[](const Operands& x) { return Z(lgamma(x[0].x)); }}},
      {"digamma", Function{[](const Operands& x) { return Z(from_mpfr(x[0].x, mpfr_digamma)); }}},
      {"log1p",
       Function{[](const Operands& x) { return accuracy::log1p(x[0]); }, [](const Z& z) { return z.y == 0 && z.x < -1; }, false}},
      {"expm1", Function{[](const Operands& x) { return accuracy::expm1(x[0]); }}},
      {"softplus", Function{[](const Operands& x) { return Z(softplus(x[0].x)); }}},
      {"log_sigmoid", Function{[](const Operands& x) { return Z(-softplus(-x[0].x)); }}},
      {"logaddexp", Function{[](const Operands& x) {
         const N &a = x[0].x, &b = x[1].x;
         return a > b ? Z(a + softplus(b - a)) : Z(b + softplus(a - b));
       }}},
      {"atan2", Function{[](const Operands& x) { return Z(mp::atan2(x[0].x, x[1].x)); }}},
      {"erfinv", Function{[](const Operands& x) { return Z(erfinv(x[0].x)); }}},
  };
}

}  // namespace

const Function* function(const std::string& name) {
  static const std::map<std::string, Function> functions = make_functions();
  const auto found = functions.find(name);
  return found == functions.end() ? nullptr : &found->second;
}

}  // namespace reference
