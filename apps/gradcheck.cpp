#include "apps/gradcheck.h"

#include <fmt/core.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <algorithm>
#include <chrono>
#include <mutex>
#include <nlohmann/json.hpp>

#include "apps/commands.h"
#include "apps/terminal/command_line.h"
#include "apps/terminal/terminal.h"
#include "core/parallel.h"
#include "train/checks/external_function.h"
#include "train/checks/gradcheck_subjects.h"
#include "train/checks/report_json.h"

namespace argand {
namespace {

struct Outcome {
  GradcheckSubject subject;
  Report report;
  double seconds = 0;
};

/// An exact name takes precedence over names that contain it: "exp" is the op exp, not exp and complex_exp.
std::vector<GradcheckSubject> choose(const std::vector<GradcheckSubject>& all, const std::vector<std::string>& only) {
  if (only.empty()) return all;
  std::vector<bool> chosen(all.size(), false);
  for (const std::string& word : only) {
    const bool whole = std::any_of(all.begin(), all.end(), [&](const auto& s) { return s.name == word; });
    bool found = false;
    for (std::size_t k = 0; k < all.size(); ++k)
      if (whole ? all[k].name == word : all[k].name.find(word) != std::string::npos) chosen[k] = found = true;
    if (!found) input_fail("gradcheck", "unknown name {}; --list shows all names", word);
  }
  std::vector<GradcheckSubject> subjects;
  for (std::size_t k = 0; k < all.size(); ++k)
    if (chosen[k]) subjects.push_back(all[k]);
  return subjects;
}

std::string verdict_of(const Report& report) {
  if (report.ok()) return "pass";
  std::vector<std::string> parts;
  const auto add = [&](Verdict verdict, std::string_view one, std::string_view several) {
    const std::int64_t n = report.count(verdict);
    if (n > 0) parts.push_back(fmt::format("{} {}", n, n == 1 ? one : several));
  };
  add(Verdict::Fail, "FAIL", "FAIL");
  add(Verdict::Inconclusive, "inconclusive", "inconclusive");
  add(Verdict::Kink, "kink", "kinks");
  add(Verdict::BranchCut, "cut", "cuts");
  return parts.empty() ? report.verdict() == Verdict::Fail ? "FAIL" : "inconclusive" : joined(parts, ", ");
}

std::int64_t rows_of(const Report& report, RowKind kind) {
  return std::count_if(report.rows.begin(), report.rows.end(), [kind](const ReportRow& row) { return row.kind == kind; });
}

class OutcomeTable {
 public:
  explicit OutcomeTable(const std::vector<GradcheckSubject>& subjects) {
    for (const auto& s : subjects) width_ = std::max(width_, s.name.size());
  }
  void header(const std::string& group) const {
    fmt::print("{:<{}}  {:<17}{:>7}{:>10}{:>10}{:>13}{:>10}{:>9}  {}\n", group, width_, "kind", group == "op" ? "cases" : "tensors",
               "singular", "elements", "worst error", "adjoint", "time", "verdict");
  }
  /// Prints one row of the table, and the full report if the check failed or --verbose is given.
  void print(const Outcome& o, bool verbose) const {
    fmt::print("{:<{}}  {:<17}{:>7}{:>10}{:>10}{:>13.1e}{:>10.1e}{:>7.2f} s  {}\n", o.subject.name, width_, o.subject.kind,
               cases_of(o.subject, o.report), rows_of(o.report, RowKind::SingularPoint), o.report.compared(RowKind::Gradient),
               o.report.worst_error(), o.report.worst_error(RowKind::Adjoint), o.seconds, verdict_of(o.report));
    if (verbose || !o.report.ok())
      fmt::print("{}", report_text(o.report, {.coloured = style_for(stdout).coloured(), .elements = verbose}));
    std::fflush(stdout);
  }

