#pragma once
/// Backward passes of one function for checks that compare gradients with each other (autograd/check/usage/usage.h).

#include <cmath>
#include <complex>
#include <functional>
#include <span>
#include <vector>

#include "autograd/op_check.h"

namespace argand {

/// The elements of one tensor in row-major order; imaginary parts are 0 if it is real.
using Numbers = std::vector<std::complex<double>>;

/// |z|, fast for real numbers, the most common case: calling hypot() for each number took a tenth of a check's time.
inline double modulus(std::complex<double> z) { return z.imag() == 0 ? std::abs(z.real()) : std::abs(z); }

template <RealScalar R>
Numbers numbers_of(const AnyTensorOf<R>& x) {
  return std::visit([](const auto& t) { return Numbers(t.begin(), t.end()); }, x);
}
/// A tensor of the same shape with different elements. Drops imaginary parts if it is real.
template <RealScalar R>
AnyTensorOf<R> with_numbers(const AnyTensorOf<R>& like, const Numbers& numbers);

inline const Shape& shape_of(const AnyTensor& x) {
  return std::visit([](const auto& t) -> const Shape& { return t.shape(); }, x);
}

/// Value and gradients of one backward pass.
struct Sample {
  Numbers value;
  std::vector<Numbers> gradients;  ///< one per input
};

/// Runs f at `inputs` in precision R, on its own tapes. Incoming gradients are set directly on f's outputs, without another op.
template <RealScalar R>
class Passes {
 public:
  using Variables = std::vector<AnyVarOf<R>>;

  Passes(FunctionOf<R> f, const std::vector<AnyTensor>& inputs);

  /// f's output, without recording.
  AnyTensorOf<R> value() const;
  /// New variables with the values of the inputs, without gradients.
  Variables variables() const;
  /// The same with only input i as a variable; the others are constants.
  Variables variable_among_constants(std::size_t i) const;
  /// Records f once for each incoming gradient, calls `between`, and walks the tape once: gradients are added to those of the
  /// variables. Returns the value.
  Numbers pass(const Variables& x, std::span<const Numbers> incoming, const std::function<void()>& between = {}) const;
  /// One pass, starting from new variables.
  Sample fresh(const Numbers& incoming) const;

  static std::vector<Numbers> gradients(const Variables& x);
  /// Puts a gradient into a variable, as if left by an earlier pass.
  static void set_gradient(const AnyVarOf<R>& x, const Numbers& gradient);

 private:
  FunctionOf<R> f_;
  std::vector<AnyTensorOf<R>> inputs_;
};

/// The change in each value and gradient under random relative changes ε = `step` in all inputs and incoming gradients, divided by
/// ε: what rounding of the operands alone can cause, in units of the last place.
struct Condition {
  std::vector<double> value = {};
  std::vector<std::vector<double>> gradients = {};
};
template <RealScalar R>
Condition condition_of(const FunctionOf<R>& f, const std::vector<AnyTensor>& inputs, const Numbers& incoming, const Sample& sample,
                       double step);

/// d/dt Re Σ conj(W) f(x + t v) at t = 0 by differences, and the estimated effect of rounding on it.
struct Slope {
  double value = 0, rounding = 0;
};
Slope slope_along(const CheckedFunction& f, const std::vector<AnyTensor>& inputs, const Numbers& incoming,
                  const std::vector<Numbers>& direction);

/// Random weights for an output like y: magnitudes in [0.5, 1.5), real where y is, exactly representable in float32.
Numbers random_incoming(const AnyTensor& y, std::uint64_t seed);

}  // namespace argand
