#pragma once
/// Compares gradients under random weights of the outputs with derivatives along random directions of one input. Errors are
/// relative to that input's own gradient, however small it is compared with the others.

#include <optional>

#include "autograd/check/function/function_check.h"
#include "autograd/check/scalar_projection.h"

namespace argand {

/// The elements [first, first + count) of one input.
struct ElementRange {
  std::size_t input;
  std::int64_t first, count;
};

/// The result for one direction or one element.
struct Finding {
  Comparison values;
  Judged verdict = {};
  double excess = 0;  ///< |analytic − numerical| divided by the allowed deviation

  bool is_worse_than(const Finding& other) const;
};

class Directions {
 public:
  static constexpr std::uint64_t projections = 2;  ///< random weights of the outputs, as in GradcheckOptions

  /// Throws when two calls of the gradient at the same inputs differ.
  Directions(const ScalarProjection& projected, const FunctionCheckOptions& options);

  /// One finding per projection. Tries a few difference steps first, then more if those do not pass, and a fit if f turns out to be
  /// noisy.
  std::vector<Finding> look(const ElementRange& where) const;
  Finding worst(const ElementRange& where) const;
  /// The verdict on one element, from its worst projection; its real and imaginary parts share one verdict.
  ElementCheck element(std::size_t input, std::int64_t element) const;

  const ComplexValues& gradient(std::uint64_t projection, std::size_t input) const { return gradients_[projection][input]; }
  /// The absolute deviation allowed for this input's gradient, and the relative tolerance that it is added to.
  double absolute(std::size_t input) const;
  double tolerance(std::size_t input) const;

  /// Recomputes the gradient after calling f at another point and returns the element that changed most, if any did.
  std::optional<ElementCheck> moved() const;
  /// The noise of f relative to its values, and the precision reached despite it; 0 if f is as precise as double precision.
  double noise() const { return noise_; }
  double precision() const { return precision_; }

 private:
  std::vector<ComplexValues> direction(const ElementRange& where) const;
  /// The analytic derivative along v, without a numerical value to compare it with.
  Comparison by_gradient(const std::vector<ComplexValues>& v, const ElementRange& where, std::uint64_t projection,
                         double& size) const;
  std::vector<Finding> judged(const std::vector<ComplexValues>& v, const ElementRange& where, const RiddersOptions& ridders) const;
  /// The findings from a few steps; nullopt unless all pass.
  std::optional<std::vector<Finding>> pass_with_few_steps(const std::vector<ComplexValues>& v, const ElementRange& where) const;
  /// Compares the numerical values in c with the gradient and judges them.
  Finding of_direction(Comparison c, const std::vector<ComplexValues>& v, const ElementRange& where,
                       std::uint64_t projection) const;
  Finding of_element(Comparison c, const ElementRange& where, std::uint64_t projection) const;
  /// The findings from a fit; nullopt unless f is noisy.
  std::optional<std::vector<Finding>> judged_by_fit(const std::vector<ComplexValues>& v, const ElementRange& where) const;
  std::vector<Finding> judged_element(const ElementRange& where, const RiddersOptions& ridders) const;
  /// An inconclusive comparison passes if its error bar is narrow: a thousandth of the gradient, and half the tolerance for the
  /// largest one. Rounding in f hides the digits of gradients that are small compared with the others. The bar is reported.
  Judged relative_to_others(const Comparison& c, Judged own, std::size_t input, std::uint64_t projection) const;
  void require_deterministic() const;

  const ScalarProjection& projected_;
  const FunctionCheckOptions& options_;
  std::vector<Functional> functionals_;
  std::vector<double> sizes_;                               // √ Σ |W y|² for each projection
  std::vector<std::vector<ComplexValues>> gradients_;       // [projection][input]
  std::vector<std::vector<std::vector<double>>> rounding_;  // rounding errors of gradients_
  std::vector<std::vector<double>> scales_;                 // the largest element of each gradient
  double largest_ = 0;                                      // the largest gradient of all inputs
  mutable double noise_ = 0, precision_ = 0;
};

}  // namespace argand
