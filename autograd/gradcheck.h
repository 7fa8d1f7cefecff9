#pragma once
/// Is a gradient right? Every element of every input gets the numerical derivative, an error bar, and one of five verdicts;
/// what the error bars cannot decide is called inconclusive, never guessed.
///
///     const auto f = [](auto z, auto w) { return mul(exp(z), w); };
///     const GradcheckResult result = gradcheck(f, z, w);   // tensors of double or complex<double>
///     if (!result.ok()) fmt::print("{}\n", result.message());
///
/// f is projected on fixed random weights W: the gradient of L = Re Σ conj(W) f(x) by one backward pass is compared with
/// dL/dx + i dL/dy, each by Ridders' extrapolated differences (autograd/check/numerical.h). With `full_jacobian` every output
/// element is its own projection. Three further witnesses give second opinions (autograd/check/witnesses/witness.h).

#include <string>
#include <vector>

#include "autograd/check/probe.h"
#include "autograd/check/verdict.h"
#include "autograd/check/witnesses/witness.h"

namespace argand {

struct GradcheckOptions {
  std::string name = "function";  ///< opens every message
  double tolerance = 1e-8;        ///< on |analytic − numerical| / |gradient|; error bars must be half of it (judge in verdict.h)
  int projections = 2;
  bool full_jacobian = false;
  std::uint64_t seed = 0x6C4D;  ///< of the random weights
  bool blame_ops = true;        ///< when f fails, run the own check of every op that it recorded and name those that fail
  bool parallel = false;        ///< differentiate several elements at once: f must be callable from several threads
  RiddersOptions ridders = {};
  /// f of complex numbers where it has real ones, for the complex step: erase_types<double, std::complex<double>>(f) for one input.
  CheckedFunction complex_twin = {};
};

/// One element of one input, under the projection in which it came out worst (or, with full_jacobian, under each).
struct ElementCheck {
  std::size_t input = 0;
  std::int64_t element = 0;  ///< in row-major order
  /// With full_jacobian: output element k, or for a complex output 2k (its real part) and 2k + 1 (its imaginary part).
  std::size_t projection = 0;
  Comparison values = {};
  double relative_error = 0;  ///< |analytic − numerical| / the tensor's largest |gradient| (Comparison::relative_error)
  Verdict verdict = Verdict::Pass;
};

/// What went wrong with one input.
struct InputFailure {
  std::size_t input = 0;
  std::string message;    ///< "mul: input 0, element [1, 2]: analytic 1+3i, numerical 1-3i ± 2e-12: the gradient looks conjugated"
  std::string diagnosis;  ///< "the gradient looks conjugated", or what else is known
};

struct GradcheckResult {
  std::vector<ElementCheck> elements;
  double worst_relative_error = 0;  ///< over passed and failed elements
  std::vector<InputFailure> failures;
  std::vector<std::string> notes;   ///< one line for each input with inconclusive elements, kinks or cuts, one for witnesses
  std::vector<std::string> blamed;  ///< ops whose own check fails as well
  std::vector<Witness> witnesses;   ///< differences, adjoint, taylor, complex step

  std::int64_t count(Verdict verdict) const;
  /// Every element passed, there was one, and no witness disagrees.
  bool ok() const;
  /// Failures and notes, one a line; empty when ok.
  std::string message() const;
};

/// What the judge says of a function and its gradients, whoever computed them. options.blame_ops is not heeded.
GradcheckResult gradcheck(const Probe& probe, const GradcheckOptions& options);

namespace detail {
GradcheckResult gradcheck(const CheckedFunction& f, const std::vector<AnyTensor>& inputs, const GradcheckOptions& options);
}

/// Throws when f is not a pure function of its inputs. (A template, so that a generic lambda is not tried as a CheckedFunction.)
template <std::same_as<CheckedFunction> F>
GradcheckResult gradcheck(const F& f, const std::vector<AnyTensor>& inputs, const GradcheckOptions& options = {}) {
  return detail::gradcheck(f, inputs, options);
}

/// The same for f(Var<In>...) that returns a Var<double> or Var<complex<double>> of any shape.
template <class F, Scalar... In>
requires(sizeof...(In) > 0 && (std::same_as<RealOf<In>, double> && ...)) GradcheckResult
    gradcheck(const GradcheckOptions& options, const F& f, const Tensor<In>&... inputs) {
  return detail::gradcheck(erase_types<double, In...>(f), {inputs...}, options);
}
template <class F, Scalar... In>
requires(sizeof...(In) > 0 && (std::same_as<RealOf<In>, double> && ...)) GradcheckResult
    gradcheck(const F& f, const Tensor<In>&... inputs) {
  return gradcheck(GradcheckOptions{}, f, inputs...);
}

}  // namespace argand
