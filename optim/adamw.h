#pragma once
/// AdamW: Adam with decoupled weight decay (Loshchilov and Hutter, "Decoupled weight decay regularization", ICLR 2019).
///
///     m <- m + (1 - β1) (g - m)               v <- v + (1 - β2) (g² - v)
///     p <- p (1 - lr·wd) - lr · (m / (1 - β1^t)) / (sqrt(v / (1 - β2^t)) + eps)           t = 1, 2, ...
///
/// A complex parameter is a pair of reals: real and imaginary part have second moments of their own, so the step is
/// not equivariant under rotations of the plane. It is what PyTorch does.

#include "optim/optimizer.h"
#include "optim/real_view.h"

namespace argand {

struct AdamWOptions {
  double beta1 = 0.9;
  double beta2 = 0.98;
  double eps = 1e-9;
  double weight_decay = 0.01;  ///< on every parameter, gains and biases too
};

template <RealScalar R>
class AdamW final : public Optimizer<R> {
 public:
  AdamW(ParameterList<R> parameters, const AdamWOptions& options);

  void step(double lr, double gradient_scale = 1) override;
  /// "m.NAME" and "v.NAME" for every parameter.
  OptimizerState<R> state() const override;
  void load_state(const OptimizerState<R>& state) override;

 private:
  ParameterList<R> parameters_;
  AdamWOptions options_;
  std::vector<RealBlock> blocks_;
  std::vector<AnyTensorOf<R>> m_, v_;  // as the parameters
  std::int64_t steps_ = 0;
};

}  // namespace argand
