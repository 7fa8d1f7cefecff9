#pragma once
/// The state of one forward pass: the training mode and the index of the next dropout site.

#include "core/random.h"
#include "nn/layers/dropout.h"
#include "nn/model.h"

namespace argand {

class ForwardPass {
 public:
  ForwardPass(const ForwardContext& context, double dropout) : context_(context), dropout_(context.training ? dropout : 0) {}

  const ForwardContext& context() const { return context_; }
  /// Dropout probability; 0 outside training.
  double dropout() const { return dropout_; }
  /// The random numbers of the next dropout site: a pure function of (seed, step, site), so a resumed run drops the same
  /// activations. Throws if the context has no step.
  Random next_random() {
    require(context_.step.has_value(), "dropout",
            "training needs ForwardContext::step; without it, every step would drop the same activations");
    return dropout_random(context_.seed, *context_.step, place_++);
  }

  /// Applies dropout to x at the next dropout site.
  template <Scalar T>
  Var<T> drop(const Var<T>& x);

 private:
  ForwardContext context_;
  double dropout_;
  std::uint64_t place_ = 0;
};

}  // namespace argand
