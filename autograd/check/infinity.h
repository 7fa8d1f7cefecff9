#pragma once
/// Measures the effect of infinite inputs on an op: runs the cases of its check with ±inf at one position after another.

#include <complex>
#include <functional>
#include <optional>
#include <string>

#include "autograd/check/usage/usage_pass.h"
#include "autograd/op.h"
#include "autograd/op_check.h"

namespace argand {

/// Which non-finite values occurred. A complex number with an infinite part is infinite, even if the other part is NaN.
struct NotFinite {
  bool infinite = false, nan = false;
  void add(std::complex<double> z);
  void add(const NotFinite& other);
  bool none() const { return !infinite && !nan; }
  /// "stays finite", "may be infinite or NaN", ...
  std::string str() const;
};

/// The results over all positions in the inputs of one type.
struct InfiniteInputs {
  NotFinite value, gradient;
  bool refused = false;  ///< the op throws an Error for some positions
  int tried = 0;
};

/// Value and derivative of a real function of one number at inf and at -inf.
struct Limits {
  double value, derivative, value_below, derivative_below;
};

struct InfinityReport {
  std::optional<Limits> limits;  ///< for an op that maps real numbers one by one, if the same in every case
  InfiniteInputs real, complex;

  /// "x = inf: value 1, gradient 0. x = -inf: value 0, gradient 0. An infinite complex input: the value may be NaN, ..."
  std::string text() const;
};

/// Runs the cases of the op's check in precision R.
template <RealScalar R>
InfinityReport at_infinity(const Op& op);

/// An input element that was replaced by an infinity.
struct InfinitePlace {
  std::size_t input, element;
  std::complex<double> number;
  bool is_complex;
};

/// Runs one case with ±inf at some positions in each of its inputs, in either part of a complex number: visit(place, value and
/// gradients), with no sample if the case throws an Error.
template <RealScalar R>
void put_infinities(const OpCheck::Case& c, const std::function<void(const InfinitePlace&, const Sample*)>& visit);

}  // namespace argand
