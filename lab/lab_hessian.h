#pragma once
/// The second derivatives of a function at a point, exact from the tape and approximate from differences of the gradient, and the
/// kind of critical point.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "autograd/check/verdict.h"
#include "lab/expression/expression.h"
#include "lab/style.h"

namespace argand {

struct LabHessian {
  std::vector<std::complex<double>> at, gradient;  ///< [n] each; the gradient ∂L/∂x + i ∂L/∂y is from the tape
  std::vector<std::vector<double>> real;           ///< from the tape, over (x_1, y_1, x_2, y_2, ...)
  std::vector<std::vector<double>> numerical;      ///< the same by extrapolated differences of the gradient
  std::vector<std::vector<double>> error;  ///< their error bars; infinite if the gradient has a kink or is a convention nearby
  double variation = 0;                    ///< size of the second derivatives nearby; nonzero even if they vanish here
  /// Steps after which the tape's derivatives are not those of f (LabPoint::gaps). If there are any, everything below
  /// comes from differences.
  std::vector<std::string> gaps;
  double slope = 0, slope_error = 0;                     ///< the gradient's length √Σ|∂L/∂x + i ∂L/∂y|², and its error
  std::vector<std::vector<std::complex<double>>> zz;     ///< ∂²L/∂z_j∂z_k
  std::vector<std::vector<std::complex<double>>> zzbar;  ///< ∂²L/∂z_j∂z̄_k
  std::vector<double> eigenvalues;                       ///< ascending
  bool of_real_part = false;                             ///< whether L is Re f because f is complex

  /// `real`, or the symmetrised `numerical` if there are gaps.
  std::vector<std::vector<double>> best_estimate() const;
  /// Tape and differences agree if no entry differs by more than this: 1e-6 of the largest entry, plus the widest bar.
  double tolerance() const;
  /// Pass or Fail; Inconclusive if there are gaps, or if bars are infinite or too wide.
  Verdict verdict() const;
  /// Whether the differences contradict the tape.
  bool failed() const { return verdict() == Verdict::Fail; }
  /// "a minimum", "a maximum", "a saddle", "degenerate", "not a critical point"; "undecided" if the bars are too wide; "not
  /// finite".
  std::string kind() const;
};

LabHessian lab_hessian(const Expression& f, const std::vector<std::complex<double>>& at);
std::string hessian_text(const Expression& f, const LabHessian& h, const Style& style);
nlohmann::json hessian_json(const LabHessian& h);

}  // namespace argand
