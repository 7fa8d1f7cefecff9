#include "train/checks/gradcheck_subjects.h"

#include <algorithm>
#include <set>

#include "autograd/check/adjoint.h"
#include "autograd/check/op_report.h"

namespace argand {

std::int64_t cases_of(const GradcheckSubject& subject, const Report& report) {
  if (subject.group != "op")
    return std::count_if(report.rows.begin(), report.rows.end(), [](const auto& row) { return row.kind == RowKind::Gradient; });
  std::set<std::string> cases;
  for (const IndependentCheck& c : report.independent) cases.insert(c.of);
  return static_cast<std::int64_t>(cases.size());
}

Report check_parameters(const std::function<Var<double>()>& loss, const ParameterList<double>& parameters, int samples,
                        const GradcheckOptions& options) {
  Report report = gradcheck_parameters(loss, parameters, samples, options);
  report.rows.push_back(check_adjoint(loss, parameters));
  return report;
}

void perturb(ParameterList<double> parameters, std::uint64_t seed) {
  for (std::size_t i = 0; i < parameters.size(); ++i)
    std::visit([&]<class T>(Var<T>& v) { v.value().add(randn<T>(v.shape(), Random(seed, i), 0.4)); }, parameters[i].var);
}

std::vector<GradcheckSubject> op_subjects() {
  std::vector<GradcheckSubject> subjects;
  for (const Op* op : Op::all())
    subjects.push_back({"op", op->name(), std::string(kind_name(op->text().kind)),
                        [op](const GradcheckOptions& options) { return check_op(*op, options); }});
  return subjects;
}

}  // namespace argand
