#include <fmt/format.h>

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <numbers>

#include <nlohmann/json.hpp>
#include "autograd/check/planted_fault.h"
#include "core/random.h"
#include "core/text/text_layout.h"
#include "lab/lab_page.h"
#include "lab/lab_tape.h"
#include "lab/lab_text.h"
#include "tests/apps/program.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(lab)

namespace {

using C = std::complex<double>;
const C i(0, 1);

/// A sequence of random numbers.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed, 0) {}
  double uniform() { return random_.uniform(next_++); }
  std::size_t below(std::size_t n) { return std::min(n - 1, static_cast<std::size_t>(uniform() * static_cast<double>(n))); }
  C point() { return std::polar(0.3 + 1.4 * uniform(), (2 * uniform() - 1) * 3); }

 private:
  Random random_;
  std::uint64_t next_ = 0;
};

std::string random_expression(Dice& dice, int depth) {
  if (depth == 0) {
    const std::size_t leaf = dice.below(6);
    return leaf < 4 ? "z" : leaf == 4 ? fmt::format("{:.2f}", 0.5 + dice.uniform()) : fmt::format("({:.2f}-0.7i)", dice.uniform());
  }
  const auto sub = [&] { return random_expression(dice, depth - 1 - static_cast<int>(dice.below(2)) * (depth > 1 ? 1 : 0)); };
  // {} is replaced by a sub-expression. Forms that grow fast are damped, so that six nested ones stay within the range of double.
  static const std::vector<std::string> forms = {"({} + {})",
                                                 "({} - {})",
                                                 "{} * {}",
                                                 "{} / (2 + {})",
                                                 "-{}",
                                                 "({})^2",
                                                 "({})^3",
                                                 "({})^-1",
                                                 "({})^0.5",
                                                 "2^sin({})",
                                                 "(2+abs({}))^({}/4)",
                                                 "exp(sin({}))",
                                                 "log({})",
                                                 "sqrt({})",
                                                 "sin({})",
                                                 "cos({})",
                                                 "tanh({})",
                                                 "sigmoid({})",
                                                 "abs({})",
                                                 "abs2({})",
                                                 "angle({})",
                                                 "conj({})",
                                                 "re({})",
                                                 "im({})",
                                                 "unit_phasor({})",
                                                 "cardioid({})",
                                                 "crelu({})",
                                                 "cgelu({})",
                                                 "zrelu({})",
                                                 "modrelu({}, 0.3)",
                                                 "modrelu({}, -0.2)",
                                                 "relu(re({}))",
                                                 "gelu(im({}))",
                                                 "silu(abs({}))",
                                                 "erf(re({}))",
                                                 "polar(abs({}), im({}))",
                                                 "rotate({}, re({}))",
                                                 "phase_rotation({}, 1.5, 0.3)",
                                                 "square({})",
                                                 "exp(i*angle({}))",
                                                 "make_complex(im({}), abs({}))",
                                                 "tan({}/4)",
                                                 "cosh({}/4)",
                                                 "swiglu(re({}), im({}))"};
  std::string text;
  const std::string& form = forms[dice.below(forms.size())];
  for (std::size_t k = 0; k < form.size(); ++k) {
    if (form[k] == '{') text += sub();
    if (form[k] != '{' && form[k] != '}') text += form[k];
  }
  return text;
}

LabPoint at(const std::string& text, C z) { return lab_point(Expression(text), {z}, 0); }
bool close(C a, C b) { return std::abs(a - b) <= 1e-14 * std::max(1.0, std::abs(b)); }

}  // namespace

