/// Holomorphic functions of one number, measured for real and complex arguments.

#include "tests/accuracy/cases.h"
#include "tests/accuracy/inputs.h"
#include "tests/accuracy/measure.h"

namespace accuracy {
namespace {

using Points = std::vector<std::complex<double>>;
using Function = std::function<Z(const Z&)>;

std::vector<double> real_points(const Points& points) {
  std::vector<double> found;
  for (const auto& p : points)
    if (p.imag() == 0) found.push_back(p.real());
  return found;
}

/// Measures w = f(z) with f' = slope, in four scalar types and both ranges. `positive` restricts real z to positive values.
template <class F>
void both(Table& table, const std::string& op, const std::string& what, const F& f, const Function& w, const Function& slope,
          const Points& near = {}, bool positive = false) {
  const Exact exact = [&](std::span<const Z> z) { return Jet{w(z[0]), {{slope(z[0]), {}}}}; };
  for (const Range range : {Range::Ordinary, Range::Extreme}) {
    const auto of = [&]<RealScalar R>(R) {
      measure(table.cell(range, op, what, std::string(argand::scalar_name<R>())), f, exact,
              real_numbers<R>(range, 1, positive, real_points(near)));
      measure(table.cell(range, op, what, std::string(argand::scalar_name<std::complex<R>>())), f, exact,
              complex_numbers<R>(range, 2, near));
    };
    of(float());
    of(double());
  }
}

template <class F>
void complex_only(Table& table, const std::string& op, const F& f, const Function& w, const Function& slope, const Points& near) {
  const Exact exact = [&](std::span<const Z> z) { return Jet{w(z[0]), {{slope(z[0]), {}}}}; };
  for (const Range range : {Range::Ordinary, Range::Extreme}) {
    measure(table.cell(range, op, "", "complex64"), f, exact, complex_numbers<float>(range, 2, near));
    measure(table.cell(range, op, "", "complex128"), f, exact, complex_numbers<double>(range, 2, near));
  }
}

/// Measures z^p, including negative real z if p is an integer.
void measure_pow(Table& table, double p) {
  both(
      table, "pow", fmt::format("p = {}", p),
      [p](auto z) { return argand::pow(z, static_cast<RealOf<typename decltype(z)::value_type>>(p)); },
      [p](const Z& z) { return pow(z, p); }, [p](const Z& z) { return Z(N(p)) * pow(z, N(p) - 1); }, {{1, 0}, {0, 1}, {-1, 0}},
      p != std::floor(p));
}

/// Chooses the side of the branch cut by the sign of a zero part, because 150-digit arithmetic loses the signs of zeros.
Function beside_cuts(const Function& f) {
  return [f](Z z) {
    if (modulus(z) < 0.5) return f(z);
    const auto step = [](N& part) {
      if (part == 0) part = mpfr_signbit(part.backend().data()) != 0 ? N(-1e-100) : N(1e-100);
    };
    step(z.x);
    step(z.y);
    return f(z);
  };
}

Z asin_of(const Z& z) {
  if (modulus(z) < 1e-45) return z + z * z * z / Z(6.0);
  // iz + sqrt(1 - z²) for z or -z, whichever does not subtract almost equal numbers.
  const Z root = sqrt(Z(1.0) - z) * sqrt(Z(1.0) + z), plus = root + i_unit * z, minus = root - i_unit * z;
  return modulus(plus) > modulus(minus) ? -(i_unit * log(plus)) : i_unit * log(minus);
}
Z atan_of(const Z& z) {
  if (modulus(z) < 1e-45) return z - z * z * z / Z(3.0);
  return Z(0.5) * i_unit * (log(Z(1.0) - i_unit * z) - log(Z(1.0) + i_unit * z));
}
Z asin_slope(const Z& z) { return Z(1.0) / (sqrt(Z(1.0) - z) * sqrt(Z(1.0) + z)); }
Z acosh_of(const Z& z) { return log(z + sqrt(z - Z(1.0)) * sqrt(z + Z(1.0))); }
Z acosh_slope(const Z& z) { return Z(1.0) / (sqrt(z - Z(1.0)) * sqrt(z + Z(1.0))); }
Z atan_slope(const Z& z) { return Z(1.0) / ((Z(1.0) - i_unit * z) * (Z(1.0) + i_unit * z)); }

/// Measures inverse functions: on real and complex numbers if they are defined for all reals, otherwise on complex numbers only.
void measure_inverse(Table& table, const Points& near) {
  const auto all = [&](const char* op, const auto& f, const Function& w, const Function& slope) {
    both(table, op, "", f, beside_cuts(w), beside_cuts(slope), near);
  };
  const auto complex = [&](const char* op, const auto& f, const Function& w, const Function& slope) {
    complex_only(table, op, f, beside_cuts(w), beside_cuts(slope), near);
  };
  all(
      "asinh", [](auto z) { return argand::asinh(z); }, [](const Z& z) { return -(i_unit * asin_of(i_unit * z)); },
      [](const Z& z) { return asin_slope(i_unit * z); });
  all(
      "atan", [](auto z) { return argand::atan(z); }, atan_of, atan_slope);
  complex(
      "asin", [](auto z) { return argand::asin(z); }, asin_of, asin_slope);
  complex(
      "acos", [](auto z) { return argand::acos(z); }, [](const Z& z) { return Z(pi() / 2) - asin_of(z); },
      [](const Z& z) { return -asin_slope(z); });
  complex(
      "acosh", [](auto z) { return argand::acosh(z); }, acosh_of, acosh_slope);
  complex(
      "atanh", [](auto z) { return argand::atanh(z); }, [](const Z& z) { return -(i_unit * atan_of(i_unit * z)); },
      [](const Z& z) { return atan_slope(i_unit * z); });
}

/// sin πz and cos πz, computed from the distance of Re z to the nearest multiple of 1/2, so that their zeros are exact.
struct SinCosPi {
  Z sine, cosine;
};
SinCosPi sincospi(const Z& z) {
  const N turned = fmod(z.x, N(2)), quarter = round(N(2 * turned)), t = pi() * (turned - quarter / 2), y = pi() * z.y;
  N s = sin(t), c = cos(t);
  for (int k = (static_cast<int>(quarter) + 8) % 4; k > 0; --k) std::swap(s, c), c = -c;
  const auto times = [](const N& a, const N& b) { return a == 0 ? N(0) : N(a * b); };
  const N even = cosh(y), odd = sinh(y);
  return {{times(s, even), times(c, odd)}, {times(c, even), -times(s, odd)}};
}
Z sinc_of(const Z& z) {
  if (modulus(z) < 1e-45) return Z(1.0) - Z(N(pi() * pi() / 6)) * z * z;
  return sincospi(z).sine / (Z(pi()) * z);
}
Z sinc_slope(const Z& z) {
  if (modulus(z) < 1e-45) return -(Z(N(pi() * pi() / 3)) * z);
  return (sincospi(z).cosine - sinc_of(z)) / z;
}

}  // namespace

void measure_holomorphic(Table& table) {
  const double half_pi = 1.5707963267948966;
  const Points quarter_turns = {{half_pi, 0}, {2 * half_pi, 0}, {-3 * half_pi, 0}, {100 * half_pi, 0}},
               poles = {{0, half_pi}, {0, -half_pi}, {0, 2 * half_pi}, {0, -6 * half_pi}, {0, 9 * half_pi}},
               units = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {0.6, 0.8}, {-0.8, 0.6}, {-0.28, -0.96}};
  both(
      table, "exp", "", [](auto z) { return argand::exp(z); }, [](const Z& z) { return exp(z); }, [](const Z& z) { return exp(z); },
      poles);
  both(
      table, "log", "", [](auto z) { return argand::log(z); }, [](const Z& z) { return log(z); },
      [](const Z& z) { return Z(1.0) / z; }, units, true);
  both(
      table, "log1p", "", [](auto z) { return argand::log1p(z); }, beside_cuts([](const Z& z) { return log1p(z); }),
      [](const Z& z) { return Z(1.0) / (Z(1.0) + z); }, {{-1.0000013, 0}, {-0.5, 0.8660254}, {-1, 1}, {-0.005, 0.1}}, true);
  both(
      table, "expm1", "", [](auto z) { return argand::expm1(z); }, [](const Z& z) { return expm1(z); },
      [](const Z& z) { return exp(z); }, {{0.005, 0.1}, {-1, 0}, {0, 4 * half_pi}});
  both(
      table, "sqrt", "", [](auto z) { return argand::sqrt(z); }, [](const Z& z) { return sqrt(z); },
      [](const Z& z) { return Z(0.5) / sqrt(z); }, units, true);
  both(
      table, "square", "", [](auto z) { return argand::square(z); }, [](const Z& z) { return z * z; },
      [](const Z& z) { return Z(2.0) * z; }, units);
  both(
      table, "sin", "", [](auto z) { return argand::sin(z); }, [](const Z& z) { return sin(z); }, [](const Z& z) { return cos(z); },
      quarter_turns);
  both(
      table, "cos", "", [](auto z) { return argand::cos(z); }, [](const Z& z) { return cos(z); },
      [](const Z& z) { return -sin(z); }, quarter_turns);
  both(
      table, "tanh", "", [](auto z) { return argand::tanh(z); }, [](const Z& z) { return tanh(z); }, tanh_slope, poles);
  both(
      table, "sigmoid", "", [](auto z) { return argand::sigmoid(z); }, logistic, logistic_slope, poles);
  // Points close to the branch points, but not at them, where there is no gradient.
  measure_inverse(table, {{1.0000013, 0}, {-0.9999987, 0}, {0, 0.9999987}, {0, -1.0000013}, {0.6, 0.8}, {-0.28, -0.96}});
  both(
      table, "tan", "", [](auto z) { return argand::tan(z); }, [](const Z& z) { return -(i_unit * tanh(i_unit * z)); },
      [](const Z& z) { return tanh_slope(i_unit * z); }, quarter_turns);
  both(
      table, "sinh", "", [](auto z) { return argand::sinh(z); }, [](const Z& z) { return -(i_unit * sin(i_unit * z)); },
      [](const Z& z) { return cos(i_unit * z); }, poles);
  both(
      table, "cosh", "", [](auto z) { return argand::cosh(z); }, [](const Z& z) { return cos(i_unit * z); },
      [](const Z& z) { return -(i_unit * sin(i_unit * z)); }, poles);
  both(table, "sinc", "", [](auto z) { return argand::sinc(z); }, sinc_of, sinc_slope, {{169.5, 0}, {-40.5, 0}, {170, 0}, {0, 2}});
  both(
      table, "power", "p = 1.5", [](auto z) { return pow(z, argand::number(RealOf<typename decltype(z)::value_type>(1.5))); },
      [](const Z& z) { return pow(z, 1.5); }, [](const Z& z) { return Z(1.5) * pow(z, N(0.5)); }, {{1, 0}, {0, 1}}, true);
  for (const double p : {-1.5, -1.0, 0.5, 2.0, 2.5, 3.0, 10.0}) measure_pow(table, p);
  both(
      table, "neg", "", [](auto z) { return argand::neg(z); }, [](const Z& z) { return -z; }, [](const Z&) { return Z(-1.0); });
  both(
      table, "scale", "by -1.75", [](auto z) { return argand::scale(z, -1.75f); }, [](const Z& z) { return Z(-1.75) * z; },
      [](const Z&) { return Z(-1.75); });
}

}  // namespace accuracy
