#include "apps/checks/op_check_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "apps/checks/gradcheck_rows.h"
#include "apps/terminal/text_layout.h"

namespace argand {
namespace {

/// "pass: 24 of 24 elements, worst relative error 3e-13, error bars up to 2e-12 of gradients up to 3"
std::string case_line(const Report& result) {
  double bar = 0, gradient = 0;
  for (const ElementCheck& e : result.elements()) {
    bar = std::max(bar, e.values.error);
    gradient = std::max(gradient, std::abs(e.values.analytic));
  }
  const auto size = static_cast<std::int64_t>(result.elements().size());
  return fmt::format("{}: {} of {} elements, worst relative error {:.0e}, error bars up to {:.0e}, gradients up to {:.2g}",
                     result.ok() ? "pass" : "FAIL", result.count(Verdict::Pass), size, result.worst_error(), bar, gradient);
}

}  // namespace

std::string op_check_text(const Op& op, const OpReport& report, const Style& style) {
  OpCheck check;
  op.check(check);
  std::string text = "\n  " + style.dim("checked now against numerical differentiation (float64, complex128)") + "\n";
  const auto line = [&](const std::string& words) { text += fmt::format("    {}\n", indented(words, 6)); };
  for (std::size_t k = 0; k < report.cases.size(); ++k) {
    const OpCheck::Case& c = check.cases()[k];
    const Report& result = report.cases[k].result;
    line(fmt::format("{}: {}", c.label, case_line(result)));
    for (const auto& [word, opinion] : {std::pair("for it", Opinion::Agrees), std::pair("against it", Opinion::Disagrees)}) {
      std::vector<std::string> said;
      for (const IndependentCheck& i : std::span(result.independent).subspan(1))
        if (i.opinion == opinion) said.push_back(i.str());
      if (!said.empty()) text += fmt::format("      {}\n", indented(fmt::format("{}: {}", word, joined(said, ", ")), 8));
    }
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

}  // namespace argand