BOOST_AUTO_TEST_CASE(two_hundred_random_expressions_agree_with_numerical_differentiation) {
  Dice dice(0x1AB);
  int compared = 0, points = 0, holomorphic = 0, general = 0, real = 0;
  for (int n = 0; compared < 200 && n < 400; ++n) {
    const int depth = 1 + n % 6;
    const std::string text = random_expression(dice, depth);
    const Expression f(text);
    // Up to four points are tried: some lie at kinks and cuts, or where the difference quotients do not converge.
    for (int attempt = 0; attempt < 4; ++attempt) {
      const C z = dice.point();
      const LabPoint p = lab_point(f, {z}, 0);
      ++points;
      BOOST_TEST(!p.failed(), text + ": " + point_text(f, p, Style()));
      if (!p.conclusive()) continue;
      ++compared;
      holomorphic += p.verdict == CauchyRiemann::Holomorphic ? 1 : 0;
      general += p.verdict == CauchyRiemann::General ? 1 : 0;
      real += p.real ? 1 : 0;
      // The kinds of the ops must agree with the numerical derivatives.
      if (p.holomorphic_ops) BOOST_TEST((p.verdict == CauchyRiemann::Holomorphic), text);
      if (p.real && std::abs(p.dz.tape) > 0) BOOST_TEST(close(p.dzbar.tape, std::conj(p.dz.tape)), text);
      break;
    }
  }
  BOOST_TEST_MESSAGE(
      fmt::format("{} compared at {} points: {} holomorphic, {} general, {} real", compared, points, holomorphic, general, real));
  BOOST_TEST(compared == 200);
  BOOST_TEST(points - compared <= 30);  // points that had to be drawn again
  BOOST_TEST(holomorphic >= 20);
  BOOST_TEST(general >= 20);
  BOOST_TEST(real >= 20);
}

BOOST_AUTO_TEST_CASE(closed_forms_and_conventions) {
  const C z(1, 2), u = z / std::abs(z);
  struct Known {
    std::string text;
    C value, dz, dzbar;
    CauchyRiemann verdict;
  };
  const std::vector<Known> known = {
      {"z^2", z * z, 2.0 * z, 0, CauchyRiemann::Holomorphic},
      {"1/z", 1.0 / z, -1.0 / (z * z), 0, CauchyRiemann::Holomorphic},
      {"conj(z)", std::conj(z), 0, 1, CauchyRiemann::Antiholomorphic},
      {"abs(z)^2", std::norm(z), std::conj(z), z, CauchyRiemann::RealValued},
      {"re(z)", z.real(), 0.5, 0.5, CauchyRiemann::RealValued},
      {"im(z)", z.imag(), -0.5 * i, 0.5 * i, CauchyRiemann::RealValued},
      {"exp(i*angle(z))", u, 1 / (2 * std::abs(z)), -u * u / (2 * std::abs(z)), CauchyRiemann::General},
      {"z*abs(z)", z * std::abs(z), 1.5 * std::abs(z), z * u / 2.0, CauchyRiemann::General},
  };
  for (const Known& k : known) {
    const Expression f(k.text);
    const LabPoint p = lab_point(f, {z}, 0);
    BOOST_TEST_CONTEXT(k.text) {
      BOOST_TEST(p.conclusive());
      BOOST_TEST(close(p.value, k.value));
      BOOST_TEST(close(p.dz.tape, k.dz));
      BOOST_TEST(close(p.dzbar.tape, k.dzbar));
      BOOST_TEST((p.verdict == k.verdict));
      // For L = Re f, ∂L/∂z̄ = (∂f/∂z̄ + conj(∂f/∂z))/2; the gradient is twice that.
      const C g = k.dzbar + std::conj(k.dz);
      const auto rows = convention_rows(f, p);
      for (const std::size_t row : {0, 1, 2}) BOOST_TEST(close(rows[row].value, g));
      BOOST_TEST(close(rows[3].value, std::conj(g)));
      BOOST_TEST(rows.size() == (k.verdict == CauchyRiemann::Holomorphic ? 5U : 4U));
      if (rows.size() == 5) BOOST_TEST(close(rows[4].value, k.dz));
      // The Jacobian represents the linear map h -> ∂f/∂z h + ∂f/∂z̄ conj(h).
      const auto J = jacobian_of(p.dz.tape, p.dzbar.tape);
      for (const C h : {C(1, 0), C(0, 1), C(0.3, -2)}) {
        const C w = k.dz * h + k.dzbar * std::conj(h);
        BOOST_TEST(close(C(J[0][0] * h.real() + J[0][1] * h.imag(), J[1][0] * h.real() + J[1][1] * h.imag()), w));
      }
    }
  }
  BOOST_TEST(close(at("abs(z)^2", z).gradient.tape, 2.0 * z));  // PyTorch and TensorFlow return this for |z|²
}

