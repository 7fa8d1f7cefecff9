#pragma once
/// The second derivatives of a function at a point, exactly from the tape and by differences of the gradient, and the kind of
/// point.
///
/// L is real (f, or Re f), z = x + iy. Its second derivatives come in four blocks,
///
///     ∂²L/∂z_j∂z_k    ∂²L/∂z_j∂z̄_k        the lower two are the conjugates of the upper,
///     ∂²L/∂z̄_j∂z_k    ∂²L/∂z̄_j∂z̄_k        for L is real
///
/// and along a direction v the curvature is d²L/dt² = 2 Re Σ (∂²L/∂z_j∂z_k) v_j v_k + 2 Σ (∂²L/∂z_j∂z̄_k) v_j conj(v_k). For one
/// variable its extremes are 2 (∂²L/∂z∂z̄ ± |∂²L/∂z²|): where f is holomorphic, ∂²L/∂z∂z̄ = ΔL/4 = 0, and L = Re f has only
/// saddles. (Kreutz-Delgado, "The complex gradient operator and the CR-calculus", 2009, section 4.)

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "autograd/check/verdict.h"
#include "lab/expression/expression.h"
#include "lab/style.h"

namespace argand {

struct LabHessian {
  std::vector<std::complex<double>> at, gradient;  ///< [n], ∂L/∂x + i ∂L/∂y from the tape
  std::vector<std::vector<double>> real;           ///< from the tape, over (x_1, y_1, x_2, y_2, ...)
  std::vector<std::vector<double>> numerical;      ///< the same by extrapolated differences of the gradient
  std::vector<std::vector<double>> error;  ///< its error bars; infinite where the gradient has a kink, or is a convention nearby
  double variation = 0;                    ///< size of second derivatives nearby, even if these are 0
  /// Steps after which the tape's derivatives are not those of f (LabPoint::gaps): then everything below comes from differences.
  std::vector<std::string> gaps;
  double slope = 0, slope_error = 0;                     ///< the gradient's length √Σ|∂L/∂x + i ∂L/∂y|², and its error
  std::vector<std::vector<std::complex<double>>> zz;     ///< ∂²L/∂z_j∂z_k
  std::vector<std::vector<std::complex<double>>> zzbar;  ///< ∂²L/∂z_j∂z̄_k
  std::vector<double> eigenvalues;                       ///< ascending
  bool of_real_part = false;                             ///< L = Re f, because f is complex

  /// `real`, or the symmetrised `numerical` where there are gaps.
  std::vector<std::vector<double>> believed() const;
  /// Tape and differences agree if no entry differs by more than this: 1e-6 of the largest entry, plus the widest bar.
  double tolerance() const;
  /// Pass, Fail, or Inconclusive: there are gaps, or bars are infinite or too wide.
  Verdict verdict() const;
  /// Differences contradict the tape.
  bool failed() const { return verdict() == Verdict::Fail; }
  /// "a minimum", "a maximum", "a saddle", "degenerate", "not a critical point"; "undecided" if the bars are too wide; "not
  /// finite".
  std::string kind() const;
};

LabHessian lab_hessian(const Expression& f, const std::vector<std::complex<double>>& at);
std::string hessian_text(const Expression& f, const LabHessian& h, const Style& style);
nlohmann::json hessian_json(const LabHessian& h);

}  // namespace argand
