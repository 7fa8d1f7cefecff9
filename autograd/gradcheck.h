#pragma once
/// Checks gradients. Every element of every input is compared with a numerical derivative that has an error bar, and gets one of
/// five verdicts. Where the error bars cannot decide, the verdict is inconclusive.
///
///     const auto f = [](auto z, auto w) { return mul(exp(z), w); };
///     const Report report = gradcheck(f, z, w);   // tensors of double or complex<double>
///     if (!report.ok()) fmt::print("{}", report_text(report));
///
/// f is projected onto fixed random weights W: the gradient of L = Re Σ conj(W) f(x) from one backward pass is compared with dL/dx
/// + i dL/dy, each from Ridders' extrapolated differences (autograd/check/numerical.h). With `full_jacobian` every output element
/// is its own projection. Independent checks follow (autograd/check/independent/independent_check.h).

#include <string>
#include <vector>

#include "autograd/check/report.h"
#include "autograd/check/scalar_projection.h"

namespace argand {

struct GradcheckOptions {
  std::string name = "function";  ///< prefix of every message
  double tolerance = 1e-8;        ///< on |analytic − numerical| / |gradient|; error bars may be half of it (judge in verdict.h)
  int projections = 2;
  bool full_jacobian = false;
  std::uint64_t seed = 0x6C4D;  ///< seed of the random weights
  bool blame_ops = true;        ///< when f fails, run the check of every op that it recorded and name those that fail
  bool parallel = false;        ///< differentiate several elements at once: f must be callable from several threads
  RiddersOptions ridders = {};
  /// f on complex instead of real inputs, for the complex-step check. If f has one input:
  /// erase_types<double, std::complex<double>>(f).
  CheckedFunction complex_extension = {};
};

/// The report on a function and its gradients, from the tape or from other code. Ignores options.blame_ops.
Report gradcheck(const ScalarProjection& projected, const GradcheckOptions& options);

namespace detail {
Report gradcheck(const CheckedFunction& f, const std::vector<AnyTensor>& inputs, const GradcheckOptions& options);
}

/// Throws when f is not a pure function of its inputs. (A template, so that a generic lambda is not tried as a CheckedFunction.)
template <std::same_as<CheckedFunction> F>
Report gradcheck(const F& f, const std::vector<AnyTensor>& inputs, const GradcheckOptions& options = {}) {
  return detail::gradcheck(f, inputs, options);
}

/// The same for f(Var<In>...) that returns a Var<double> or Var<complex<double>> of any shape.
template <class F, Scalar... In>
requires(sizeof...(In) > 0 && (std::same_as<RealOf<In>, double> && ...)) Report
    gradcheck(const GradcheckOptions& options, const F& f, const Tensor<In>&... inputs) {
  return detail::gradcheck(erase_types<double, In...>(f), {inputs...}, options);
}
template <class F, Scalar... In>
requires(sizeof...(In) > 0 && (std::same_as<RealOf<In>, double> && ...)) Report gradcheck(const F& f, const Tensor<In>&... inputs) {
  return gradcheck(GradcheckOptions{}, f, inputs...);
}

namespace detail {
template <Scalar T>
const Tensor<T>& tensor_of(const Tensor<T>& x) {
  return x;
}
template <Scalar T>
const Tensor<T>& tensor_of(const Var<T>& x) {
  return x.value();
}
}  // namespace detail

/// Short form of gradcheck(), for any f(Var...) at the given points, tensors or variables of doubles: check(squash, z). A custom_op
/// gives the report its name.
template <class F, class... X>
requires(sizeof...(X) > 0) Report check(const F& f, const X&... x) {
  static_assert((std::same_as<RealOf<std::remove_cvref_t<decltype(*detail::tensor_of(x).data())>>, double> && ...),
                "gradients are checked in double precision: pass tensors of double or complex<double>");
  GradcheckOptions options;
  if constexpr (requires { std::string(f.name()); }) options.name = f.name();
  return gradcheck(options, f, detail::tensor_of(x)...);
}

}  // namespace argand