BOOST_AUTO_TEST_CASE(what_cannot_be_decided_is_not_guessed) {
  const LabPoint cone = at("abs(z)", 0), cut = at("sqrt(z)", -1), pole = at("1/z", 0), corner = at("crelu(z)", C(0, 1));
  for (const LabPoint* p : {&cone, &cut, &pole, &corner}) {
    BOOST_TEST(!p->conclusive());
    BOOST_TEST(!p->failed());
    BOOST_TEST(p->singular.size() == 1U);
  }
  BOOST_TEST(cone.trouble == "f has a kink here: along the real axis its derivative is -1 from one side, 1 from the other");
  BOOST_TEST(cut.trouble == "Im f has a cut here: along the imaginary axis it jumps by 2");
  BOOST_TEST(pole.trouble == "the value is not finite");
  BOOST_TEST(corner.trouble == "Re f has a kink here: along the real axis its derivative is 0 from one side, 1 from the other");
  BOOST_TEST(cone.singular[0].op == "abs");
  BOOST_TEST(cone.singular[0].text == "z = 0: the tip of a cone; the gradient returned is 0");
  BOOST_TEST(at("abs(z) + sqrt(z)", 1).singular.empty());
  // Derivatives that grow like r^(-1/2) and r^(-1/10), and one that is merely steep.
  const std::string grows = "the derivative grows without bound towards this point: |∂f/∂z| + |∂f/∂z̄| reaches ";
  BOOST_TEST(at("sqrt(z)", 0).trouble == grows + "5 at a distance of 0.01, 50 at 1e-4, 500 at 1e-6");
  BOOST_TEST(at("z^0.9", 0).trouble.starts_with(grows));
  BOOST_TEST(at("sqrt(z^2 + 1e-6)", 0).trouble.empty());
  BOOST_TEST(at("1+5e-11*z", {1, 2}).trouble.empty());
}

BOOST_AUTO_TEST_CASE(a_tape_with_non_finite_values_is_not_judged) {
  // At a removable singularity, differences find the derivative, but the tape gives non-finite values or follows a convention.
  struct Removable {
    std::string text;
    C z, dz;
    std::string gap;
  };
  for (const Removable& r : std::vector<Removable>{{"1/(1/z)", 0, 1, "div of 1, 0 is inf + nan i"},
                                                   {"sigmoid(log(z))", 0, 1, "log of 0 is -inf"},
                                                   {"exp(log(z) + 2)", 0, std::exp(2.0), "log of 0 is -inf"},
                                                   {"tanh(atanh(z))", 1, 1, "atanh of 1 is inf"},
                                                   {"sin(z)/z", 0, 0, "div of 0, 0 is nan + nan i"},
                                                   {"sqrt(z)^2", -1, 1, "the derivative of sqrt at -1 is a convention"},
                                                   {"abs(z)^2", 0, 0, "the derivative of abs at 0 is a convention"}}) {
    const LabPoint p = at(r.text, r.z);
    BOOST_TEST_CONTEXT(r.text) {
      BOOST_TEST_REQUIRE(p.gaps.size() == 1U);
      BOOST_TEST(p.gaps[0] == r.gap);
      BOOST_TEST(!p.failed());
      BOOST_TEST(!p.conclusive());
      BOOST_TEST(p.has_numerical());
      BOOST_TEST(p.dz.error < 1e-9);
      BOOST_TEST(std::abs(p.dz.numerical - r.dz) <= 10 * p.dz.error);
      const std::string said = point_text(Expression(r.text), p, Style());
      BOOST_TEST(said.find("agree") == std::string::npos, said);
      BOOST_TEST(said.find("not judged") != std::string::npos, said);
    }
  }
  BOOST_TEST(at("sin(z)/z", 0).limit == 1.0);
  // At an ordinary point of the first function, the tape is correct; at a pole, the differences have no limit either.
  BOOST_TEST(at("1/(1/z)", {0.5, 1e-3}).conclusive());
  const LabPoint pole = at("1/z", 0);
  BOOST_TEST(!pole.has_numerical());
  BOOST_TEST(!pole.has_limit);
}

