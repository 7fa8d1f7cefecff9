#include "lab/expression/expression.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <numbers>

#include "autograd/gradcheck.h"
#include "autograd/tape.h"
#include "autograd/wirtinger.h"
#include "tests/error_text.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(expression)

namespace {

using C = std::complex<double>;
const C i(0, 1);

AnyVar point(C z) { return Var<C>(Tensor<C>({1}, {z})); }

C value_of(const AnyVar& w) {
  return std::visit([](const auto& v) { return C(v.value().item()); }, w);
}
C value(const std::string& text, C z = {1, 2}) { return value_of(Expression(text)({point(z)})); }
bool is_real(const std::string& text) { return Expression(text)({point({1, 2})}).index() == 0; }

std::string parse_error(const std::string& text) {
  return error_of([&] { Expression{text}; });
}
std::string eval_error(const std::string& text) {
  return error_of([&] { value(text); });
}

bool close(C a, C b) { return std::abs(a - b) <= 4e-15 * std::max(1.0, std::abs(b)); }

}  // namespace

BOOST_AUTO_TEST_CASE(numbers_and_constants) {
  BOOST_TEST(value("2") == C(2));
  BOOST_TEST(value(" .5 ") == C(0.5));
  BOOST_TEST(value("1.5e-3") == C(1.5e-3));
  BOOST_TEST(value("1e2i") == C(0, 100));
  BOOST_TEST(value("1+2i") == C(1, 2));
  BOOST_TEST(value("i*i") == C(-1));
  BOOST_TEST(value("pi") == C(std::numbers::pi));
  BOOST_TEST(value("e") == C(std::numbers::e));
  BOOST_TEST(value("f(x) = x", {3, 4}) == C(3, 4));
}

BOOST_AUTO_TEST_CASE(precedence_is_that_of_mathematics) {
  BOOST_TEST(value("1 + 2*3 - 8/4/2") == C(6));
  BOOST_TEST(value("-2^2") == C(-4));
  BOOST_TEST(value("2^3^2") == C(512));
  BOOST_TEST(value("2^-2") == C(0.25));
  BOOST_TEST(value("2*-3") == C(-6));
  BOOST_TEST(value("--3") == C(3));
  BOOST_TEST(value("(1+1)*3") == C(6));
  BOOST_TEST(value("-z^2") == C(3, -4));
}

BOOST_AUTO_TEST_CASE(functions_and_their_aliases) {
  const C z(1, 2), w = std::sqrt(z);
  BOOST_TEST(close(value("abs(z)^2"), std::norm(z)));
  BOOST_TEST(value("abs2(z)") == C(5));
  for (const char* text : {"angle(z)", "arg(z)", "phase(z)"}) BOOST_TEST(value(text) == C(std::arg(z)));
  for (const char* text : {"re(z)", "Re(z)", "real(z)"}) BOOST_TEST(value(text) == C(1));
  for (const char* text : {"im(z)", "Im(z)", "imag(z)"}) BOOST_TEST(value(text) == C(2));
  BOOST_TEST(value("conj(z)") == C(1, -2));
  BOOST_TEST(value("sqrt(z)") == w);
  BOOST_TEST(close(value("ln(z)"), std::log(z)));
  BOOST_TEST(close(value("tan(z)"), std::tan(z)));
  BOOST_TEST(close(value("sinh(z)"), std::sinh(z)));
  BOOST_TEST(close(value("arcsin(z) + acos(z)"), std::asin(z) + std::acos(z)));
  BOOST_TEST(close(value("atan(z) - asinh(z)"), std::atan(z) - std::asinh(z)));
  BOOST_TEST(close(value("acosh(z)*atanh(z)"), std::acosh(z) * std::atanh(z)));
  BOOST_TEST(close(value("sinc(z)*pi*z"), std::sin(std::numbers::pi * z)));
  BOOST_TEST(close(value("erfc(1) + lgamma(3)"), std::erfc(1) + std::log(2)));
  BOOST_TEST(close(value("log1p(z) - expm1(z)"), std::log(1.0 + z) - (std::exp(z) - 1.0)));
  BOOST_TEST(close(value("softplus(2) + log_sigmoid(-2)"), 0));
  BOOST_TEST(close(value("logaddexp(1, 1) + atan2(1, -1)"), 1 + std::log(2) + 0.75 * std::numbers::pi));
  BOOST_TEST(close(value("erf(erfinv(0.3))"), 0.3));
  BOOST_TEST(close(value("cosh(z)"), std::cosh(z)));
  BOOST_TEST(close(value("polar(abs(z), 2)"), std::polar(std::abs(z), 2.0)));
  BOOST_TEST(close(value("rotate(z, pi/2)"), i * z));
  BOOST_TEST(close(value("phase_rotation(z, 2, 0)"), z * z / std::abs(z)));
  BOOST_TEST(close(value("modrelu(z, -1)"), z - z / std::abs(z)));
  BOOST_TEST(value("make_complex(im(z), 1)") == C(2, 1));
  // Every function that the help lists can be called.
  for (const ExpressionFunction& f : expression_functions()) {
    std::string arguments;
    for (const Takes takes : f.takes)
      arguments +=
          // The domain of erfinv ends at 1.
          (arguments.empty() ? "" : ", ") + std::string(takes == Takes::Real ? "abs(z)/4" : "z");
    const C w = value(f.name + "(" + arguments + ")");
    BOOST_TEST(std::isfinite(std::abs(w)), f.name);
    BOOST_TEST((Op::find(f.name) != nullptr || f.name == "digamma"), f.name);
  }
}

