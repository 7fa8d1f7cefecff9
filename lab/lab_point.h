#pragma once
/// The results of `argand lab` for a function at one point: derivatives from the tape, compared with numerical ones.

#include <array>
#include <string>
#include <vector>

#include "autograd/check/verdict.h"
#include "autograd/wirtinger.h"
#include "lab/expression/expression.h"
#include "lab/tape_rounding.h"

namespace argand {

/// One value, from the tape and from Ridders' extrapolated differences.
struct LabFigure {
  std::complex<double> tape = 0, numerical = 0;
  double error = 0;     ///< error bar of `numerical`
  double rounding = 0;  ///< bound on the rounding error of `tape`; infinite where the chain rule has a gap
  Verdict verdict = Verdict::Inconclusive;

  /// The largest difference at which the two count as equal: 1e-8 of the larger, plus the rounding error and the error bar.
  double tolerance() const;
};

struct LabPoint {
  std::vector<std::complex<double>> at;  ///< one number per variable
  std::size_t variable = 0;              ///< the variable to differentiate with respect to, called z below
  std::complex<double> value;
  bool real = false;  ///< whether f is real by its types (not just here)
  /// f has no finite value here, or differs from its surroundings, and tends to `limit` along both axes.
  bool has_limit = false;
  std::complex<double> limit = 0;

  LabFigure dz = {}, dzbar = {};
  /// The gradient of L = f if f is real, else of L = Re f: ∂L/∂x + i ∂L/∂y.
  LabFigure gradient = {};
  /// ∂(Re f, Im f)/∂(x, y), row by row; one row if f is real.
  std::array<std::array<LabFigure, 2>, 2> jacobian = {};
  /// Numerical ∂u/∂x − ∂v/∂y and ∂u/∂y + ∂v/∂x of f = u + iv: both 0 where the Cauchy-Riemann equations hold.
  std::array<Estimate, 2> residuals = {};
  CauchyRiemann verdict = CauchyRiemann::Inconclusive;  ///< the verdict of derivatives that agree
  bool holomorphic_ops = false;                         ///< every op on the tape is holomorphic, and so is f wherever it is defined

  /// Steps after which the tape's values are not derivatives of f: "log of 0 is -inf", "the derivative of abs at 0 is a
  /// convention". If there are any, tape and differences are not compared.
  std::vector<std::string> gaps = {};
  /// "a kink along the real axis: ...", "a cut ...", "the value is not finite", "the derivative grows without bound ..."; empty if
  /// there is no problem.
  std::string trouble = {};
  std::vector<LabSingularity> singular = {};  ///< ops that may cause the singularity

  /// Whether the numerical check contradicts one of the values.
  bool failed() const;
  /// Whether the result is inconclusive for a reason other than wide error bars: a kink, a cut, a pole, a gap, or an op with
  /// singular points and a derivative indistinguishable from 0.
  bool is_singular() const;
  /// Whether everything was compared and agrees.
  bool conclusive() const;
  /// Whether the limits of the differences exist and determine the derivatives, even if the tape has none.
  bool has_numerical() const;
};

/// Examines f and its derivatives with respect to one variable. `at` has one number per variable.
LabPoint lab_point(const Expression& f, const std::vector<std::complex<double>>& at, std::size_t variable);

/// The image of a small circle under f, in units of its radius.
struct LabEllipse {
  double longer = 0, shorter = 0;  ///< half-axes |a| + |b| and ||a| − |b||: the singular values of the Jacobian
  double determinant = 0;  ///< |a|² − |b|², the determinant; negative if the image is traversed in the opposite direction
};
LabEllipse ellipse_of(std::complex<double> dz, std::complex<double> dzbar);

/// ∂(Re f, Im f)/∂(x, y) from the two Wirtinger derivatives.
std::array<std::array<double, 2>, 2> jacobian_of(std::complex<double> dz, std::complex<double> dzbar);

}  // namespace argand
