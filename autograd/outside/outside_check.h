#pragma once
/// Gradients that somebody else computed, another program or another language, before the same judge: first along random
/// directions, which costs as little for a million inputs as for one; where that does not pass, element by element.
///
///     const OutsideReport report = check_outside({value, gradients}, {z});
///     if (report.verdict == Verdict::Fail) fmt::print("{}\n", report.diagnosis);

#include <optional>

#include "autograd/gradcheck.h"

namespace argand {

/// What is called the gradient of a real L by z = x + iy.
enum class Convention {
  Conjugate,  ///< ∂L/∂x + i ∂L/∂y, steepest ascent: PyTorch, TensorFlow, argand
  Plain,      ///< ∂L/∂x − i ∂L/∂y = 2 ∂L/∂z, its conjugate, and for outputs the conjugate of W as well: JAX
};

struct OutsideOptions {
  double tolerance = 1e-8;  ///< relative error, as in GradcheckOptions
  bool every_element = false;
  Convention convention = Convention::Conjugate;
  std::uint64_t seed = 0x6C4D;
  /// With more elements than this, those at fault are looked for by halving directions, and only some neighbours are judged each by
  /// itself. (every_element judges all.)
  std::int64_t most_elements = 200;
};

/// One input. `elements` are those that were judged one by one, with errors relative to the largest gradient among them: none where
/// directions decided.
struct OutsideInput {
  Verdict verdict = Verdict::Pass;  ///< of the worst element or direction
  std::vector<ElementCheck> elements = {};
  std::string diagnosis = {};  ///< what a failure looks like, "the gradient looks conjugated"
};

struct OutsideReport {
  /// Pass, Fail or Inconclusive: at kinks and cuts there is no derivative to compare with.
  Verdict verdict = Verdict::Inconclusive;
  std::vector<OutsideInput> inputs = {};
  std::vector<Comparison> directions = {};  ///< dL/dt along random directions of all inputs: `analytic` and `numerical` are real
  std::string diagnosis = {};               ///< of the first input that failed; or that it is right in the other convention
  std::optional<ElementCheck> worst = {};   ///< among the elements with the worst verdict
  /// Differences, adjoint, taylor, complex step. What passes before differences and not before another is inconclusive.
  std::vector<Witness> witnesses = {};
};

/// f.gradients is in options.convention. Throws when two calls at the same inputs differ.
/// At a kink a gradient fails only when it does not lie between the one-sided derivatives.
OutsideReport check_outside(const Examined& f, const std::vector<AnyTensor>& inputs, const OutsideOptions& options = {});

}  // namespace argand
