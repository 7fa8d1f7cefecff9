#pragma once
/// The result of a check of an op, a function, a gradient from other code, or the parameters of a model. One row
/// per item, each with the bar that it must meet; one overall verdict; rendered by report_text and report_html.
///
///     const Report report = gradcheck(f, z, w);
///     if (!report.ok()) fmt::print("{}", report_text(report));

#include <optional>
#include <string>
#include <vector>

#include "autograd/check/independent/independent_check.h"
#include "autograd/check/verdict.h"

namespace argand {

/// One element of one input: the gradient under test and the numerical one, under the projection with the worst result (or, with
/// GradcheckOptions::full_jacobian, under each).
struct ElementCheck {
  std::size_t input = 0;     ///< index of the input
  std::int64_t element = 0;  ///< in row-major order
  /// With full_jacobian: output element k, or for a complex output 2k (its real part) and 2k + 1 (its imaginary part).
  std::size_t projection = 0;
  std::string output = {};  ///< with full_jacobian: "output [0]", "real part of output [0]"
  Comparison values = {};
  double relative_error = 0;  ///< |analytic − numerical| / the tensor's largest |gradient| (Comparison::relative_error)
  Judged verdict = {};
  bool between_slopes = false;  ///< at a kink: whether the gradient lies between the one-sided slopes (settle_kink)
};

/// The subject of a row.
enum class RowKind {
  Gradient,       ///< the gradient of one input or parameter
  SingularPoint,  ///< the declared gradient where no derivative exists
  OpKind,         ///< the declared kind: holomorphic, ...
  Adjoint,        ///< forward against backward derivation, without difference quotients
  Use,            ///< one way to use a gradient (autograd/check/usage/usage.h)
  Nan,            ///< NaN in, NaN out (autograd/check/nan_check.h)
};

struct ReportRow {
  std::string name;  ///< "x", "input 0", "net.weight", "singular, the origin"
  RowKind kind = RowKind::Gradient;
  Shape shape = {};           ///< shape of the tensor
  std::string scalar = {};    ///< scalar type of its elements, "complex128"; empty if the row is not about a tensor
  std::int64_t compared = 0;  ///< number of `unit`s
  std::string unit = "element";
  double worst_error = 0;                ///< the largest error, in the unit of the bar
  Judged verdict = {};                   ///< of the worst element or direction
  std::string diagnosis = {};            ///< "the gradient looks conjugated"
  std::vector<std::string> faults = {};  ///< for rows that are not about elements: all faults, one line each
  /// The elements judged one by one, with errors relative to the largest gradient among them; empty if directions sufficed.
  std::vector<ElementCheck> elements = {};

  bool is_complex() const { return scalar.starts_with("complex"); }
  /// The row for a tensor.
  static ReportRow of(std::string name, const AnyTensor& x);
  /// The row for a check of a single number: passes if `error` is at most `bar` and there are no faults.
  static ReportRow of(RowKind kind, std::string name, std::int64_t compared, std::string unit, double error, double bar,
                      std::vector<std::string> faults = {});
  /// Sets verdict, worst error and bar from the elements: the worst of them decides.
  void conclude();
  /// Whether every element was checked, some pass, and the others are at kinks with their gradients between the one-sided slopes.
  bool passes_except_at_kinks() const;
  /// The element with this verdict that has the largest error; nullptr if there is none.
  const ElementCheck* worst(Verdict verdict) const;
};

struct Report {
  std::string name = {};          ///< the name of the checked item
  std::string subject = "input";  ///< heading of the column of row names
  std::vector<ReportRow> rows = {};
  std::vector<Comparison> directions = {};  ///< dL/dt along random directions of all inputs: `analytic` and `numerical` are real
  std::vector<IndependentCheck> independent = {};  ///< differences, adjoint, taylor, complex step, ...
  std::vector<std::string> blamed = {};            ///< ops whose own check fails as well
  std::vector<std::string> notes = {};             ///< further remarks
  /// An overall explanation that replaces the rows' diagnoses: "conjugated: this is the convention of JAX".
  std::string explanation = {};

  /// Fail if a row fails, or if an independent check that decides (IndependentCheck::decides) disagrees. Pass if something was
  /// compared, all of it passes, and no independent check disagrees. Elements at kinks do not prevent a pass if every element of
  /// their row was checked and others in it pass: their gradients lie between the slopes, and no stricter test exists. Inconclusive
  /// otherwise: at branch cuts, or where a row consists of kinks only, there is no derivative to compare with.
  Verdict verdict() const;
  bool ok() const { return verdict() == Verdict::Pass; }
  /// A short description of the fault; empty when ok.
  std::string diagnosis() const;
  /// "energy: FAIL, the gradient looks conjugated"
  std::string headline() const;

  /// The number of elements of all rows with this verdict.
  std::int64_t count(Verdict verdict) const;
  std::vector<ElementCheck> elements() const;
  std::int64_t compared(RowKind kind) const;
  /// The worst error of all rows of this kind.
  double worst_error(RowKind kind = RowKind::Gradient) const;
  /// Of the elements with the worst verdict, the one with the largest error; nullptr if there is none.
  const ElementCheck* worst() const;
  /// "x[0, 2]", "input 0, element [0, 2]", "x" for a scalar.
  std::string element_name(const ElementCheck& e) const;

  /// Adds the rows, independent checks and notes of another report, with "part: " before their names.
  void add(const Report& part, const std::string& part_name);
};

/// The verdict of the difference quotients over all rows.
IndependentCheck differences_check(const Report& report);

struct ReportStyle {
  bool coloured = false;  ///< use escape sequences for a terminal
  bool elements = false;  ///< one line per element
};

/// A headline, a table of the rows, the worst element, and the results of independent checks.
std::string report_text(const Report& report, const ReportStyle& style = {});
/// The same as HTML, for a notebook or a web page: one <div> with everything escaped.
std::string report_html(const Report& report);

}  // namespace argand