 private:
  std::size_t width_ = 5;
};

nlohmann::json to_json(const Outcome& o) {
  const Report& r = o.report;
  return {{"group", o.subject.group},
          {"name", o.subject.name},
          {"kind", o.subject.kind},
          {"cases", cases_of(o.subject, r)},
          {"singular_points", rows_of(r, RowKind::SingularPoint)},
          {"elements", r.compared(RowKind::Gradient)},
          {"pass", r.count(Verdict::Pass)},
          {"fail", r.count(Verdict::Fail)},
          {"inconclusive", r.count(Verdict::Inconclusive)},
          {"kink", r.count(Verdict::Kink)},
          {"branch_cut", r.count(Verdict::BranchCut)},
          {"worst_relative_error", r.worst_error()},
          {"worst_adjoint_error", r.worst_error(RowKind::Adjoint)},
          {"numbers_compared_in_use", r.compared(RowKind::Use)},
          {"ok", r.ok()},
          {"message", r.ok() ? "" : report_text(r)},
          {"seconds", o.seconds}};
}

/// A group's summary: "34 ops, 1234 elements, worst relative error 3.1e-12 (softmax), adjoint 8.4e-16 (layer_norm): all pass".
std::string summary(const std::vector<Outcome>& outcomes, const std::string& group) {
  std::int64_t subjects = 0, elements = 0, bad = 0;
  const Outcome *worst = nullptr, *adjoint = nullptr;
  for (const Outcome& o : outcomes) {
    if (o.subject.group != group) continue;
    ++subjects;
    elements += o.report.compared(RowKind::Gradient);
    bad += o.report.ok() ? 0 : 1;
    if (worst == nullptr || o.report.worst_error() > worst->report.worst_error()) worst = &o;
    if (adjoint == nullptr || o.report.worst_error(RowKind::Adjoint) > adjoint->report.worst_error(RowKind::Adjoint)) adjoint = &o;
  }
  if (worst == nullptr) return "";
  return fmt::format("{} {}{}, {} elements, worst relative error {:.1e} ({}), adjoint {:.1e} ({}): {}\n", subjects, group,
                     subjects == 1 ? "" : "s", elements, worst->report.worst_error(), worst->subject.name,
                     adjoint->report.worst_error(RowKind::Adjoint), adjoint->subject.name,
                     bad == 0 ? "all pass" : fmt::format("{} did not pass", bad));
}

std::vector<GradcheckSubject> every_subject() {
  std::vector<GradcheckSubject> subjects = op_subjects();
  for (const auto& more : {layer_subjects(), model_subjects()}) subjects.insert(subjects.end(), more.begin(), more.end());
  return subjects;
}

/// The checks allocate and free vectors with tens of thousands of elements. By default glibc returns such blocks to the system each
/// time, and the page faults took a seventh of an op's time.
void keep_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the largest value that mallopt accepts
  mallopt(M_TRIM_THRESHOLD, 256 << 20);
#endif
}

/// Checks another program's function. With `--verbose`, judges every element.
int run_external(const GradcheckCommand& command) {
  if (!command.only.empty())
    input_fail("gradcheck", "--external checks a program's function and takes no name, got {}", command.only[0]);
  if (!(command.timeout > 0)) input_fail("gradcheck", "--timeout must be positive, got {}", command.timeout);
  if (command.external->find_first_not_of(" \t\n") == std::string::npos)
    input_fail("gradcheck", "--external requires a command, got an empty one");
  ExternalFunction function(*command.external, command.timeout);
  FunctionCheckOptions options;
  options.name = function.description().name;
  for (const auto& input : function.description().inputs) options.input_names.push_back(input.name);
  options.tolerance = command.tolerance;
  options.every_element = command.verbose;
  options.convention = function.description().convention;
  const Report report = check_function(function.differentiable(), function.point(), options);
  if (command.json)
    fmt::print("{}\n", report_json(report).dump(2));
  else
    fmt::print("{}", report_text(report, {.coloured = style_for(stdout).coloured(), .elements = command.verbose}));
  return report.ok() ? exit_success : exit_failure;
}

}  // namespace

