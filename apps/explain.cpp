/// argand explain: what an op is, how its gradient follows, and whether the numerical check agrees right now.

#include <algorithm>

#include "apps/checks/gradcheck_rows.h"
#include "apps/commands.h"
#include "apps/lab/op_text.h"
#include "apps/terminal/command_line.h"
#include "apps/terminal/text_layout.h"
#include "autograd/check/op_report.h"

namespace argand {
namespace {

struct ExplainOptions {
  std::vector<std::string> ops;
  bool all = false, markdown = false;
};

/// "pass: 24 of 24 elements, worst relative error 3e-13, error bars up to 2e-12 of gradients up to 3"
std::string case_line(const GradcheckResult& result) {
  double bar = 0, gradient = 0;
  for (const ElementCheck& e : result.elements) {
    bar = std::max(bar, e.values.error);
    gradient = std::max(gradient, std::abs(e.values.analytic));
  }
  const auto size = static_cast<std::int64_t>(result.elements.size());
  return fmt::format("{}: {} of {} elements, worst relative error {:.0e}, error bars up to {:.0e}, gradients up to {:.2g}",
                     result.ok() ? "pass" : "FAIL", result.count(Verdict::Pass), size, result.worst_relative_error, bar, gradient);
}

/// The op's own check, run now.
std::string check_text(const Op& op, const OpReport& report, const Style& style) {
  OpCheck check;
  op.check(check);
  std::string text = "\n  " + style.dim("checked now against numerical differentiation (float64, complex128)") + "\n";
  const auto line = [&](const std::string& words) { text += fmt::format("    {}\n", indented(words, 6)); };
  for (std::size_t k = 0; k < report.cases.size(); ++k) {
    const OpCheck::Case& c = check.cases()[k];
    line(fmt::format("{}: {}", c.label, case_line(report.cases[k].result)));
    for (std::size_t i = 0; i < c.inputs.size(); ++i)
      if (c.inputs[i].index() == 1)
        text += fmt::format("      {}\n",
                            indented(fmt::format("Cauchy-Riemann{}: {}", c.inputs.size() > 1 ? fmt::format(", input {}", i) : "",
                                                 wirtinger_line(c, i)),
                                     8));
  }
  for (const SingularReport& s : report.singular)
    line(fmt::format("singular, {}: {}", s.label,
                     s.faults.empty() ? "finite, with the gradient declared, in float64 and float32" : joined(s.faults, "; ")));
  text +=
      fmt::format("  {}\n", report.ok() ? style.green("all as declared") : style.red("NOT AS DECLARED") + "\n" + report.message());
  return text;
}

int run_explain(const ExplainOptions& options) {
  const Style style(stdout);
  if (options.markdown) {
    fmt::print("{}", ops_markdown());
    return exit_success;
  }
  std::vector<const Op*> ops;
  if (options.all) ops = Op::all();
  std::vector<std::string> known;
  for (const Op* op : Op::all()) known.push_back(op->name());
  for (const std::string& name : options.ops) {
    const Op* op = Op::find(name);
    if (op == nullptr) usage_fail("explain", "there is no op {}{}", name, did_you_mean(name, known));
    ops.push_back(op);
  }
  if (ops.empty()) {
    fmt::print("{}\n{} ops; argand explain OP tells all of one\n", op_list(style), Op::all().size());
    return exit_success;
  }
  bool ok = true;
  for (const Op* op : ops) {
    const OpReport report = check_op(*op);
    fmt::print("{}{}{}", op == ops.front() ? "" : "\n", op_text(*op, style), check_text(*op, report, style));
    std::fflush(stdout);
    ok = ok && report.ok();
  }
  return ok ? exit_success : exit_failure;
}

}  // namespace

void add_explain(CLI::App& program) {
  CLI::App* command = program.add_subcommand("explain", "an op: equation, kind, derivation, singular points, and its check");
  const auto options = std::make_shared<ExplainOptions>();
  command->add_option("OP", options->ops, "which ops; none: a list of all by kind")->type_name("");
  command->add_flag("--all", options->all, "every op");
  command->add_flag("--markdown", options->markdown, "every op as Markdown without the check: docs/ops.md");
  command->footer(
      "An op's text stands beside its code, in autograd/ops/. Below it comes what its numerical check finds at this moment: the\n"
      "worst relative error and the widest error bar of each case, both Wirtinger derivatives of each complex input, and what is\n"
      "returned at the declared singular points. Exit code 1 when something is not as declared.\n\n"
      "Examples:\n"
      "  argand explain\n"
      "  argand explain angle\n"
      "  argand explain phase_rotation qic_linear\n"
      "  argand explain --markdown > docs/ops.md");
  command->callback([options] {
    if (const int code = run_explain(*options); code != exit_success) throw CLI::RuntimeError(code);
  });
}

}  // namespace argand
