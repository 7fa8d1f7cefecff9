#pragma once
/// One function at one point: gradients from the tape or from other code that computes them, and derivatives of its output by
/// difference quotients.

#include <complex>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "autograd/check/numerical.h"
#include "autograd/op_check.h"

namespace argand {

/// One complex number per element; imaginary parts are 0 where the tensor is real.
using ComplexValues = std::vector<std::complex<double>>;

/// Fixed random numbers with magnitudes in [0.5, 1.5): none is negligible, none dominates.
ComplexValues random_numbers(const Random& random, std::size_t n, bool is_complex);

/// A function as the checks use it: its value, and the derivatives provided with it.
struct DifferentiableFunction {
  std::function<AnyTensor(const std::vector<AnyTensor>& x)> value;
  /// The gradients ∂L/∂x + i ∂L/∂y of L = Re Σ conj(W) f(x), W with one weight per output element; one entry per input.
  std::function<std::vector<ComplexValues>(const std::vector<AnyTensor>& x, std::span<const std::complex<double>> W)> gradients;
  /// J v, the derivative of f along v, if there is a forward derivative; v has the shapes and types of x, J v those of f(x).
  std::function<AnyTensor(const std::vector<AnyTensor>& x, const std::vector<AnyTensor>& v)> tangent = {};
  /// f with complex numbers in place of its real inputs, if that is defined.
  std::function<AnyTensor(const std::vector<AnyTensor>& z)> extended = {};
};

/// J v computed in forward mode, without a tape.
AnyTensor pushed_forward(const CheckedFunction& f, const std::vector<AnyTensor>& x, const std::vector<AnyTensor>& v);

/// A real function of the output: y -> Re Σ conj(W_k) y_k, with only the terms where W_k != 0.
struct Functional {
  struct Term {
    std::size_t output;
    std::complex<double> weight;
  };
  std::vector<Term> terms;

  /// The functional with one weight per output element.
  static Functional of(std::span<const std::complex<double>> weights);
};

class ScalarProjection {
 public:
  /// Throws when two calls of f at the same inputs differ: a random function must fix its seed before it can be checked.
  ScalarProjection(CheckedFunction f, std::vector<AnyTensor> inputs);
  /// The same for a function that is not recorded on a tape.
  ScalarProjection(DifferentiableFunction f, std::vector<AnyTensor> inputs);

  /// Sets f with complex numbers in place of real inputs, for the complex step (DifferentiableFunction::extended).
  void extend(const CheckedFunction& complex_extension);

  const DifferentiableFunction& function() const { return f_; }
  /// Tensors like the inputs, filled from one number for each element of each input.
  std::vector<AnyTensor> like_inputs(const std::vector<ComplexValues>& numbers) const;

  const std::vector<AnyTensor>& inputs() const { return inputs_; }
  std::int64_t input_size(std::size_t input) const;
  const Shape& input_shape(std::size_t input) const;
  bool input_is_complex(std::size_t input) const { return inputs_[input].index() == 1; }

  const ComplexValues& output() const { return output_; }
  const Shape& output_shape() const { return output_shape_; }
  bool output_is_complex() const { return output_is_complex_; }

  /// Fixed random weights with magnitudes in [0.5, 1.5), real for a real output: no output element is negligible, none dominates. A
  /// function that is not recorded and returns one real number gets weight 1, so that L is the function itself.
  ComplexValues random_weights(std::uint64_t seed, std::uint64_t projection) const;

  /// Gradients of L = Re Σ conj(W) f, by one backward pass on a separate tape if f is recorded; one entry per input.
  std::vector<ComplexValues> analytic(std::span<const std::complex<double>> weights) const;
  /// An estimate of the rounding error of each of these gradients, from scaling the weights by factors other than powers of two:
  /// apart from rounding, a gradient scales with its weights. At most 1e-12 of the sum of all |W_k f_k|, so a nonlinear gradient
  /// cannot pass for rounding.
  std::vector<std::vector<double>> rounding_of(const std::vector<ComplexValues>& gradients,
                                               std::span<const std::complex<double>> weights) const;
  /// dL/dx (or dL/dy when `imaginary`) of every functional, for one element of one input.
  std::vector<Derivative> numerical(std::size_t input, std::int64_t element, bool imaginary,
                                    std::span<const Functional> functionals, const RiddersOptions& options) const;
  /// The same for every functional along the line x + t v, at t = 0. `direction` is v: one entry per input, real where the input
  /// is.
  std::vector<Derivative> along(const std::vector<ComplexValues>& direction, std::span<const Functional> functionals,
                                const RiddersOptions& options) const;
  /// The change of every functional between x and x + t v. The functionals must outlive the result.
  Changes changes_along(const std::vector<ComplexValues>& direction, std::span<const Functional> functionals) const;
  /// The ops that f records, each once, in order; empty if it records nothing.
  std::vector<std::string> recorded_ops() const;

 private:
  static double& coordinate(AnyTensor& x, std::int64_t element, bool imaginary);
  /// The output after one real coordinate of one input is set to t.
  ComplexValues output_at(std::size_t input, std::int64_t element, bool imaginary, double t) const;
  /// The output elements that become NaN when this coordinate does: they depend on it, even if no change is large enough to
  /// show.
  std::vector<bool> reached_from(std::size_t input, std::int64_t element, bool imaginary) const;

  /// f at other inputs; throws if the output's shape differs from that at the original point.
  ComplexValues output_at(const std::vector<AnyTensor>& inputs) const;
  /// The changes in the functionals between the stored output and y. Marks output elements that differ as reached.
  void compare(const ComplexValues& y, std::span<const Functional> functionals, std::vector<bool>& reached,
               std::span<Change> changes) const;

  CheckedFunction recorded_;  // empty if f is not recorded
  DifferentiableFunction f_;
  std::vector<AnyTensor> inputs_;
  ComplexValues output_;
  Shape output_shape_;
  bool output_is_complex_ = false;
};

}  // namespace argand
