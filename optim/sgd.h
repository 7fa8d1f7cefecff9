#pragma once
/// Gradient descent with momentum (Polyak, "Some methods of speeding up the convergence of iteration methods", 1964), optionally
/// Nesterov's, in the form of Sutskever et al., "On the importance of initialization and momentum in deep learning", ICML 2013,
/// in PyTorch's notation.
///
///     buf <- μ buf + g                       u = buf,  or  g + μ buf  (Nesterov)
///     p <- p (1 - lr·wd) - lr · u
///
/// For a constant gradient, momentum makes steps 1/(1 - μ) times as large. Complex parameters need no special rule: every line is
/// linear in g with real factors, so the pair (x, y) and the number x + iy take the same steps, which rotate with the plane.

#include "optim/optimizer.h"

namespace argand {

struct SgdOptions {
  double momentum = 0.9;
  bool nesterov = false;
  double weight_decay = 0;  ///< for matrices and embeddings (Role), decoupled
};

template <RealScalar R>
class Sgd final : public Optimizer<R> {
 public:
  /// Throws Error if an option is out of range, for Nesterov without momentum, or if the list contains a non-variable, a duplicate
  /// or two variables with the same name.
  Sgd(ParameterList<R> parameters, const SgdOptions& options);

  void step(double lr, double gradient_scale = 1) override;
  void check() const override;
  /// "buf.NAME" for every parameter.
  OptimizerState<R> state() const override;
  void load_state(const OptimizerState<R>& state) override;

 private:
  ParameterList<R> parameters_;
  SgdOptions options_;
  std::vector<AnyTensorOf<R>> buf_;  // same shapes as the parameters
  std::int64_t steps_ = 0;
};

}  // namespace argand