int run_gradcheck(const GradcheckCommand& command) {
  if (!(command.tolerance > 0)) input_fail("gradcheck", "--tolerance must be positive, got {}", command.tolerance);
  if (command.external) return run_external(command);
  const std::vector<GradcheckSubject> subjects = choose(every_subject(), command.only);
  if (command.list) {
    for (const GradcheckSubject& s : subjects) fmt::print("{:<6} {}\n", s.group, s.name);
    return exit_success;
  }
  GradcheckOptions options;
  options.tolerance = command.tolerance;
  options.full_jacobian = command.jacobian;
  keep_freed_memory();
  const OutcomeTable table(subjects);
  std::vector<Outcome> outcomes(subjects.size());
  std::vector<std::string> groups;
  std::vector<bool> done(subjects.size());
  std::size_t printed = 0;
  std::mutex printing;
  // The functions are small and evaluated for one element at a time: threads would only wait for each other.
  parallel_jobs(std::ssize(subjects), [&](std::int64_t i) {
    const auto k = static_cast<std::size_t>(i);
    const auto begin = std::chrono::steady_clock::now();
    Report report = subjects[k].check(options);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const std::lock_guard lock(printing);
    outcomes[k] = {subjects[k], std::move(report), seconds};
    done[k] = true;
    for (; printed < done.size() && done[printed]; ++printed) {
      const std::string& group = subjects[printed].group;
      const bool first = groups.empty() || groups.back() != group;
      if (first) groups.push_back(group);
      if (command.json) continue;
      if (first) table.header(group);
      table.print(outcomes[printed], command.verbose);
    }
  });
  const bool ok = std::all_of(outcomes.begin(), outcomes.end(), [](const Outcome& o) { return o.report.ok(); });
  if (command.json) {
    nlohmann::json report{{"ok", ok}, {"tolerance", command.tolerance}, {"checks", nlohmann::json::array()}};
    for (const Outcome& o : outcomes) report["checks"].push_back(to_json(o));
    fmt::print("{}\n", report.dump(2));
  } else {
    for (const std::string& group : groups) fmt::print("{}", summary(outcomes, group));
  }
  return ok ? exit_success : exit_failure;
}

void add_gradcheck(CLI::App* command) {
  const auto options = std::make_shared<GradcheckCommand>();
  command->add_option("NAME", options->only, "what to check, by name or part of a name (default: everything)")->type_name("");
  command->add_flag("--list", options->list, "list everything that can be checked");
  command->add_flag("--verbose", options->verbose, "print one line per element, with both derivatives and the error bar");
  command->add_flag("--jacobian", options->jacobian,
                    "check every output element of an op separately instead of random projections");
  command->add_flag("--json", options->json, "print one JSON object instead of the table");
  command->add_option("--tolerance", options->tolerance, "largest relative error")->capture_default_str();
  add_threads(*command);
  command->add_option("--external", options->external, "check a function served by a program over its standard input and output")
      ->type_name("COMMAND");
  command->add_option("--timeout", options->timeout, "longest time to wait for the program's answer, in seconds")
      ->capture_default_str();
  command->footer(
      "Each element of each input is compared with Ridders' extrapolated differences and judged pass, fail or inconclusive (the\n"
      "error bar is too wide to decide); a failure says which mistake the gradient resembles. The column \"adjoint\" uses no\n"
      "differences: every op has an independently derived forward mode, and backward must be its adjoint, Re<g_w, J v> =\n"
      "Re<J* g_w, v>. It shows the largest relative difference for random v and g_w, and fails above 1e-12. An op's declared\n"
      "singular points must give the declared gradient, and its declared kind must agree with the Cauchy-Riemann equations. An\n"
      "op's gradient must also be the same however it is used: repeated, accumulated, from two uses on one tape, with one\n"
      "variable as two inputs, for large, small and partly zero incoming gradients, in float32 and complex64, at 1 to 67 elements\n"
      "and at tens of thousands, with 1, 2 and 3 threads; a failure names the case. Exit code 1 unless everything passes.\n"
      "\n"
      "--external starts a program in any language and asks it for its function, value and gradient, one JSON object per line\n"
      "(docs/external.md). The gradient is checked along two random directions, and element by element where these do not pass,\n"
      "or with --verbose.\n"
      "\n"
      "Examples:\n"
      "  argand gradcheck\n"
      "  argand gradcheck matmul softmax --jacobian\n"
      "  argand gradcheck exp --verbose\n"
      "  argand gradcheck --external \"python3 docs/programs/external_energy.py\"");
  command->callback([options] {
    if (const int code = run_gradcheck(*options); code != exit_success) throw CLI::RuntimeError(code);
  });
}

}  // namespace argand