BOOST_AUTO_TEST_CASE(the_tolerance_is_finite_and_printed) {
  const LabPoint p = at("exp(z)", {1, 2});
  BOOST_TEST(p.dz.rounding > 0);
  BOOST_TEST(p.dz.rounding < 1e-13);
  BOOST_TEST(p.dz.tolerance() < 1e-7);
  BOOST_TEST(point_text(Expression("exp(z)"), p, Style()).find("agree to 3e-08\n") != std::string::npos);
  // Rounding errors that exceed the derivative, caused by cancellation, intermediate underflow, or the huge argument of a wave.
  for (const auto& [text, z] : std::vector<std::pair<std::string, C>>{
           {"exp((z + 1e20) - 1e20)", 1}, {"(1e-200*z)*(1e-200*z)*1e300*1e100", 1}, {"cos(abs(z)*1e16)", 0.15}}) {
    const LabPoint wide = at(text, z);
    BOOST_TEST(!wide.conclusive(), text);
    BOOST_TEST(!wide.failed(), text);
  }
  // Differences cannot see changes within their smallest step.
  const LabPoint close = at("sqrt(z)", 1e-250);
  BOOST_TEST(!close.failed());
  BOOST_TEST(close.trouble.starts_with("f changes closer to this point than the smallest step"), close.trouble);
  // A slope of 1e-10 is not 0, so the function is not holomorphic.
  BOOST_TEST((at("z + 1e-10*conj(z)", {1, 2}).verdict == CauchyRiemann::General));
}

BOOST_AUTO_TEST_CASE(a_circle_becomes_an_ellipse) {
  for (const C z : {C(1, 2), C(-0.3, 0.4)}) {
    const LabPoint p = at("z^2 + 0.7*i*conj(z)", z);
    const LabEllipse e = ellipse_of(p.dz.tape, p.dzbar.tape);
    double longest = 0, shortest = 1e9;
    const auto J = jacobian_of(p.dz.tape, p.dzbar.tape);
    for (int k = 0; k < 20000; ++k) {
      const C h = std::polar(1.0, k * 2 * std::numbers::pi / 20000);
      const double r = std::abs(C(J[0][0] * h.real() + J[0][1] * h.imag(), J[1][0] * h.real() + J[1][1] * h.imag()));
      longest = std::max(longest, r), shortest = std::min(shortest, r);
    }
    BOOST_TEST(std::abs(e.longer - longest) < 1e-6);
    BOOST_TEST(std::abs(e.shorter - shortest) < 1e-6);
    BOOST_TEST(std::abs(e.determinant - (J[0][0] * J[1][1] - J[0][1] * J[1][0])) < 1e-12);
  }
  BOOST_TEST(ellipse_of(1.0, 2.0).determinant == -3);
  const std::string point = point_text(Expression("z^2"), at("z^2", 0), Style());
  BOOST_TEST(point.find("A small circle becomes a point, to first order: a = ∂f/∂z, b = ∂f/∂z̄ are 0\n") != std::string::npos,
             point);
}

BOOST_AUTO_TEST_CASE(rounding_is_not_mistaken_for_a_derivative) {
  // Most steps of the differences change these values by less than a unit in the last place.
  for (const auto& [text, z] :
       std::vector<std::pair<std::string, C>>{{"1+5e-11*z", {1, 2}}, {"sigmoid(z)", 28}, {"1e12+z^2", 0.3}}) {
    const LabPoint p = at(text, z);
    BOOST_TEST(!p.failed(), text);
    BOOST_TEST(p.dz.error > 0, text);
    const std::string said = point_text(Expression(text), p, Style());
    BOOST_TEST(said.find("frameworks choose freely") == std::string::npos, said);
  }
  // Derivatives that are exactly 0 at perfectly ordinary points.
  for (const auto& [text, z] : std::vector<std::pair<std::string, C>>{{"z^2", 0}, {"abs2(z^2+1)", i}, {"(z-1)^3", 1}, {"z-z", 2}}) {
    const LabPoint p = at(text, z);
    BOOST_TEST(p.conclusive(), text);
    BOOST_TEST((p.verdict == CauchyRiemann::Holomorphic), text);
  }
}

