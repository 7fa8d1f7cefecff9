#include "autograd/check/report.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace argand {
namespace {

/// NaN counts as the largest error.
double as_error(double error) { return std::isnan(error) ? std::numeric_limits<double>::infinity() : error; }

bool is_worse(const ElementCheck& a, const ElementCheck& b) {
  return std::pair(precedence(a.verdict), as_error(a.relative_error)) >
         std::pair(precedence(b.verdict), as_error(b.relative_error));
}

/// The worst verdict of the rows in which something was compared.
std::optional<Verdict> worst_of(const std::vector<ReportRow>& rows) {
  std::optional<Verdict> worst;
  for (const ReportRow& row : rows)
    if (row.compared > 0 && (!worst || precedence(row.verdict) > precedence(*worst))) worst = row.verdict;
  return worst;
}

bool refutes(const IndependentCheck& c) { return c.decides && c.opinion == Opinion::Disagrees; }

}  // namespace

ReportRow ReportRow::of(std::string name, const AnyTensor& x) {
  ReportRow row{.name = std::move(name)};
  std::visit(
      [&]<class T>(const Tensor<T>& t) {
        row.shape = t.shape();
        row.scalar = scalar_name<T>();
      },
      x);
  return row;
}

ReportRow ReportRow::of(RowKind kind, std::string name, std::int64_t compared, std::string unit, double error, double bar,
                        std::vector<std::string> faults) {
  ReportRow row{
      .name = std::move(name), .kind = kind, .compared = compared, .unit = std::move(unit), .worst_error = as_error(error)};
  row.verdict = Judged(row.worst_error <= bar && faults.empty() ? Verdict::Pass : Verdict::Fail, bar);
  if (!faults.empty()) row.diagnosis = faults.front();
  row.faults = std::move(faults);
  return row;
}

void ReportRow::conclude() {
  compared = static_cast<std::int64_t>(elements.size());
  if (elements.empty()) return;
  double scale = 0, largest = 0;
  for (const ElementCheck& e : elements) {
    scale = std::max(scale, e.values.size());
    if (e.verdict != Verdict::Kink && e.verdict != Verdict::BranchCut) largest = std::max(largest, as_error(e.relative_error));
  }
  const auto worst = std::min_element(elements.begin(), elements.end(), is_worse);
  verdict = Judged(worst->verdict, worst->verdict.bar() / (scale > 0 ? scale : 1));
  worst_error = largest;
}

bool ReportRow::passes_except_at_kinks() const {
  if (verdict != Verdict::Kink || worst(Verdict::Pass) == nullptr) return false;
  std::vector<bool> seen(static_cast<std::size_t>(shape.size()));
  for (const ElementCheck& e : elements) {
    if (e.verdict != Verdict::Pass && !e.between_slopes) return false;
    seen[static_cast<std::size_t>(e.element)] = true;
  }
  return std::find(seen.begin(), seen.end(), false) == seen.end();
}

const ElementCheck* ReportRow::worst(Verdict wanted) const {
  const ElementCheck* worst = nullptr;
  for (const ElementCheck& e : elements)
    if (e.verdict == wanted && (worst == nullptr || is_worse(e, *worst))) worst = &e;
  return worst;
}

Verdict Report::verdict() const {
  const std::optional<Verdict> worst = worst_of(rows);
  if (worst == Verdict::Fail || std::any_of(independent.begin(), independent.end(), refutes)) return Verdict::Fail;
  const auto passes = [](const ReportRow& row) {
    return row.compared == 0 || row.verdict == Verdict::Pass || row.passes_except_at_kinks();
  };
  const bool all = worst && std::all_of(rows.begin(), rows.end(), passes);
  return all && !any_disagrees(independent) ? Verdict::Pass : Verdict::Inconclusive;
}

