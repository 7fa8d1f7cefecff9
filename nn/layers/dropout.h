#pragma once
/// Dropout as a layer: active during a TrainingStep, the identity otherwise.

#include "autograd/ops/elementwise/dropout.h"

#include "nn/module.h"

namespace argand {

/// The random numbers for a mask: a pure function of the run's seed, the training step, and the mask's index in the pass.
inline Random dropout_random(std::uint64_t seed, std::uint64_t step, std::uint64_t place) {
  return Random(seed ^ 0xD20D0u, step << 16 | place);
}

/// Puts the current thread in training mode for its lifetime. Dropout masks are a pure function of (seed, step, layer's index in
/// the pass, element), so a resumed run drops the same activations, as does a second pass with a new TrainingStep.
///
///     const TrainingStep training(step);
///     backward(loss(net(x)));
class TrainingStep {
 public:
  explicit TrainingStep(std::uint64_t step, std::uint64_t seed = 0);
  ~TrainingStep();
  TrainingStep(const TrainingStep&) = delete;
  TrainingStep& operator=(const TrainingStep&) = delete;

  /// The innermost TrainingStep of this thread, or null.
  static TrainingStep* current();
  /// Random numbers for the next dropout layer of the pass.
  Random next_random() { return dropout_random(seed_, step_, place_++); }

 private:
  std::uint64_t step_, seed_, place_ = 0;
  TrainingStep* outer_;
};

/// During a TrainingStep, every element is zeroed with probability p, and the others are divided by 1 - p; complex elements are
/// dropped as a whole. Throws unless 0 <= p < 1. Source: Srivastava et al., JMLR 15 (2014), 1929.
template <RealScalar R>
class Dropout final : public Module<R> {
 public:
  explicit Dropout(double p) : p_(p) { require(p >= 0 && p < 1, "Dropout", "p must be in [0, 1), got {}", p); }
  template <Scalar T>
  Var<T> operator()(const Var<T>& x) const {
    TrainingStep* step = TrainingStep::current();
    return step != nullptr && p_ > 0 ? dropout(x, p_, true, step->next_random()) : x;
  }
  void visit(const Visit<R>&) const override {}

 private:
  double p_;
};

}  // namespace argand