BOOST_AUTO_TEST_CASE(powers) {
  const C z(1, 2);
  BOOST_TEST(value("z^2") == C(-3, 4));
  BOOST_TEST(value("z^3") == C(-11, -2));
  BOOST_TEST(value("z^-1") == C(0.2, -0.4));
  BOOST_TEST(value("z^0") == C(1));
  BOOST_TEST(value("z^7") == C(29, 278));
  BOOST_TEST(close(value("z^(1/3)"), std::pow(z, 1.0 / 3)));
  BOOST_TEST(close(value("z^z"), std::exp(z * std::log(z))));
  BOOST_TEST(close(value("2^z"), std::exp(z * std::log(2))));
  BOOST_TEST(value("e^z") == std::exp(z));
  BOOST_TEST(close(value("z^i"), std::exp(i * std::log(z))));
}

BOOST_AUTO_TEST_CASE(real_values_stay_real) {
  for (const char* text : {"abs(z)", "2", "abs(z)^2 + re(z)*3", "-im(z)", "sqrt(abs(z))", "log(abs2(z) + 1)", "re(z)^2", "re(z)^3",
                           "sqrt(re(z)^2 + im(z)^2)", "exp(re(z))^1.5", "abs(z)^angle(z)", "relu(re(z))", "conj(re(z))", "e^im(z)"})
    BOOST_TEST(is_real(text), text);
  for (const char* text : {"z", "re(z)*i", "1 + 2i", "sqrt(re(z))", "log(im(z))", "re(z)^0.5", "abs(z)*z", "polar(abs(z), 1)"})
    BOOST_TEST(!is_real(text), text);
  // Where a real op would give NaN, the expression is complex.
  BOOST_TEST(value("sqrt(-4)") == C(0, 2));
  BOOST_TEST(close(value("sqrt(re(z))", {-9, 1}), C(0, 3)));
  BOOST_TEST(close(value("log(re(z))", {-1, 1}), C(0, std::numbers::pi)));
}

BOOST_AUTO_TEST_CASE(points_and_variables) {
  const Expression f("g(z, w) = z * conj(w) + 1");
  BOOST_TEST(f.name() == "g");
  BOOST_TEST((f.variables() == std::vector<std::string>{"z", "w"}));
  BOOST_TEST(f.equation() == "g(z, w) = z * conj(w) + 1");
  BOOST_TEST(Expression("z^2").equation() == "f(z) = z^2");
  BOOST_TEST(Expression("a*b", {"a", "b"}).equation() == "f(a, b) = a*b");
  const Tensor<C> z({3}, {{1, 2}, {0, 0}, {-1, 1}}), w({3}, {{1, 1}, {2, 3}, {0, 1}});
  const auto y = std::get<Var<C>>(f({Var<C>(z), Var<C>(w)}));
  for (std::int64_t n = 0; n < 3; ++n) BOOST_TEST(y.value()(n) == z(n) * std::conj(w(n)) + 1.0);
  // A real argument stays real, and a constant is repeated for every point.
  BOOST_TEST(Expression("x^2", {"x"})({Var<double>(Tensor<double>({2}, {1.0, 2.0}))}).index() == 0);
  BOOST_TEST((std::get<Var<double>>(Expression("2")({Var<C>(z)})).shape() == Shape{3}));
  BOOST_TEST(error_of([&] { f({Var<C>(z)}); }) == "expression: g has 2 variables, got 1 argument");
  BOOST_TEST(error_of([&] {
               f({Var<C>(z), Var<C>(Tensor<C>::zeros({2}))});
             }) == "expression: expects one vector [N] of points per variable, all of the same length; got [3] and [2]");
}

