/// argand explain: describes an op, derives its gradient, and shows the result of its numerical check.

#include "apps/commands.h"
#include "apps/terminal/command_line.h"
#include "apps/terminal/terminal.h"
#include "autograd/check/op_report.h"
#include "lab/op_text.h"

namespace argand {
namespace {

struct ExplainOptions {
  std::vector<std::string> ops;
  bool all = false, markdown = false;
};

int run_explain(const ExplainOptions& options) {
  const Style style = style_for(stdout);
  if (options.markdown) {
    fmt::print("{}", ops_markdown());
    return exit_success;
  }
  std::vector<const Op*> ops;
  if (options.all) ops = Op::all();
  for (const std::string& name : options.ops) ops.push_back(&known_op("explain", name));
  if (ops.empty()) {
    fmt::print("{}\n{} ops; for details: argand explain OP\n", op_list(style), Op::all().size());
    return exit_success;
  }
  bool ok = true;
  for (const Op* op : ops) {
    Report report = check_op_gradients(*op);
    add_wirtinger_notes(*op, report);
    fmt::print("{}{}\n{}", op == ops.front() ? "" : "\n", op_text(*op, style), report_text(report, {.coloured = style.coloured()}));
    std::fflush(stdout);
    ok = ok && report.ok();
  }
  return ok ? exit_success : exit_failure;
}

}  // namespace

void add_explain(CLI::App* command) {
  const auto options = std::make_shared<ExplainOptions>();
  command->add_option("OP", options->ops, "the ops to explain; by default all are listed, by kind")->type_name("");
  command->add_flag("--all", options->all, "every op");
  command->add_flag("--markdown", options->markdown, "print every op as Markdown, without the check: docs/ops.md");
  add_threads(*command);
  command->footer(
      "The description of an op is part of its code, in autograd/ops/. Below it are the results of its numerical check, run now:\n"
      "the worst relative error and the widest error bar of each case, both Wirtinger derivatives of each complex input, and the\n"
      "values returned at the declared singular points. Exit code 1 when something is not as declared.\n"
      "\n"
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
