#include "optim/optimizer.h"

#include "optim/adamw.h"

namespace argand {

void OptimizerConfig::validate() const {
  require(name == "adamw", "optimizer", "\"{}\" is not one of adamw", name);
  require(beta1 >= 0 && beta1 < 1, "optimizer", "beta1 must be in [0, 1), got {}", beta1);
  require(beta2 >= 0 && beta2 < 1, "optimizer", "beta2 must be in [0, 1), got {}", beta2);
  require(eps > 0, "optimizer", "eps must be positive, got {}", eps);
  require(weight_decay >= 0, "optimizer", "weight_decay must not be negative, got {}", weight_decay);
}

template <RealScalar R>
std::unique_ptr<Optimizer<R>> make_optimizer(const OptimizerConfig& config, ParameterList<R> parameters) {
  config.validate();
  return std::make_unique<AdamW<R>>(
      std::move(parameters),
      AdamWOptions{.beta1 = config.beta1, .beta2 = config.beta2, .eps = config.eps, .weight_decay = config.weight_decay});
}

#define ARGAND_MAKE_OPTIMIZER(R) template std::unique_ptr<Optimizer<R>> make_optimizer(const OptimizerConfig&, ParameterList<R>);
ARGAND_FOR_REAL(ARGAND_MAKE_OPTIMIZER)

}  // namespace argand
