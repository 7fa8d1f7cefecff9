#pragma once
/// An op's own check, run: its cases, its singular points, and whether it is of the kind that it declares.

#include <string>
#include <vector>

#include "autograd/gradcheck.h"
#include "autograd/op.h"

namespace argand {

struct CaseReport {
  std::string label;
  Report result;
};

struct SingularReport {
  std::string label;
  std::vector<std::string> faults;  ///< what was not finite or not as declared; empty when all is well
};

struct OpReport {
  std::string op;
  Kind kind = Kind::Real;
  std::vector<CaseReport> cases = {};
  std::vector<SingularReport> singular = {};
  std::string kind_fault = {};  ///< why the op is not of its declared kind; empty when it is

  double worst_relative_error() const;
  /// Elements (rows of all cases) with this verdict.
  std::int64_t count(Verdict verdict) const;
  std::int64_t elements() const;
  /// All cases passed, nothing inconclusive, and there was something to check.
  bool gradients_ok() const;
  /// gradients_ok, singular points as declared, kind as declared.
  bool ok() const;
  /// Everything that is not ok, one a line.
  std::string message() const;
};

/// Runs the op's check. `options.name` is ignored: messages begin with "op (label)".
OpReport check_op(const Op& op, GradcheckOptions options = {});

/// Why an op with this check is not of this kind, by the Cauchy-Riemann equations in every complex input of every case; empty when
/// it is. Holomorphic: they hold in all of them. RealValued: complex inputs, real outputs. General: a complex output for which they
/// fail somewhere. Real: no complex input.
std::string kind_fault(const std::string& op, Kind kind, const OpCheck& check, const RiddersOptions& ridders = {});

/// Value and gradient of L = Re Σ f at a declared singular point, in float64 and float32: the faults found.
std::vector<std::string> check_singular(const OpCheck::SingularCase& singular);

}  // namespace argand
