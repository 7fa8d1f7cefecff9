#include "optim/optimizer.h"

#include "optim/adamw.h"
#include "optim/composed.h"
#include "optim/muon.h"

namespace argand {

void OptimizerConfig::validate() const {
  require(name == "adamw" || name == "muon", "optimizer", "\"{}\" is not one of adamw|muon", name);
  require(beta1 >= 0 && beta1 < 1, "optimizer", "beta1 must be in [0, 1), got {}", beta1);
  require(beta2 >= 0 && beta2 < 1, "optimizer", "beta2 must be in [0, 1), got {}", beta2);
  require(eps > 0, "optimizer", "eps must be positive, got {}", eps);
  require(weight_decay >= 0, "optimizer", "weight_decay must not be negative, got {}", weight_decay);
  require(decay == "matrices" || decay == "all", "optimizer", "decay: \"{}\" is not one of matrices|all", decay);
  require(complex_moments == "two" || complex_moments == "modulus", "optimizer",
          "complex_moments: \"{}\" is not one of two|modulus", complex_moments);
  require(momentum >= 0 && momentum < 1, "optimizer", "momentum must be in [0, 1), got {}", momentum);
  require(muon_lr_scale > 0, "optimizer", "muon_lr_scale must be positive, got {}", muon_lr_scale);
}

template <RealScalar R>
std::unique_ptr<Optimizer<R>> make_optimizer(const OptimizerConfig& config, ParameterList<R> parameters) {
  config.validate();
  const AdamWOptions adamw{.beta1 = config.beta1,
                           .beta2 = config.beta2,
                           .eps = config.eps,
                           .weight_decay = config.weight_decay,
                           .decay_all = config.decay == "all",
                           .complex_moments = config.complex_moments == "two" ? ComplexMoments::Two : ComplexMoments::Modulus};
  if (config.name == "adamw") return std::make_unique<AdamW<R>>(std::move(parameters), adamw);

  ParameterList<R> hidden, rest;
  for (const Parameter<R>& p : parameters) (is_muon_parameter(p.role(), p.shape()) ? hidden : rest).push_back(p);
  std::vector<typename Composed<R>::Part> parts;
  const double muon_decay = adamw.decay_all ? config.weight_decay : config.weight_decay / config.muon_lr_scale;
  parts.push_back({std::make_unique<Muon<R>>(hidden, MuonOptions{.momentum = config.momentum, .weight_decay = muon_decay}),
                   config.muon_lr_scale});
  parts.push_back({std::make_unique<AdamW<R>>(rest, adamw), 1});
  return std::make_unique<Composed<R>>(std::move(parts));
}

#define ARGAND_MAKE_OPTIMIZER(R) template std::unique_ptr<Optimizer<R>> make_optimizer(const OptimizerConfig&, ParameterList<R>);
ARGAND_FOR_REAL(ARGAND_MAKE_OPTIMIZER)

}  // namespace argand