std::string Report::diagnosis() const {
  if (!explanation.empty()) return explanation;
  const std::optional<Verdict> worst = worst_of(rows);
  if (!worst) return "no element to check";
  if (worst != Verdict::Fail)
    for (const IndependentCheck& c : independent)
      if (refutes(c)) return c.finding;
  if (ok()) return "";
  for (const ReportRow& row : rows)
    if (*worst != Verdict::Pass && row.verdict == *worst && !row.diagnosis.empty()) return row.diagnosis;
  if (worst == Verdict::Pass && any_disagrees(independent)) return "the independent checks contradict each other";
  switch (*worst) {
    case Verdict::Kink: return "there is a kink";
    case Verdict::BranchCut: return "the value jumps";
    case Verdict::Inconclusive: return "the error bar is too wide";
    default: return "";
  }
}

std::string Report::headline() const {
  const Verdict v = verdict();
  const std::string reason = diagnosis();
  const std::int64_t kinks = v == Verdict::Pass ? count(Verdict::Kink) : 0;
  const std::string besides = kinks > 0 ? fmt::format(", except for {} element{} at a kink", kinks, kinks == 1 ? "" : "s") : "";
  return fmt::format("{}: {}{}{}{}", name, v == Verdict::Fail ? "FAIL" : verdict_name(v), besides, reason.empty() ? "" : ", ",
                     reason);
}

std::int64_t Report::count(Verdict verdict) const {
  std::int64_t n = 0;
  for (const ReportRow& row : rows)
    n += std::count_if(row.elements.begin(), row.elements.end(), [verdict](const auto& e) { return e.verdict == verdict; });
  return n;
}

std::vector<ElementCheck> Report::elements() const {
  std::vector<ElementCheck> all;
  for (const ReportRow& row : rows) all.insert(all.end(), row.elements.begin(), row.elements.end());
  return all;
}

std::int64_t Report::compared(RowKind kind) const {
  std::int64_t n = 0;
  for (const ReportRow& row : rows) n += row.kind == kind ? row.compared : 0;
  return n;
}

double Report::worst_error(RowKind kind) const {
  double worst = 0;
  for (const ReportRow& row : rows)
    if (row.kind == kind) worst = std::max(worst, row.worst_error);
  return worst;
}

const ElementCheck* Report::worst() const {
  const std::optional<Verdict> verdict = worst_of(rows);
  const ElementCheck* worst = nullptr;
  if (!verdict) return worst;
  for (const ReportRow& row : rows)
    if (const ElementCheck* e = row.worst(*verdict); e != nullptr && (worst == nullptr || is_worse(*e, *worst))) worst = e;
  return worst;
}

std::string Report::element_name(const ElementCheck& e) const {
  const ReportRow& row = rows[e.input];
  const std::string output = e.output.empty() ? "" : ", " + e.output;
  if (row.shape.rank() == 0) return row.name + output;
  return fmt::format("{}{}{}{}", row.name, row.name.find(' ') == std::string::npos ? "" : ", element ",
                     argand::element_name(row.shape, e.element), output);
}

IndependentCheck differences_check(const Report& report) {
  return differences_check(worst_of(report.rows).value_or(Verdict::Inconclusive), report.worst_error());
}

void Report::add(const Report& part, const std::string& part_name) {
  const std::string before = part_name.empty() ? "" : part_name + ": ";
  for (ReportRow row : part.rows) {
    row.name = before + row.name;
    for (ElementCheck& e : row.elements) e.input = rows.size();
    rows.push_back(std::move(row));
  }
  for (IndependentCheck check : part.independent) {
    check.of = part_name + (part_name.empty() || check.of.empty() ? "" : ": ") + check.of;
    independent.push_back(std::move(check));
  }
  for (const std::string& note : part.notes) notes.push_back(before + note);
  for (const std::string& op : part.blamed)
    if (std::find(blamed.begin(), blamed.end(), op) == blamed.end()) blamed.push_back(op);
}

}  // namespace argand