BOOST_AUTO_TEST_CASE(a_wave_faster_than_the_first_steps) {
  const LabPoint p = at("sin(1e5*z)", 10);
  const double truth = 1e5 * std::cos(1e6);
  BOOST_TEST(!p.failed());
  BOOST_TEST(std::abs(p.dz.numerical - truth) <= p.dz.error);
  BOOST_TEST(p.dz.error < 1);
}

BOOST_AUTO_TEST_CASE(a_wrong_derivative_is_found) {
  const std::vector<std::pair<Fault, const char*>> faults = {
      {Fault::Conjugate, "square"}, {Fault::Twice, "exp"}, {Fault::Half, "abs"}, {Fault::Conjugate, "angle"}};
  const std::string text = "abs(z)*exp(i*angle(z)) + z^2";
  BOOST_TEST(at(text, {1, 2}).conclusive());
  for (const auto& [how, op] : faults) {
    const PlantedFault planted(op, how);
    const LabPoint p = at(text, {1, 2});
    BOOST_TEST(p.failed(), op);
  }
  // A slight mistake is found too: one part in 10⁷ of the derivative is more than the error bars allow.
  const LabPoint p = at("z^3", {1, 2});
  BOOST_TEST(p.dz.error < 1e-9);
  const Comparison c{.analytic = p.dz.tape * (1 + 1e-7), .numerical = p.dz.numerical, .error = p.dz.error};
  BOOST_TEST((judge(c, std::abs(p.dz.tape), 1e-8) == Verdict::Fail));
}

BOOST_AUTO_TEST_CASE(the_tape_step_by_step) {
  const Expression f("f(z) = z*conj(z) + 2*z");
  const std::vector<TapeStep> steps = walk_tape(f, {C(1, 2)});
  BOOST_TEST_REQUIRE(steps.size() == 4U);
  BOOST_TEST(steps[0].call == "conj(z)");
  BOOST_TEST(steps[1].call == "mul(z, v1)");
  BOOST_TEST(steps[2].call == "mul(2, z)");
  BOOST_TEST(steps[3].call == "add(v2, v3)");
  BOOST_TEST(steps[3].value == C(7, 4));
  BOOST_TEST(steps[3].cotangent == C(1));
  BOOST_TEST(steps[0].cotangent == C(1, -2));  // conj(z) · 1
  // z is used three times, and the last share completes the sum: Re(|z|² + 2z) has the gradient 2z + 2.
  BOOST_TEST_REQUIRE(steps[0].shares.size() == 1U);
  BOOST_TEST(steps[0].shares[0].added == C(1, 2));
  BOOST_TEST(steps[0].shares[0].total == C(4, 4));
  BOOST_TEST(!steps[0].shares[0].first);
  BOOST_TEST(steps[2].shares[0].first);
  for (const char* text : {"f(z) = abs(z)^2 * exp(i*angle(z))", "phase_rotation(z, 0.5, 0.1) + polar(abs(z), 2) / z"}) {
    const Expression g(text);
    std::istringstream lines(tape_text(g, walk_tape(g, {C(1, 2)})) + point_text(g, lab_point(g, {C(1, 2)}, 0), Style()));
    for (std::string line; std::getline(lines, line);) BOOST_TEST(display_width(line) <= 100U, line);
  }
  BOOST_TEST(tape_text(Expression("2"), walk_tape(Expression("2"), {C(1)})) ==
             "  The tape is empty: f does not depend on its variables.\n");
}

