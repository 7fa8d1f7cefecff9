#pragma once
/// A function and the gradients that somebody computes of it, on this library's tape, in another program or another language: first
/// along random directions, which costs as little for a million inputs as for one; where that does not pass, element by element.
///
///     const Report report = check_function({value, gradients}, {z});
///     if (!report.ok()) fmt::print("{}", report_text(report));

#include "autograd/gradcheck.h"

namespace argand {

/// What is called the gradient of a real L by z = x + iy.
enum class Convention {
  Conjugate,  ///< ∂L/∂x + i ∂L/∂y, steepest ascent: PyTorch, TensorFlow, argand
  Plain,      ///< ∂L/∂x − i ∂L/∂y = 2 ∂L/∂z, its conjugate, and for outputs the conjugate of W as well: JAX
};

struct FunctionCheckOptions {
  std::string name = "function";              ///< opens the report
  std::vector<std::string> input_names = {};  ///< one an input; "input 0", ... where there are none
  double tolerance = 1e-8;                    ///< relative error, as in GradcheckOptions
  bool every_element = false;
  Convention convention = Convention::Conjugate;
  std::uint64_t seed = 0x6C4D;
  /// With more elements than this, those at fault are looked for by halving directions, and only some neighbours are judged each by
  /// itself. (every_element judges all.)
  std::int64_t most_elements = 200;
};

/// One row an input. What passes before differences and not before an independent check is inconclusive.
/// f.gradients is in options.convention. Throws when two calls at the same inputs differ.
/// At a kink a gradient fails only when it does not lie between the one-sided derivatives.
Report check_function(const DifferentiableFunction& f, const std::vector<AnyTensor>& inputs,
                      const FunctionCheckOptions& options = {});

}  // namespace argand
