#pragma once
/// Checks a function and its gradients, computed on this library's tape, in another program or in another language: first along
/// random directions of each input, at the same cost for a million elements as for one; if that does not pass, element by
/// element; then at a second point, and again after calling f at another point.
///
///     const Report report = check_function({value, gradients}, {z});
///     if (!report.ok()) fmt::print("{}", report_text(report));

#include <optional>

#include "autograd/gradcheck.h"

namespace argand {

/// The two conventions for the gradient of a real L with respect to z = x + iy.
enum class Convention {
  Conjugate,  ///< ∂L/∂x + i ∂L/∂y, steepest ascent: PyTorch, TensorFlow, argand
  Plain,      ///< the conjugate, ∂L/∂x − i ∂L/∂y = 2 ∂L/∂z; for outputs, W is conjugated as well: JAX
};

struct FunctionCheckOptions {
  std::string name = "function";              ///< prefix of the report
  std::vector<std::string> input_names = {};  ///< one per input; "input 0", ... if empty
  double tolerance = 1e-8;                    ///< relative error, as in GradcheckOptions
  std::vector<double> tolerances = {};        ///< one per input, overriding `tolerance`
  std::vector<double> absolute = {};          ///< one per input: additional absolute deviation allowed for an element
  /// The relative error of the values of f; 0 if they are exact. If nullopt, it is measured when the differences do not pass; a
  /// function noisier than double precision is then judged by a fit (noisy_slope.h), and a note states the precision reached.
  std::optional<double> noise = {};
  bool every_element = false;
  bool second_point = true;  ///< also checks directions at a second point
  Convention convention = Convention::Conjugate;
  std::uint64_t seed = 0x6C4D;
  /// If an input has more elements than this, faulty ones are found by bisecting directions, and only some of their neighbours are
  /// judged one by one. (every_element judges all.)
  std::int64_t most_elements = 200;
};

/// Thrown by a function that may not be called again: the check ends with the results so far.
struct BudgetExceeded {
  std::string why;  ///< "the budget of 1000 calls is used up"
};

/// One row per input. An input that passes the difference test but fails an independent check is inconclusive. f.gradients is in
/// options.convention. Throws when two calls at the same inputs differ. f is never called with a NaN. A forward derivative that
/// contradicts both the differences and the gradient is itself wrong: a note says so. At a kink a gradient fails only if it does
/// not lie between the one-sided derivatives.
Report check_function(const DifferentiableFunction& f, const std::vector<AnyTensor>& inputs,
                      const FunctionCheckOptions& options = {});

}  // namespace argand