BOOST_AUTO_TEST_CASE(the_command) {
  const TemporaryDirectory scratch;
  const Finished good = run_argand(scratch, "lab z^2*conj(z) --at 1+2i --at=-i --tape");
  BOOST_TEST(good.code == 0);
  BOOST_TEST(good.out.starts_with("f(z) = z^2*conj(z)\n\nAt z = 1 + 2i\n\n  f           5 + 10i\n"));
  BOOST_TEST(good.out.find("At z = 0 - 1i\n") != std::string::npos);
  BOOST_TEST(good.out.find("    v1 = square(z)") != std::string::npos);
  const auto json = nlohmann::json::parse(run_argand(scratch, "lab z^2 --json").out);
  BOOST_TEST(json["points"][0]["dz"]["tape"] == nlohmann::json::array({2.0, 4.0}));
  BOOST_TEST(json["points"][0]["dz"]["verdict"] == "pass");
  BOOST_TEST(json["points"][0]["dz"]["tolerance"].get<double>() < 1e-7);
  const Finished removable = run_argand(scratch, "lab 1/(1/z) --at 0 --json");
  BOOST_TEST(removable.code == 0);
  const auto of_gap = nlohmann::json::parse(removable.out)["points"][0];
  BOOST_TEST(of_gap["dz"]["verdict"] == "not judged");
  BOOST_TEST(of_gap["gaps"][0] == "div of 1, 0 is inf + nan i");
  BOOST_TEST(of_gap["cauchy_riemann"] == "inconclusive");
  const auto page = nlohmann::json::parse(lab_page(R"json({"expression": "1/(1/z)", "at": [0, 0], "check": true})json"));
  BOOST_TEST(page["dz"]["verdict"] == "not judged");
  BOOST_TEST(page["gaps"] == of_gap["gaps"]);
  BOOST_TEST(json["points"][0]["cauchy_riemann"] == "holomorphic");
  BOOST_TEST(json["points"][0]["jacobian"][0][1] == -4.0);
  // Other frameworks' values are not shown at singular points, and differences without a limit give no numerical value.
  const auto pole = nlohmann::json::parse(run_argand(scratch, "lab 1/z --at 0 --json").out)["points"][0];
  BOOST_TEST(pole["conventions"].size() == 1U);
  BOOST_TEST(pole["conventions"][0]["framework"] == "argand");
  BOOST_TEST(pole["dz"]["numerical"][0].is_null());
  BOOST_TEST(json["points"][0]["conventions"].size() == 5U);
  const Finished unplaced = run_argand(scratch, "lab f(z,w)=z*w --var w");
  BOOST_TEST(unplaced.out.starts_with("f(z,w)=z*w\n\nAt z = 1 + 2i, w = 1 + 2i, with respect to w\n\n  f           -3 + 4i\n"));
  BOOST_TEST(
      run_argand(scratch, "lab z̄*|z| --at 3+4j").out.starts_with("f(z) = z̄*|z|\n\nAt z = 3 + 4i\n\n  f           15 - 20i\n"));
  BOOST_TEST(run_argand(scratch, "lab f(z,w)=z*w --at 1,2 --var w --json").out.find("\"by\": \"w\"") != std::string::npos);

  const auto wrong = [&](const std::string& arguments, const std::string& text) {
    const Finished result = run_argand(scratch, "lab " + arguments);
    BOOST_TEST(result.code == 2);
    BOOST_TEST(result.err == "argand: " + text + "\n");
  };
  wrong("z^2 --at abc", "expression: abc is not a number; write one as 1+2i, pi or exp(i*pi/4)\n  abc\n  ^");
  wrong("1/2z", "expression: ambiguous; write /(2*z) or /2*z\n  1/2z\n     ^");
  wrong("z*w", "expression: unknown variable w; variables are named on the left: f(z, w) = ...\n  z*w\n    ^");
  wrong("z --at 1,2", "--at: \"1,2\" has 2 numbers, but f has 1 variable; write, for example, 1+2i");
  wrong("f(z,w)=z --at 1", "--at: \"1\" has 1 number, but f has 2 variables; write, for example, 1+2i,0.5");
  wrong("f(z,w)=z --at 1,1 --var x", "--var: f has no variable x; its variables: z, w");
  wrong("relu(z)",
        "expression: relu needs a real number here, got a complex one; crelu or cgelu apply one to each part, modrelu(z, c) to the "
        "modulus\n  relu(z)\n       ^");
}

BOOST_AUTO_TEST_SUITE_END()
