#pragma once
/// Several optimisers combined into one, each with a list of parameters and a multiplier of the learning rate.

#include "optim/optimizer.h"

namespace argand {

template <RealScalar R>
class Composed final : public Optimizer<R> {
 public:
  struct Part {
    std::unique_ptr<Optimizer<R>> optimizer;
    double lr_scale = 1;
  };
  /// The states of the parts must not share any names.
  explicit Composed(std::vector<Part> parts) : parts_(std::move(parts)) {}

  void step(double lr, double gradient_scale = 1) override;
  void check() const override;
  OptimizerState<R> state() const override;
  void load_state(const OptimizerState<R>& state) override;

 private:
  std::vector<Part> parts_;
};

}  // namespace argand
