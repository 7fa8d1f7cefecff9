#pragma once
/// The interface of all optimisers, including those that combine several update rules.

#include <complex>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "autograd/parameter.h"

namespace argand {

/// The state an optimiser keeps between steps. Each tensor is named after its content and its parameter,
/// "m.blocks.0.attn.q.weight", and has the parameter's shape. It also has the parameter's scalar type, except for AdamW's second
/// moments of complex parameters under complex_moments = "modulus", which are real.
template <RealScalar R>
struct OptimizerState {
  struct Entry {
    std::string name;
    AnyTensorOf<R> value;
  };
  std::int64_t steps = 0;  ///< steps taken
  std::vector<Entry> tensors;

  /// Throws Error for an unknown name.
  const AnyTensorOf<R>& tensor(std::string_view name) const&;
  AnyTensorOf<R> tensor(std::string_view name) && { return std::as_const(*this).tensor(name); }
};

/// Changes parameters in place: a Var is a handle, so the model sees the new values.
template <RealScalar R>
class Optimizer {
 public:
  virtual ~Optimizer() = default;

  /// Takes one step with learning rate `lr`, using the gradients that the last backward passes left in the parameters. A missing
  /// gradient counts as zero: momentum and decay still apply, so leave parameters that must not change out of the list. Every
  /// gradient is multiplied by `gradient_scale` as it is read, so clipping by global norm and averaging over accumulated batches
  /// need no extra pass over memory. The gradients are not modified. Throws Error before changing any parameter if the rate is
  /// negative or not finite, or if a parameter's shape has changed.
  virtual void step(double lr, double gradient_scale = 1) = 0;
  /// Throws Error for a parameter whose shape has changed, as step() does first; a composed optimiser checks all its parts before
  /// any of them steps.
  virtual void check() const {}

  virtual OptimizerState<R> state() const = 0;
  /// Restores the state() of an optimiser of the same kind over parameters with the same names and shapes. Throws Error, changing
  /// nothing and naming the tensor, if a tensor is missing, unknown, or has a different shape or scalar type.
  virtual void load_state(const OptimizerState<R>& state) = 0;
};

/// Whether parameters of this role decay by default: only matrices and tables do.
constexpr bool is_decayed(Role role) { return role == Role::Matrix || role == Role::Embedding || role == Role::Output; }

/// The choice of optimiser and its constants. The defaults are the ComplexFormer paper's, except for the weight decay.
///
/// By default only matrices and tables decay, chosen by role (autograd/var.h): where the loss is flat, a parameter that shrinks
/// does not grow back; a gain that tends to 0 removes the output of its layer; and an angle near 0 is no better than any other.
/// With `decay = "all"`, as in the reference implementations and earlier versions of argand, every parameter decays, and Muon's
/// parameters decay at Muon's learning rate, that is, muon_lr_scale times as fast as the others.
struct OptimizerConfig {
  std::string name = "adamw";
  double beta1 = 0.9;
  double beta2 = 0.98;
  double eps = 1e-9;
  double weight_decay = 0.1;
  std::string decay = "matrices";
  std::string complex_moments = "two";
  double momentum = 0.95;
  double muon_lr_scale = 20;

  /// Calls f(key, value&, choices, help) for every key, as ModelConfig::visit does.
  template <class F>
  void visit(F&& f) {
    f("optimizer", name, "adamw|muon", "update rule; muon: Muon for hidden matrices, AdamW for the rest");
    f("beta1", beta1, "", "decay rate of the mean gradient");
    f("beta2", beta2, "", "decay rate of the mean squared gradient");
    f("eps", eps, "", "added to the denominator");
    f("weight_decay", weight_decay, "", "decoupled weight decay: each step shrinks parameters by lr * weight_decay");
    f("decay", decay, "matrices|all",
      "which parameters decay: matrices and embeddings, or all; with all, Muon's matrices decay muon_lr_scale times as fast");
    f("complex_moments", complex_moments, "two|modulus",
      "AdamW's second moments of a complex number: two for its real and imaginary parts, or one for its modulus, which is "
      "rotation-equivariant");
    f("momentum", momentum, "", "momentum of Muon");
    f("muon_lr_scale", muon_lr_scale, "", "Muon's learning rate, as a multiple of AdamW's");
  }

  /// Throws Error if an option is out of range.
  void validate() const;
};

/// Throws Error as validate() does, and if the list contains a non-variable, a duplicate or two variables with the same name.
template <RealScalar R>
std::unique_ptr<Optimizer<R>> make_optimizer(const OptimizerConfig& config, ParameterList<R> parameters);

}  // namespace argand