BOOST_AUTO_TEST_CASE(the_tape_differentiates_it) {
  const Expression f("f(z) = abs(z)^2 * exp(i*angle(z)) + z^3 - 2^z / sqrt(re(z) + 4)");
  const Report result = gradcheck(CheckedFunction(f), {AnyTensor(Tensor<C>({4}, {{1, 2}, {0.3, -0.4}, {-1, 0.7}, {2, 0.1}}))});
  BOOST_TEST(result.ok(), report_text(result));
}

BOOST_AUTO_TEST_CASE(the_trace_is_the_tape) {
  const Tape tape;
  std::vector<TracedOp> trace;
  Expression("z^3 + sin(re(z)) * 2").traced({variable(Tensor<C>({1}, {{1, 2}}))}, trace);
  std::string ops;
  for (const TapeEntry& entry : tape.entries()) ops += entry.op->name() + " ";
  BOOST_TEST(ops == "square mul real sin mul add ");
  BOOST_TEST_REQUIRE(trace.size() == tape.entries().size());
  for (std::size_t k = 0; k < trace.size(); ++k)
    BOOST_TEST(std::visit([](const auto& v) { return v.slot().get() == nullptr ? -1 : v.slot()->entry; }, trace[k].output) ==
               static_cast<std::int64_t>(k));
}

BOOST_AUTO_TEST_CASE(both_wirtinger_derivatives_by_the_tape) {
  const std::vector<AnyTensor> at = {Tensor<C>({2}, {{1, 2}, {-0.5, 0.25}})};
  const TapeWirtinger mixed = tape_wirtinger(Expression("z^2 * conj(z)"), at);
  const TapeWirtinger real = tape_wirtinger(Expression("abs2(z)"), at);
  for (std::size_t k = 0; k < 2; ++k) {
    const C z = std::get<Tensor<C>>(at[0])(k);
    BOOST_TEST(close(mixed.value[k], z * z * std::conj(z)));
    BOOST_TEST(close(mixed.dz[k], 2.0 * z * std::conj(z)));
    BOOST_TEST(close(mixed.dzbar[k], z * z));
    BOOST_TEST(close(real.dz[k], std::conj(z)));
    BOOST_TEST(close(real.dzbar[k], z));
  }
  BOOST_TEST(mixed.output_is_complex);
  BOOST_TEST(!real.output_is_complex);
}

BOOST_AUTO_TEST_CASE(the_notations_of_the_book_and_of_engineers) {
  const C z(3, -4), w(0.5, 2);
  const auto value = [&](const std::string& text) {
    const std::vector<AnyVar> at = {constant(Tensor<C>({1}, {z})), constant(Tensor<C>({1}, {w}))};
    return std::visit([](const auto& v) { return C(v.value().data()[0]); }, Expression(text, {"z", "w"})(at));
  };
  BOOST_TEST(value("|z|") == C(5));
  BOOST_TEST(value("|z|^2 - |w*z|") == C(25 - std::abs(w * z)));
  BOOST_TEST(value("||z| - 7|") == C(2));
  BOOST_TEST(value("2*|z - |w*|z|||") == 2.0 * std::abs(z - std::abs(w) * 5.0));
  BOOST_TEST(value("-|abs(z) - 6|") == C(-1));
  BOOST_TEST(value("z\u0304") == std::conj(z));
  BOOST_TEST(value("z*w\u0305 + z\u0304^2") == z * std::conj(w) + std::conj(z) * std::conj(z));
  BOOST_TEST(value("2z") == 2.0 * z);
  BOOST_TEST(value("2z^2 - 3 z\u0304") == 2.0 * z * z - 3.0 * std::conj(z));
  BOOST_TEST(value("-2(z + 1)") == -2.0 * (z + 1.0));
  BOOST_TEST(value("2re(z)*w") == 2.0 * z.real() * w);
  BOOST_TEST(value("2i z + 2pi") == C(0, 2) * z + 2 * std::numbers::pi);
  BOOST_TEST(value("2^(2z)/(2w)") == std::get<Complex>(Expression("f(z, w) = 2^(2*z)/(2*w)")(
                                                           {constant(Tensor<C>({1}, {z})), constant(Tensor<C>({1}, {w}))}))
                                         .value()(0));
  BOOST_TEST(value("|z² + 1|²") == value("|z^2 + 1|^2"));
  BOOST_TEST(value("−2z̄³·w − z²⁰ × w⁻¹") == value("-2z̄^3*w - z^20*w^-1"));
  BOOST_TEST(value("-z²") == -(z * z));
  BOOST_TEST(value("2\u00a0π\u00a0") == C(2 * std::numbers::pi));
  // Conjugates and products in TeX notation, and a star for the conjugate.
  for (const char* text :
       {R"(2\bar z)", R"(2\bar{z})", R"(2\cdot\bar{z})", R"(2\overline{z})", "2*z^*", "2z^*", R"({2}*\bar z)", "2*conj(z)"})
    BOOST_TEST(value(text) == 2.0 * std::conj(z), text);
  BOOST_TEST(value(R"(\bar{z^2 + \pi*i*z})") == value("conj(z^2 + pi*i*z)"));
  BOOST_TEST(value(R"(-\bar z^{2})") == value("-(conj(z)^2)"));
  BOOST_TEST(value("z^*^2 + 3*(1 + z)^* * z") == value("conj(z)^2 + 3*conj(1 + z)*z"));
  BOOST_TEST(value(R"(\overline{\bar z}²)") == value("z^2"));
  BOOST_TEST(value("1+2j") == C(1, 2));
  BOOST_TEST(value("j*z") == C(0, 1) * z);
  const std::vector<AnyVar> at = {constant(Tensor<C>({1}, {z}))};  // a variable named j hides the imaginary unit
  BOOST_TEST(std::get<Complex>(Expression("f(j) = j*j")(at)).value()(0) == z * z);
}

