#include "lab/lab_answer.h"

#include <fmt/format.h>

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "tests/apps/program.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(lab_answer)

namespace {

std::string verdict_on(const std::string& f, DerivativeKind asked, const std::string& answer, std::complex<double> at = {1, 2}) {
  return answer_verdict(judge_answer(Expression(f), {at}, 0, asked, answer));
}

}  // namespace

BOOST_AUTO_TEST_CASE(right_answers_in_any_form_are_right) {
  struct Right {
    std::string f, dz, dzbar, gradient;
  };
  const std::vector<Right> all = {
      {"z/conj(z)", "1/conj(z)", "-z/conj(z)^2", "1/z - z/z̄^2"},
      {"|z|*z", "1.5*|z|", "z^2/(2*|z|)", "1.5*|z| + z^2/(2*|z|)"},
      {"z*re(z)", "z + conj(z)/2", "0.5*z", "conj(z) + z/2 + z/2"},
      {"conj(z)^2", "0", "conj(z) + z̄", "2*conj(z)"},
      {"abs2(z^2 + 1)", "2*z*conj(z^2+1)", "2*z̄*(z^2+1)", "4*conj(z)*(z^2 + 1)"},
      {"exp(z)", "e^z", "z - z", "exp(conj(z))"},
      {"log(z)", "z^-1", "0", "1/conj(z)"},
      {"angle(z)", "1/(2*i*z)", "-1/(2*i*z̄)", "i*z/abs2(z)"},
      {"3", "0", "0", "0"},
      {"z + 2*conj(z)", "1", "2", "3"},
      {"1e6*z^2", "2e6*z", "0", "2e6*conj(z)"},
      {"1e-6*z^2", "2e-6*z", "0", "2e-6*conj(z)"},
  };
  for (const Right& r : all) {
    BOOST_TEST(verdict_on(r.f, DerivativeKind::Dz, r.dz) == "right", r.f);
    BOOST_TEST(verdict_on(r.f, DerivativeKind::Dzbar, r.dzbar) == "right", r.f);
    BOOST_TEST(verdict_on(r.f, DerivativeKind::Gradient, r.gradient) == "right", r.f);
  }
  for (const char* text : {"2z", "2x + 2i*y", "2(x + i*y)", "z + x + 1i y", "g(z) = 2z"})
    BOOST_TEST(verdict_on("|z|^2", DerivativeKind::Gradient, text) == "right", text);
  BOOST_TEST(verdict_on("f(x) = x^2", DerivativeKind::Dz, "2x") == "right");  // here x is the complex variable, not a real part
  BOOST_TEST(verdict_on("|z|^2", DerivativeKind::Gradient, "2x - 2i*y") == "conjugated: the conjugate of the right answer");
  // The point 0 alone cannot distinguish these answers from wrong ones.
  BOOST_TEST(verdict_on("z^2*conj(z)", DerivativeKind::Dz, "2*z*z̄", 0) == "right");
  BOOST_TEST(verdict_on("log(z)", DerivativeKind::Dz, "1/z", 0) == "right");
}

BOOST_AUTO_TEST_CASE(wrong_answers_are_named) {
  const std::string other = "swapped: this is the other derivative";
  BOOST_TEST(verdict_on("z/conj(z)", DerivativeKind::Dz, "1/z") == "conjugated: the conjugate of the right answer");
  BOOST_TEST(verdict_on("z/conj(z)", DerivativeKind::Dz, "-z/conj(z)^2") == other);
  BOOST_TEST(verdict_on("z/conj(z)", DerivativeKind::Dzbar, "1/conj(z)") == other);
  BOOST_TEST(verdict_on("z/conj(z)", DerivativeKind::Dzbar, "z/conj(z)^2") == "the sign is wrong: minus the right answer");
  BOOST_TEST(verdict_on("z^3", DerivativeKind::Dz, "6*z^2") == "twice the right one");
  for (const char* infinite : {"1/0", "-1/0", "i/0", "log(0)", "z/0", "1/0 - 1/0"})
    BOOST_TEST(verdict_on("z^3", DerivativeKind::Dz, infinite) == "wrong", infinite);
  BOOST_TEST(verdict_on("z^3", DerivativeKind::Dz, "1.5*z^2") == "half of the right one");
  BOOST_TEST(verdict_on("z^3", DerivativeKind::Dz, "z^2*i") == "off by a factor: this is 0 + 0.333333i times the right one");
  BOOST_TEST(verdict_on("z^3", DerivativeKind::Dz, "3*z^2 - 2*i") == "off by a constant: this is the right one plus 0 - 2i");
  BOOST_TEST(verdict_on("z^3", DerivativeKind::Dz, "z") == "wrong");
  BOOST_TEST(verdict_on("z^3", DerivativeKind::Dz, "0") == other);  // but the other derivative is 0
  BOOST_TEST(verdict_on("z + 2*z̄", DerivativeKind::Dz, "0") == "off by a constant: this is the right one plus -1");
  BOOST_TEST(verdict_on("z^3", DerivativeKind::Dzbar, "1e-3*z") == "wrong");
  BOOST_TEST(verdict_on("abs2(z)", DerivativeKind::Gradient, "2*conj(z)") == "conjugated: the conjugate of the right answer");
  BOOST_TEST(verdict_on("abs2(z)", DerivativeKind::Gradient, "z") == "half of the right one");
  BOOST_TEST(verdict_on("z^2", DerivativeKind::Gradient, "4*z") ==
             "conjugated, and more: this is twice the conjugate of the right one");
  // A mistake that is invisible at the requested point, and a small one.
  BOOST_TEST(verdict_on("z^2", DerivativeKind::Dz, "2*conj(z)", 3) == "conjugated: the conjugate of the right answer");
  BOOST_TEST(verdict_on("z^2", DerivativeKind::Dz, "2*z + 1e-7*z^2") == "wrong");
  const LabAnswer real_point = judge_answer(Expression("z^2"), {3}, 0, DerivativeKind::Dz, "2*conj(z)");
  BOOST_TEST(real_point.at[0].imag() != 0);  // a point at which the numbers differ is shown instead
  BOOST_TEST(real_point.given == std::conj(real_point.right));
}

