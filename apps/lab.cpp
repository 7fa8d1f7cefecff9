/// argand lab: a function of complex numbers, its derivatives in every convention, and how the tape finds them.

#include <algorithm>
#include <nlohmann/json.hpp>

#include "apps/commands.h"
#include "apps/lab/expression_point.h"
#include "apps/lab/lab_hessian.h"
#include "apps/lab/lab_tape.h"
#include "apps/lab/lab_text.h"
#include "apps/terminal/command_line.h"

namespace argand {
namespace {

using C = std::complex<double>;

struct LabOptions {
  std::string expression, variable;
  std::vector<std::string> at = {"1+2i"};
  bool tape = false, hessian = false, json = false;
};

/// The variables to differentiate by.
std::vector<std::size_t> variables_of(const Expression& f, const std::string& only) {
  std::vector<std::size_t> chosen;
  for (std::size_t k = 0; k < f.variables().size(); ++k)
    if (only.empty() || f.variables()[k] == only) chosen.push_back(k);
  if (chosen.empty())
    usage_fail("--var", "{} has no variable {}, it has {}", f.name(), only, CLI::detail::join(f.variables(), ", "));
  return chosen;
}

int run_lab(const LabOptions& options) {
  const Expression f(options.expression);
  if (f.variables().empty()) usage_fail("lab", "there is nothing to differentiate by");
  const std::vector<std::size_t> variables = variables_of(f, options.variable);
  const Style style(stdout);
  nlohmann::json report{{"expression", f.equation()}, {"points", nlohmann::json::array()}};
  bool failed = false;
  if (!options.json) fmt::print("{}\n", style.bold(f.equation()));
  for (const std::string& text : options.at) {
    const std::vector<C> at = point_of(f, text);
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
    if (options.tape && !options.json) fmt::print("\n{}\n{}", style.bold("The tape"), tape_text(f, walk_tape(f, at)));
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

void add_lab(CLI::App& program) {
  CLI::App* command = program.add_subcommand("lab", "differentiate a function of your own, in every framework's convention");
  const auto options = std::make_shared<LabOptions>();
  command->add_option("EXPR", options->expression, "\"f(z) = ...\", \"f(z, w) = ...\", or the right-hand side in z")
      ->required()
      ->type_name("");
  command->add_option("--at", options->at, "where: a number for each variable, 1+2i unless given; may be repeated")
      ->allow_extra_args(false)
      ->type_name("NUMBER[,NUMBER...]");
  command->add_option("--var", options->variable, "differentiate by this variable only")->type_name("NAME");
  command->add_flag("--tape", options->tape, "walk the tape: every op forward, every vector-Jacobian product backward");
  command->add_flag(
      "--hessian", options->hessian,
      "second derivatives too: the Wirtinger blocks, the real Hessian, its eigenvalues, and what kind of point it is");
  command->add_flag("--json", options->json, "one JSON object instead of text");
  command->footer(
      "Prints the value, both Wirtinger derivatives, the real Jacobian, what the Cauchy-Riemann equations say, and the gradient "
      "as\n"
      "argand, PyTorch, TensorFlow and JAX return it; each derivative beside a numerical one with its error bar. At kinks, cuts "
      "and\n"
      "poles the verdict is \"inconclusive\", with what the ops say of their singular points. Exit code 1 when a numerical "
      "derivative\n"
      "contradicts the tape.\n\n"
      "Numbers are 2, 1.5e-3 or 2i; constants i, pi, e; operators + - * / ^. Functions:\n" +
      list_of_functions() +
      "\nExamples:\n"
      "  argand lab \"f(z) = abs(z)^2 * exp(i*angle(z))\" --at 1+2i\n"
      "  argand lab \"z^2\" --at 1+2i --at=-i --tape\n"
      "  argand lab \"f(z, w) = z*conj(w)\" --at \"1+2i, exp(i*pi/4)\" --var w\n"
      "  argand lab \"sqrt(z)\" --at=-1\n"
      "  argand lab \"z^3 - 3*z\" --at 1 --hessian");
  command->callback([options] {
    if (const int code = run_lab(*options); code != exit_success) throw CLI::RuntimeError(code);
  });
}

}  // namespace argand