BOOST_AUTO_TEST_CASE(errors_point_at_the_place) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"f(z) = z 2", "a product needs a * sign: write z*2\n  f(z) = z 2\n           ^"},
      {"1/2z", "ambiguous; write /(2*z) or /2*z\n  1/2z\n     ^"},
      {"1/-2z", "ambiguous; write /(2*z) or /2*z\n  1/-2z\n      ^"},
      {"z^2(z + 1)", "ambiguous; write ^(2*(...)) or ^2*(\n  z^2(z + 1)\n     ^"},
      {"2|z|", "a modulus has a \"|\" on either side, as in 2*|z|\n  2|z|\n   ^"},
      {"(z+1)(z-1)", "a product needs a * sign: write (z+1)*(\n  (z+1)(z-1)\n       ^"},
      {"|z|z", "a product needs a * sign: write |z|*z\n  |z|z\n     ^"},
      {"sin(z) z", "a product needs a * sign: write sin(z)*z\n  sin(z) z\n         ^"},
      {"2*zbar", "write a conjugate as conj(z) or z̄\n  2*zbar\n    ^"},
      {"f(w, z) = w*z_conj", "write a conjugate as conj(z) or z̄\n  f(w, z) = w*z_conj\n              ^"},
      {"2in", "unknown variable in; variables are named on the left: f(z, in) = ...\n  2in\n   ^"},
      {"z(2)", "z is a variable, not a function; write z*(\n  z(2)\n   ^"},
      {"abs(z", "\")\" of abs( is missing before the end\n  abs(z\n       ^"},
      {"(z + 1", "\")\" is missing before the end\n  (z + 1\n        ^"},
      {"z)", "unmatched \")\"\n  z)\n   ^"},
      {"z +", "expected a number, a variable, a function or \"(\" here, found the end\n  z +\n     ^"},
      {"", "expected a number, a variable, a function or \"(\" here, found the end\n  \n  ^"},
      {"* z", "expected a number, a variable, a function or \"(\" here, found \"*\"\n  * z\n  ^"},
      {"z|w|", "a modulus has a \"|\" on either side, as in 2*|z|\n  z|w|\n   ^"},
      {"2*|z", "the second \"|\" of a modulus is missing before the end\n  2*|z\n      ^"},
      {"||", "expected a number, a variable, a function or \"(\" here, found the end\n  ||\n    ^"},
      {"z̄ + ", "expected a number, a variable, a function or \"(\" here, found the end\n  z̄ + \n      ^"},
      {"z**2", "write a power with ^\n  z**2\n    ^"},
      {"pow(z, 2)", "write a power as a^b\n  pow(z, 2)\n  ^"},
      {"z'", "write a conjugate as conj(z)\n  z'\n   ^"},
      {"z % 2", "expected an operator (+ - * / ^) or the end here, found \"%\"\n  z % 2\n    ^"},
      {"z, z", "a comma can only separate the arguments of a function\n  z, z\n   ^"},
      {"ab(z)", "unknown function ab; did you mean abs?\n  ab(z)\n  ^"},
      {"z + qqqqqq(z)", "unknown function qqqqqq\n  z + qqqqqq(z)\n      ^"},
      {"z + w", "unknown variable w; variables are named on the left: f(z, w) = ...\n  z + w\n      ^"},
      {"exp", "exp is a function; write exp(z)\n  exp\n  ^"},
      {"abs(z, 1)", "abs takes 1 argument, abs(z), but was given 2\n  abs(z, 1)\n  ^"},
      {"1 + rotate(z)", "rotate takes 2 arguments, rotate(z, theta), but was given 1\n  1 + rotate(z)\n      ^"},
      {"abs()", "abs takes 1 argument, abs(z), but was given 0\n  abs()\n  ^"},
      {"1e999", "this number overflows double precision\n  1e999\n  ^"},
      {".", "a decimal point alone is not a number\n  .\n  ^"},
      {"f(i) = i", "i is a constant and cannot be a variable\n  f(i) = i\n    ^"},
      {"f(abs) = 1", "abs is a function and cannot be a variable\n  f(abs) = 1\n    ^"},
      {"f(z, z) = 1", "z is given twice\n  f(z, z) = 1\n       ^"},
      {"f = z", "the left-hand side must be a name with its variables, as in f(z) = ... or f(z, w) = ...\n  f = z\n    ^"},
      {"f(z) = z = 1", "only one = is allowed\n  f(z) = z = 1\n           ^"},
      {"π + √z", "expected a number, a variable, a function or \"(\" here, found \"√\"\n  π + √z\n      ^"},
      {"z²z", "a product needs a * sign: write z²*z\n  z²z\n    ^"},
      {"2z̄z", "a product needs a * sign: write z̄*z\n  2z̄z\n    ^"},
      {R"(\bar)", "expected a number, a variable, a function or \"(\" here, found the end\n  \\bar\n      ^"},
      {R"(\bar{z)", "\"}\" is missing before the end\n  \\bar{z\n        ^"},
      {"(z}", "\")\" is missing before \"}\"\n  (z}\n    ^"},
      {"z}", "unmatched \"}\"\n  z}\n   ^"},
      {R"(1/2\bar z)", "ambiguous; write /(2*\\bar z) or /2*\\bar z\n  1/2\\bar z\n     ^"},
      {R"(z\bar z)", "a product needs a * sign: write z*\\bar z\n  z\\bar z\n   ^"},
      {R"(8 z \bar{z}^3)", "a product needs a * sign: write z*\\bar{z}\n  8 z \\bar{z}^3\n      ^"},
      {R"(z \bar{z)", "a product needs a * sign: write z*\\bar{z\n  z \\bar{z\n    ^"},
      {"(1, 2)", "a comma can only separate the arguments of a function; a pair (1, 2) is written 1+2i\n  (1, 2)\n    ^"},
      {"z^**", "expected a number, a variable, a function or \"(\" here, found the end\n  z^**\n      ^"},
      {"z^*w", "a product needs a * sign: write z^**w\n  z^*w\n     ^"},
      {R"(\frac{z}{2})",
       "TeX is limited to \\bar{z}, z^*, \\cdot and \\pi; write a quotient as a/b and a function as sin(z)\n  \\frac{z}{2}\n  ^"},
      {"z⁻", "an exponent is missing\n  z⁻\n    ^"},
      {"²", "expected a number, a variable, a function or \"(\" here, found \"²\"\n  ²\n  ^"},
      {"1 + √z", "expected a number, a variable, a function or \"(\" here, found \"√\"\n  1 + √z\n      ^"},
  };
  for (const auto& [text, message] : cases) BOOST_TEST(parse_error(text) == "expression: " + message);
  BOOST_TEST(parse_error(std::string(200, '(') + "z").starts_with("expression: nested more than 100 deep\n"));
  BOOST_TEST(parse_error(std::string(200, '-') + "z").starts_with("expression: nested more than 100 deep\n"));
  BOOST_TEST(eval_error("1 + relu(2*z)") ==
             "expression: relu needs a real number here, got a complex one; crelu or cgelu apply one to each part, modrelu(z, c) "
             "to the modulus\n  1 + relu(2*z)\n           ^");
  BOOST_TEST(eval_error("rotate(z, z)") ==
             "expression: rotate needs a real number here, got a complex one; write z*exp(i*theta)\n  rotate(z, z)\n            ^");
}

BOOST_AUTO_TEST_SUITE_END()