BOOST_AUTO_TEST_CASE(a_right_answer_is_right_where_the_tape_has_a_convention) {
  const auto judged = [](const std::string& f, const std::string& answer, std::complex<double> at) {
    return judge_answer(Expression(f), {at}, 0, DerivativeKind::Dz, answer);
  };
  const LabAnswer removable = judged("1/(1/z)", "1", 0);
  BOOST_TEST(removable.is_right());
  BOOST_TEST(removable.points == 9U);
  BOOST_TEST(removable.note.starts_with(
                 "the tape's value, 0 + 0i, is a convention: div of 1, 0 is inf + nan i; judged by differences, 1 + 0i ± "),
             removable.note);
  BOOST_TEST(!judged("1/(1/z)", "0", 0).is_right());
  BOOST_TEST(!judged("1/(1/z)", "1 + 1e-6*z", 0).is_right());
  BOOST_TEST(judged("tanh(atanh(z))", "1", 1).is_right());
  // |z| has no derivative at 0, so a formula may be undefined there.
  const LabAnswer cone = judged("abs(z)", "conj(z)/(2*abs(z))", 0);
  BOOST_TEST(cone.is_right());
  BOOST_TEST(cone.points == 8U);
  BOOST_TEST(cone.note == "not judged here: the derivative of abs at 0 is a convention, and differences find no derivative");
  const LabAnswer hole = judged("z^2", "2*z^2/z", 0);
  BOOST_TEST(hole.is_right());
  BOOST_TEST(hole.note == "the answer is undefined here, where the derivative is 0 + 0i");
  BOOST_TEST(removable.asked_at == std::vector<std::complex<double>>{0.0}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(several_variables) {
  const Expression f("f(z, w) = z*conj(w)^2");
  BOOST_TEST(judge_answer(f, {1, 2}, 0, DerivativeKind::Dz, "conj(w)^2").is_right());
  BOOST_TEST(judge_answer(f, {1, 2}, 1, DerivativeKind::Dzbar, "2*z*conj(w)").is_right());
  BOOST_TEST(!judge_answer(f, {1, 2}, 1, DerivativeKind::Dz, "2*z*conj(w)").is_right());
  BOOST_TEST(judge_answer(f, {1, 2}, 1, DerivativeKind::Dzbar, "2z*(x - i*y)").is_right());  // x and y are the parts of w
  BOOST_TEST(judge_answer(Expression("f(x, z) = x*z"), {1, 2}, 1, DerivativeKind::Dz, "x").is_right());
}

BOOST_AUTO_TEST_CASE(the_command) {
  const TemporaryDirectory scratch;
  const Finished right = run_argand(scratch, "lab z/conj(z) --expect-dz 1/conj(z) --expect-dzbar -z/conj(z)^2");
  BOOST_TEST(right.code == 0);
  BOOST_TEST(right.out == "f(z) = z/conj(z)\n\n  ∂f/∂z       1/conj(z)     right\n  ∂f/∂z̄       -z/conj(z)^2  right\n");
  const Finished wrong = run_argand(scratch, "lab z^2 --at 1+2i --expect-dz 2*conj(z)");
  BOOST_TEST(wrong.code == 1);
  BOOST_TEST(wrong.out ==
             "f(z) = z^2\n\n  ∂f/∂z       2*conj(z)  conjugated: the conjugate of the right answer\n"
             "              at z = 1 + 2i it is 2 - 4i, should be 2 + 4i\n");
  const auto json = nlohmann::json::parse(run_argand(scratch, "lab z^2 --expect-dz 4*z --expect-gradient 2*z̄ --json").out);
  BOOST_TEST(json["answers"][0]["verdict"] == "twice the right one");
  BOOST_TEST(json["answers"][0]["points"] == 9);
  BOOST_TEST(json["answers"][1]["kind"] == "right");
  const auto refused = [&](const std::string& arguments, const std::string& text) {
    const Finished result = run_argand(scratch, "lab " + arguments);
    BOOST_TEST(result.code == 2);
    BOOST_TEST(result.err == "argand: " + text + "\n");
  };
  refused("f(z,w)=z*w --expect-dz w", "--var: choose the variable to differentiate with respect to: z, w");
  refused("z --expect-dz q", "expression: unknown variable q; there are z, x, y\n  q\n  ^");
}

BOOST_AUTO_TEST_SUITE_END()
