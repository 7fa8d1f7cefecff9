#pragma once
/// The second derivatives of a function at a point, exactly by the tape and by differences of the gradient, and what kind of point
/// it is.
///
/// L is real (f, or Re f), z = x + iy. Its second derivatives come in four blocks,
///
///     ∂²L/∂z_j∂z_k    ∂²L/∂z_j∂z̄_k        the lower two are the conjugates of the upper,
///     ∂²L/∂z̄_j∂z_k    ∂²L/∂z̄_j∂z̄_k        for L is real
///
/// and along a direction v the curvature is  d²L/dt² = 2 Re Σ (∂²L/∂z_j∂z_k) v_j v_k + 2 Σ (∂²L/∂z_j∂z̄_k) v_j conj(v_k). Of one
/// variable its extremes are 2 (∂²L/∂z∂z̄ ± |∂²L/∂z²|): where f is holomorphic, ∂²L/∂z∂z̄ = ΔL/4 = 0, and L = Re f has saddles only.
/// (Kreutz-Delgado, "The complex gradient operator and the CR-calculus", 2009, section 4.)

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "apps/lab/expression.h"
#include "apps/terminal/terminal.h"

namespace argand {

struct LabHessian {
  std::vector<std::complex<double>> at, gradient;        ///< [n], ∂L/∂x + i ∂L/∂y
  std::vector<std::vector<std::complex<double>>> zz;     ///< ∂²L/∂z_j∂z_k
  std::vector<std::vector<std::complex<double>>> zzbar;  ///< ∂²L/∂z_j∂z̄_k
  std::vector<std::vector<double>> real;                 ///< over (x_1, y_1, x_2, y_2, ...)
  std::vector<std::vector<double>> numerical;            ///< the same by extrapolated differences of the gradient
  std::vector<std::vector<double>> error;                ///< its bars
  std::vector<double> eigenvalues;                       ///< of `real`, ascending
  bool of_real_part = false;                             ///< L = Re f, for f is complex

  /// The gradient's length, √Σ|∂L/∂x + i ∂L/∂y|².
  double slope() const;
  /// A difference that contradicts the tape.
  bool failed() const;
  /// "a minimum", "a maximum", "a saddle", "degenerate", "no critical point"; "not finite".
  std::string kind() const;
};

LabHessian lab_hessian(const Expression& f, const std::vector<std::complex<double>>& at);
std::string hessian_text(const Expression& f, const LabHessian& h, const Style& style);
nlohmann::json hessian_json(const LabHessian& h);

}  // namespace argand
