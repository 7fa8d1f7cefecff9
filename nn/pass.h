#pragma once
/// One forward pass: whether it trains, and where it stands among the places that drop activations.

#include "core/random.h"
#include "nn/layers/dropout.h"
#include "nn/model.h"

namespace argand {

class ForwardPass {
 public:
  ForwardPass(const ForwardContext& context, double dropout) : context_(context), dropout_(context.training ? dropout : 0) {}

  const ForwardContext& context() const { return context_; }
  /// Probability of dropping; 0 outside training.
  double dropout() const { return dropout_; }
  /// The random numbers of the next place: a pure function of (seed, step, place), so a resumed run drops the same activations.
  /// Throws without a step.
  Random next_random() {
    require(context_.step.has_value(), "dropout",
            "training needs ForwardContext::step; without it every step drops the same activations");
    return dropout_random(context_.seed, *context_.step, place_++);
  }

  /// x with dropout, at the next place.
  template <Scalar T>
  Var<T> drop(const Var<T>& x);

 private:
  ForwardContext context_;
  double dropout_;
  std::uint64_t place_ = 0;
};

}  // namespace argand
