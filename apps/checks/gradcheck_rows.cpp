#include "apps/checks/gradcheck_rows.h"

#include <algorithm>

#include "autograd/check/op_report.h"
#include "autograd/check/usage/usage.h"
#include "autograd/wirtinger.h"

namespace argand {
namespace {

GradcheckRow check_one_op(const Op& op, const GradcheckOptions& options, bool every_element) {
  const OpReport report = check_op(op, options);
  const UsageReport usage = check_usage(op);
  GradcheckRow row{.kind = std::string(kind_name(report.kind)),
                   .cases = static_cast<std::int64_t>(report.cases.size()),
                   .singular_points = static_cast<std::int64_t>(report.singular.size()),
                   .elements = report.elements(),
                   .passed = report.count(Verdict::Pass),
                   .failed = report.count(Verdict::Fail),
                   .inconclusive = report.count(Verdict::Inconclusive),
                   .kinks = report.count(Verdict::Kink),
                   .cuts = report.count(Verdict::BranchCut),
                   .worst_relative_error = report.worst_relative_error(),
                   .uses = usage.total(),
                   .ok = report.ok() && usage.ok(),
                   .message = report.message() + (report.ok() || usage.ok() ? "" : "\n") + usage.message(),
                   .lines = {}};
  OpCheck check;
  op.check(check);
  AdjointReport adjoint;
  for (const OpCheck::Case& c : check.cases()) adjoint.add(check_adjoint(c.f, c.inputs, c.label));
  add_adjoint(row, op.name(), adjoint);
  if (!every_element) return row;
  for (std::size_t k = 0; k < report.cases.size(); ++k)
    for (const ElementCheck& e : report.cases[k].result.elements()) {
      const AnyTensor& x = check.cases()[k].inputs[e.input];
      const Shape& shape = std::visit([](const auto& t) -> const Shape& { return t.shape(); }, x);
      row.lines.push_back(fmt::format("{} ({}): input {}, element {}: {}, relative error {:.1e}: {}", op.name(),
                                      report.cases[k].label, e.input, element_name(shape, e.element),
                                      describe(e.values, e.verdict, x.index() == 1), e.relative_error, verdict_name(e.verdict)));
    }
  for (const OpCheck::Case& c : check.cases())
    for (std::size_t i = 0; i < c.inputs.size(); ++i)
      if (c.inputs[i].index() == 1)
        row.lines.push_back(fmt::format("{} ({}): input {}: {}", op.name(), c.label, i, wirtinger_line(c, i)));
  for (const SingularReport& s : report.singular)
    row.lines.push_back(
        fmt::format("{} (singular, {}): {}", op.name(), s.label, s.faults.empty() ? "as declared" : joined(s.faults, "; ")));
  return row;
}

}  // namespace

std::string wirtinger_line(const OpCheck::Case& c, std::size_t input) {
  const WirtingerResult w = wirtinger(c.f, c.inputs, input);
  double dz = 0, dzbar = 0, error = 0;
  for (std::size_t k = 0; k < w.dz.size(); ++k) {
    dz = std::max(dz, std::abs(w.dz[k]));
    dzbar = std::max(dzbar, std::abs(w.dzbar[k]));
    error = std::max(error, w.error[k]);
  }
  return fmt::format("{}: |∂w/∂z| up to {:.3g}, |∂w/∂z̄| up to {:.3g}, both ± {:.0e}", cauchy_riemann_name(w.verdict), dz, dzbar,
                     error);
}

GradcheckRow row_of(const ParameterReport& report, std::string kind, std::int64_t tensors, bool every_element) {
  GradcheckRow row{.kind = std::move(kind),
                   .cases = tensors,
                   .elements = static_cast<std::int64_t>(report.elements.size()),
                   .passed = report.count(Verdict::Pass),
                   .failed = report.count(Verdict::Fail),
                   .inconclusive = report.count(Verdict::Inconclusive),
                   .kinks = report.count(Verdict::Kink),
                   .cuts = report.count(Verdict::BranchCut),
                   .worst_relative_error = report.worst_relative_error,
                   .ok = report.ok(),
                   .message = report.message(),
                   .lines = {}};
  if (every_element)
    for (const ParameterElement& e : report.elements)
      row.lines.push_back(fmt::format("{}, element {}: {}, relative error {:.1e}: {}", e.parameter,
                                      element_name(e.shape, e.element), describe(e.values, e.verdict, e.is_complex),
                                      e.relative_error, verdict_name(e.verdict)));
  return row;
}

void add_adjoint(GradcheckRow& row, const std::string& name, const AdjointReport& report) {
  row.worst_adjoint_error = report.worst;
  if (report.worst < adjoint_bar) return;
  row.ok = false;
  row.message += fmt::format("{}{}: the tangent is not the adjoint of the gradient, by {:.1e} ({}): one of the two is wrong",
                             row.message.empty() ? "" : "\n", name, report.worst, report.where);
}

void shake(ParameterList<double> parameters, std::uint64_t seed) {
  for (std::size_t i = 0; i < parameters.size(); ++i)
    std::visit([&]<class T>(Var<T>& v) { v.value().add(randn<T>(v.shape(), Random(seed, i), 0.4)); }, parameters[i].var);
}

std::vector<GradcheckSubject> op_subjects() {
  std::vector<GradcheckSubject> subjects;
  for (const Op* op : Op::all())
    subjects.push_back({"op", op->name(), [op](const GradcheckOptions& options, bool every_element) {
                          return check_one_op(*op, options, every_element);
                        }});
  return subjects;
}

}  // namespace argand
