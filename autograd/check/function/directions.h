#pragma once
/// Gradients under random weights of the outputs, beside derivatives along random directions of one input: what a direction shows
/// is measured by that input's own gradient, however small it is beside the others'.

#include <optional>

#include "autograd/check/function/function_check.h"
#include "autograd/check/scalar_projection.h"

namespace argand {

/// Elements [first, first + count) of one input.
struct Stretch {
  std::size_t input;
  std::int64_t first, count;
};

/// What was found along one direction, or of one element.
struct Finding {
  Comparison values;
  Judged verdict = {};
  double excess = 0;  ///< |analytic − numerical| in units of what would pass

  bool is_worse_than(const Finding& other) const;
};

class Directions {
 public:
  static constexpr std::uint64_t projections = 2;  ///< random weights of the outputs, as in GradcheckOptions

  /// Throws where two calls of the gradient at the same inputs differ.
  Directions(const ScalarProjection& projected, const FunctionCheckOptions& options);

  /// One finding a projection, by few steps first, by more where those do not pass, and by a fit where f turns out to be noisy.
  std::vector<Finding> look(const Stretch& where) const;
  Finding worst(const Stretch& where) const;
  /// One element, of which real and imaginary part have one verdict, in its worst projection.
  ElementCheck element(std::size_t input, std::int64_t element) const;

  const ComplexValues& gradient(std::uint64_t projection, std::size_t input) const { return gradients_[projection][input]; }
  /// By how much a gradient of this input may differ beside its relative tolerance, and that.
  double absolute(std::size_t input) const;
  double tolerance(std::size_t input) const;

  /// The gradient after f was called elsewhere, where it is another one than before: which element moved most.
  std::optional<ElementCheck> moved() const;
  /// The noise of f relative to its values, and how well it was judged: 0 where f is as precise as double precision.
  double noise() const { return noise_; }
  double precision() const { return precision_; }

 private:
  std::vector<ComplexValues> direction(const Stretch& where) const;
  /// The gradient along v beside nothing yet.
  Comparison by_gradient(const std::vector<ComplexValues>& v, const Stretch& where, std::uint64_t projection, double& size) const;
  std::vector<Finding> judged(const std::vector<ComplexValues>& v, const Stretch& where, const RiddersOptions& ridders) const;
  /// nullopt where they do not all pass.
  std::optional<std::vector<Finding>> passes_by_few_steps(const std::vector<ComplexValues>& v, const Stretch& where) const;
  /// What is known numerically, beside the gradient.
  Finding of_direction(Comparison c, const std::vector<ComplexValues>& v, const Stretch& where, std::uint64_t projection) const;
  Finding of_element(Comparison c, const Stretch& where, std::uint64_t projection) const;
  /// nullopt where f is as precise as it should be.
  std::optional<std::vector<Finding>> judged_by_fit(const std::vector<ComplexValues>& v, const Stretch& where) const;
  std::vector<Finding> judged_element(const Stretch& where, const RiddersOptions& ridders) const;
  /// What is inconclusive by itself passes where its own bar is narrow, a thousandth, and as narrow as those of larger gradients:
  /// of a gradient that is small beside the others', f's rounding hides digits. The bar is reported.
  Judged beside_others(const Comparison& c, Judged own, std::size_t input, std::uint64_t projection) const;
  void require_same_twice() const;

  const ScalarProjection& projected_;
  const FunctionCheckOptions& options_;
  std::vector<Functional> functionals_;
  std::vector<double> sizes_;                               // Σ |W y| of each projection
  std::vector<std::vector<ComplexValues>> gradients_;       // [projection][input]
  std::vector<std::vector<std::vector<double>>> rounding_;  // of these
  std::vector<std::vector<double>> scales_;                 // largest of each of these
  double largest_ = 0;                                      // gradient of all inputs
  mutable double noise_ = 0, precision_ = 0;
};

}  // namespace argand
