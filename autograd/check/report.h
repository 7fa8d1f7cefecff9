#pragma once
/// The result of a check, whatever was checked: an op, a function, a foreign gradient, the parameters of a model. One row per item,
/// each with the bar it was judged by; one verdict; one text (report_text) and one page (report_html).
///
///     const Report report = gradcheck(f, z, w);
///     if (!report.ok()) fmt::print("{}", report_text(report));

#include <optional>
#include <string>
#include <vector>

#include "autograd/check/independent/independent_check.h"
#include "autograd/check/verdict.h"

namespace argand {

/// One element of one input: the gradient in question and the numerical one, under the projection in which it fared worst (or, with
/// GradcheckOptions::full_jacobian, under each).
struct ElementCheck {
  std::size_t input = 0;     ///< the row
  std::int64_t element = 0;  ///< in row-major order
  /// With full_jacobian: output element k, or for a complex output 2k (its real part) and 2k + 1 (its imaginary part).
  std::size_t projection = 0;
  std::string output = {};  ///< with full_jacobian: "output [0]", "real part of output [0]"
  Comparison values = {};
  double relative_error = 0;  ///< |analytic − numerical| / the tensor's largest |gradient| (Comparison::relative_error)
  Judged verdict = {};
  bool between_slopes = false;  ///< at a kink: the gradient was found to lie between the one-sided slopes (settle_kink)
};

/// The subject of a row.
enum class RowKind {
  Gradient,       ///< of one input or parameter
  SingularPoint,  ///< the declared gradient where there is no derivative
  OpKind,         ///< holomorphic, ...
  Adjoint,        ///< forward against backward derivation, without differences
  Use,            ///< one way to use a gradient (autograd/check/usage/usage.h)
  Nan,            ///< NaN in, NaN out (autograd/check/nan_check.h)
};

struct ReportRow {
  std::string name;  ///< "x", "input 0", "net.weight", "singular, the origin"
  RowKind kind = RowKind::Gradient;
  Shape shape = {};           ///< of the tensor
  std::string scalar = {};    ///< of its elements, "complex128"; empty if the row is not about a tensor
  std::int64_t compared = 0;  ///< number of `unit`s
  std::string unit = "element";
  double worst_error = 0;                ///< the largest, in the unit of the bar
  Judged verdict = {};                   ///< of the worst element or direction
  std::string diagnosis = {};            ///< "the gradient looks conjugated"
  std::vector<std::string> faults = {};  ///< if the row is not about elements: everything that is wrong, one line each
  /// The elements judged one by one, with errors relative to the largest gradient among them; empty where directions decided.
  std::vector<ElementCheck> elements = {};

  bool is_complex() const { return scalar.starts_with("complex"); }
  /// The row for a tensor.
  static ReportRow of(std::string name, const AnyTensor& x);
  /// The row for something judged by a number: passes if `error` is at most `bar` and there are no faults.
  static ReportRow of(RowKind kind, std::string name, std::int64_t compared, std::string unit, double error, double bar,
                      std::vector<std::string> faults = {});
  /// Sets verdict, worst error and bar from the elements: the worst of them decides.
  void conclude();
  /// Whether every element was checked and some pass, while the others lie at kinks, between the slopes there.
  bool passes_beside_kinks() const;
  /// The element with this verdict that has the largest error; nullptr if there is none.
  const ElementCheck* worst(Verdict verdict) const;
};

struct Report {
  std::string name = {};          ///< of what was checked
  std::string subject = "input";  ///< what the rows are: the heading of their column
  std::vector<ReportRow> rows = {};
  std::vector<Comparison> directions = {};  ///< dL/dt along random directions of all inputs: `analytic` and `numerical` are real
  std::vector<IndependentCheck> independent = {};  ///< differences, adjoint, taylor, complex step, ...
  std::vector<std::string> blamed = {};            ///< ops whose own check fails as well
  std::vector<std::string> notes = {};             ///< anything else worth knowing
  /// What is wrong with the whole, replacing what the rows say: "conjugated: this is the convention of JAX".
  std::string explanation = {};

  /// Fail when a row fails, or an independent check that decides (IndependentCheck::decides). Pass when something was compared, all
  /// of it passes, and no independent check disagrees; elements at kinks do no harm if every element of their row was checked and
  /// others of it pass: there the gradient was found to lie between the slopes, and no more can be asked. Inconclusive otherwise:
  /// at cuts, or where a row consists of kinks only, there is no derivative to compare with.
  Verdict verdict() const;
  bool ok() const { return verdict() == Verdict::Pass; }
  /// The fault in brief; empty when ok.
  std::string diagnosis() const;
  /// "energy: FAIL, the gradient looks conjugated"
  std::string headline() const;

  /// The number of elements of all rows with this verdict.
  std::int64_t count(Verdict verdict) const;
  std::vector<ElementCheck> elements() const;
  std::int64_t compared(RowKind kind) const;
  /// The worst error of all rows of this kind.
  double worst_error(RowKind kind = RowKind::Gradient) const;
  /// The worst of the elements with the worst verdict; nullptr if no element was judged, or none has it.
  const ElementCheck* worst() const;
  /// "x[0, 2]", "input 0, element [0, 2]", "x" for a scalar.
  std::string element_name(const ElementCheck& e) const;

  /// Adds the rows, independent checks and notes of a part, with "part: " before their names.
  void add(const Report& part, const std::string& part_name);
};

/// The verdict of the differences on the rows.
IndependentCheck differences_check(const Report& report);

struct ReportStyle {
  bool coloured = false;  ///< escape sequences for a terminal
  bool elements = false;  ///< one line per element
};

/// Headline, a table of the rows, the worst element, and the results of independent checks.
std::string report_text(const Report& report, const ReportStyle& style = {});
/// The same for a notebook or a page: one <div> with everything escaped.
std::string report_html(const Report& report);

}  // namespace argand
