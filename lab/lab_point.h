#pragma once
/// Everything that `argand lab` finds out about a function at one point: derivatives by the tape, beside numerical ones.

#include <array>
#include <string>
#include <vector>

#include "autograd/check/verdict.h"
#include "autograd/wirtinger.h"
#include "lab/expression/expression.h"
#include "lab/tape_rounding.h"

namespace argand {

/// One number, by the tape and by Ridders' extrapolated differences.
struct LabFigure {
  std::complex<double> tape = 0, numerical = 0;
  double error = 0;     ///< bar of `numerical`
  double rounding = 0;  ///< how far rounding may have moved `tape`; infinite where the chain rule has a gap
  Verdict verdict = Verdict::Inconclusive;

  /// The two agree when they are no further apart than this: 1e-8 of the larger, the rounding and the bar.
  double tolerance() const;
};

struct LabPoint {
  std::vector<std::complex<double>> at;  ///< one number a variable
  std::size_t variable = 0;              ///< the one that varies: z below
  std::complex<double> value;
  bool real = false;  ///< f is real by its types (not just here)
  /// f has no finite value here, or another one than around, and tends to `limit` along both axes.
  bool has_limit = false;
  std::complex<double> limit = 0;

  LabFigure dz = {}, dzbar = {};
  /// Of L = f where f is real, else of L = Re f: ∂L/∂x + i ∂L/∂y.
  LabFigure gradient = {};
  /// ∂(Re f, Im f)/∂(x, y), row by row; one row where f is real.
  std::array<std::array<LabFigure, 2>, 2> jacobian = {};
  /// Numerical ∂u/∂x − ∂v/∂y and ∂u/∂y + ∂v/∂x of f = u + iv: both 0 where the Cauchy-Riemann equations hold.
  std::array<Estimate, 2> residuals = {};
  CauchyRiemann verdict = CauchyRiemann::Inconclusive;  ///< of derivatives that agree
  bool holomorphic_ops = false;                         ///< every op on the tape is holomorphic, so f is wherever it is defined

  /// "log of 0 is -inf", "the derivative of abs at 0 is a convention": steps after which the tape's values are no derivatives
  /// of f, whatever they are. Then nothing agrees, and nothing differs.
  std::vector<std::string> gaps = {};
  /// "a kink along the real axis: ...", "a cut ...", "the value is not finite", "the derivative grows without bound ..."; empty
  /// where nothing is wrong.
  std::string trouble = {};
  std::vector<LabSingularity> singular = {};  ///< ops that may be the cause, where there is trouble

  /// A figure that the numerical check contradicts.
  bool failed() const;
  /// Not conclusive, and not only because the error bars are too wide: a kink, a cut, a pole, a gap, or an op with singular
  /// points and no derivative distinguishable from 0.
  bool singular_here() const;
  /// Everything was compared and agrees.
  bool conclusive() const;
  /// The differences have limits that say what the derivatives are, whether the tape knows them or not.
  bool has_numerical() const;
};

/// f and its derivatives with respect to one variable. `at` has one number for each.
LabPoint lab_point(const Expression& f, const std::vector<std::complex<double>>& at, std::size_t variable);

/// What f makes of a small circle, in units of its radius.
struct LabEllipse {
  double longer = 0, shorter = 0;  ///< half-axes |a| + |b| and ||a| − |b||: the singular values of the Jacobian
  double determinant = 0;          ///< |a|² − |b|²: of the Jacobian, below 0 where the circle is run through the other way
};
LabEllipse ellipse_of(std::complex<double> dz, std::complex<double> dzbar);

/// ∂(Re f, Im f)/∂(x, y) from the two Wirtinger derivatives.
std::array<std::array<double, 2>, 2> jacobian_of(std::complex<double> dz, std::complex<double> dzbar);

}  // namespace argand
