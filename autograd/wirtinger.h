#pragma once
/// The two Wirtinger derivatives of a function, ∂w/∂z = (∂w/∂x − i ∂w/∂y)/2 and ∂w/∂z̄ = (∂w/∂x + i ∂w/∂y)/2, separately and with
/// error bars, and whether the Cauchy-Riemann equations hold, that is, whether ∂w/∂z̄ = 0.

#include <complex>
#include <functional>
#include <string_view>

#include "autograd/check/scalar_projection.h"

namespace argand {

enum class CauchyRiemann {
  Holomorphic,      ///< ∂w/∂z̄ = 0 everywhere
  Antiholomorphic,  ///< ∂w/∂z = 0 everywhere
  RealValued,       ///< w stays real: ∂w/∂z̄ = conj(∂w/∂z)
  General,          ///< none of these
  Inconclusive,     ///< the error bars are too wide, or the point is singular
};
std::string_view cauchy_riemann_name(CauchyRiemann verdict);

struct WirtingerResult {
  std::int64_t inputs = 0, outputs = 0;  ///< elements of the input that was varied and of the output
  ComplexValues dz = {}, dzbar = {};     ///< [outputs, inputs], row-major
  std::vector<double> error = {};        ///< error bar of both, [outputs, inputs]
  bool output_is_complex = true;
  CauchyRiemann verdict = CauchyRiemann::Inconclusive;
};

/// Both derivatives of every output element with respect to every element of the complex tensor inputs[input]. A constant function
/// counts as holomorphic. Throws when that input is real.
WirtingerResult wirtinger(const CheckedFunction& f, const std::vector<AnyTensor>& inputs, std::size_t input = 0,
                          const RiddersOptions& options = {});

struct WirtingerDerivatives {
  std::complex<double> dz, dzbar;
  double error = 0;  ///< error bar of both
  CauchyRiemann verdict = CauchyRiemann::Inconclusive;
};
/// The same for a plain function of one complex number.
WirtingerDerivatives wirtinger(const std::function<std::complex<double>(std::complex<double>)>& f, std::complex<double> z,
                               const RiddersOptions& options = {});

/// Both derivatives from the tape, at every point of inputs[input] at once, for a function that is elementwise in it (output
/// element n depends only on input element n).
struct TapeWirtinger {
  ComplexValues value, dz, dzbar;  ///< one of each per point
  bool output_is_complex = true;
};
/// Computed from two backward passes. By the convention of autograd/var.h the gradient for an incoming dw is
///
///     g(dw) = conj(∂w/∂z) dw + (∂w/∂z̄) conj(dw),   g(1) = conj(∂w/∂z) + ∂w/∂z̄,   g(i) = i (conj(∂w/∂z) − ∂w/∂z̄),
///
/// hence ∂w/∂z = conj(g(1) − i g(i))/2 and ∂w/∂z̄ = (g(1) + i g(i))/2. If w is real, so is dw, and one pass suffices:
/// g(1) = 2 ∂w/∂z̄ and ∂w/∂z = conj(∂w/∂z̄). Throws if inputs[input] is real or its shape differs from the output's.
TapeWirtinger tape_wirtinger(const CheckedFunction& f, const std::vector<AnyTensor>& inputs, std::size_t input = 0);

}  // namespace argand
