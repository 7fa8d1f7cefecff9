/// argand lab: a function of complex numbers, its derivatives in every convention, and how the tape computes them.

#include <algorithm>
#include <nlohmann/json.hpp>

#include "apps/commands.h"
#include "apps/terminal/command_line.h"
#include "apps/terminal/terminal.h"
#include "lab/expression/expression_point.h"
#include "lab/lab_answer.h"
#include "lab/lab_hessian.h"
#include "lab/lab_page.h"
#include "lab/lab_tape.h"
#include "lab/lab_text.h"

namespace argand {
namespace {

using C = std::complex<double>;

struct LabOptions {
  std::string expression, variable;
  std::vector<std::string> at;
  std::string dz, dzbar, gradient;  ///< the user's answers
  bool tape = false, hessian = false, json = false;

  bool answers() const { return !dz.empty() || !dzbar.empty() || !gradient.empty(); }
};

/// The variables with respect to which f is differentiated.
std::vector<std::size_t> variables_of(const Expression& f, const std::string& only) {
  std::vector<std::size_t> chosen;
  for (std::size_t k = 0; k < f.variables().size(); ++k)
    if (only.empty() || f.variables()[k] == only) chosen.push_back(k);
  if (chosen.empty())
    input_fail("--var", "{} has no variable {}; its variables: {}", f.name(), only, CLI::detail::join(f.variables(), ", "));
  return chosen;
}

/// The points given with --at, or 1+2i for every variable.
std::vector<std::vector<C>> points_of(const Expression& f, const std::vector<std::string>& texts) {
  if (texts.empty()) return {std::vector<C>(f.variables().size(), C(1, 2))};
  std::vector<std::vector<C>> points;
  for (const std::string& text : texts) points.push_back(point_of(f, text));
  return points;
}

/// Grades the answers given with --expect-dz and similar options.
int run_answers(const Expression& f, const std::vector<std::size_t>& variables, const LabOptions& options) {
  if (variables.size() > 1)
    input_fail("--var", "choose the variable to differentiate with respect to: {}", CLI::detail::join(f.variables(), ", "));
  const std::vector<C> at = points_of(f, options.at).front();
  std::vector<LabAnswer> answers;
  const auto judge = [&](DerivativeKind asked, const std::string& text) {
    if (!text.empty()) answers.push_back(judge_answer(f, at, variables[0], asked, text));
  };
  judge(DerivativeKind::Dz, options.dz);
  judge(DerivativeKind::Dzbar, options.dzbar);
  judge(DerivativeKind::Gradient, options.gradient);
  if (options.json) {
    nlohmann::json report{{"expression", f.equation()}};
    for (const LabAnswer& a : answers) report["answers"].push_back(answer_json(a));
    fmt::print("{}\n", report.dump(2));
  } else {
    const Style style = style_for(stdout);
    fmt::print("{}\n\n{}", style.bold(f.equation()), answers_text(f, variables[0], answers, style));
  }
  return std::all_of(answers.begin(), answers.end(), [](const LabAnswer& a) { return a.is_right(); }) ? exit_success : exit_failure;
}

int run_lab(const LabOptions& options) {
  const Expression f(options.expression);
  if (f.variables().empty()) input_fail("lab", "the function has no variable to differentiate with respect to");
  const std::vector<std::size_t> variables = variables_of(f, options.variable);
  if (options.answers()) return run_answers(f, variables, options);
  const Style style = style_for(stdout);
  nlohmann::json report{{"expression", f.equation()}, {"points", nlohmann::json::array()}};
  bool failed = false;
  if (!options.json) fmt::print("{}\n", style.bold(f.equation()));
  for (const std::vector<C>& at : points_of(f, options.at)) {
    for (const std::size_t variable : variables) {
      const LabPoint point = lab_point(f, at, variable);
      failed = failed || point.failed();
      if (options.json)
        report["points"].push_back(point_json(f, point));
      else
        fmt::print("\n{}", point_text(f, point, style));
    }
    if (options.hessian) {
      const LabHessian h = lab_hessian(f, at);
      failed = failed || h.failed();
      if (options.json)
        report["hessians"].push_back(hessian_json(h));
      else
        fmt::print("\n{}", hessian_text(f, h, style));
    }
    if (options.tape && options.json)
      report["tapes"].push_back(tape_json(walk_tape(f, at)));
    else if (options.tape)
      fmt::print("\n{}\n{}", style.bold("The tape"), tape_text(f, walk_tape(f, at)));
  }
  if (options.json) fmt::print("{}\n", report.dump(2));
  return failed ? exit_failure : exit_success;
}

std::string list_of_functions() {
  std::string text;
  for (const ExpressionFunction& f : expression_functions()) {
    std::string names = f.name;
    for (const std::string& alias : f.aliases) names += ", " + alias;
    text += fmt::format("  {:<28}{:<18}{}\n", names, "(" + f.parameters + ")", f.meaning);
  }
  return text;
}

}  // namespace

void add_lab(CLI::App* command) {
  const auto options = std::make_shared<LabOptions>();
  command->add_option("EXPR", options->expression, "\"f(z) = ...\", \"f(z, w) = ...\", or the right-hand side in z")
      ->required()
      ->type_name("");
  command->add_option("--at", options->at, "the point: a number for each variable (1+2i for all); may be repeated")
      ->allow_extra_args(false)
      ->type_name("NUMBER[,NUMBER...]");
  command->add_option("--var", options->variable, "differentiate with respect to this variable only")->type_name("NAME");
  command->add_flag("--tape", options->tape, "show the tape: every op forward, every vector-Jacobian product backward");
  command->add_flag(
      "--hessian", options->hessian,
      "second derivatives too: the Wirtinger blocks, the real Hessian, its eigenvalues, and what kind of point it is");
  command->add_option("--expect-dz", options->dz, "check your answer for ∂f/∂z")->type_name("EXPR");
  command->add_option("--expect-dzbar", options->dzbar, "check your answer for ∂f/∂z̄")->type_name("EXPR");
  command->add_option("--expect-gradient", options->gradient, "check your answer for the gradient of L = Re f, ∂L/∂x + i ∂L/∂y")
      ->type_name("EXPR");
  command->add_flag("--json", options->json, "print one JSON object instead of text");
  command->footer(
      "Prints the value, both Wirtinger derivatives, the real Jacobian, the Cauchy-Riemann equations, and the gradient as argand,\n"
      "PyTorch, TensorFlow and JAX return it; each derivative beside a numerical one with its error bar. \"agree to T\" means "
      "that\n"
      "they differ by at most T, the sum of 1e-8 times the larger, the error bar, and the possible rounding error on this tape.\n"
      "At kinks, cuts and poles the verdict is \"inconclusive\", followed by what the ops declare about their singular points; it\n"
      "is \"not judged\", with the step named, where the tape has a value that is not finite or a derivative set by convention. "
      "Exit\n"
      "code 1 if a numerical derivative contradicts the tape, otherwise 0.\n"
      "\n"
      "The --expect options compare your derivative with the tape's, at the point of --at and at eight others, or with a\n"
      "numerical one where the tape's is a convention; they report right, conjugated, swapped, twice, or whatever else it\n"
      "matches. Exit code 0 if all are right, 1 if one is wrong or cannot be judged.\n\n"
      "Numbers are 2, 1.5e-3, 2i or 2j; constants i, pi, e; operators + - * / ^; |z| is abs(z), z̄ is conj(z). Functions:\n" +
      list_of_functions() +
      "\nExamples:\n"
      "  argand lab \"f(z) = abs(z)^2 * exp(i*angle(z))\" --at 1+2i\n"
      "  argand lab \"z^2\" --at 1+2i --at=-i --tape\n"
      "  argand lab \"f(z, w) = z*conj(w)\" --at \"1+2i, exp(i*pi/4)\" --var w\n"
      "  argand lab \"sqrt(z)\" --at=-1\n"
      "  argand lab \"z^3 - 3*z\" --at 1 --hessian\n"
      "  argand lab \"z/conj(z)\" --expect-dz \"1/conj(z)\" --expect-dzbar \"-z/conj(z)^2\"");
  command->callback([options] {
    if (const int code = run_lab(*options); code != exit_success) throw CLI::RuntimeError(code);
  });
}

}  // namespace argand
