#pragma once
/// AdamW: Adam with decoupled weight decay (Loshchilov and Hutter, "Decoupled weight decay regularization", ICLR 2019).
///
///     m <- m + (1 - β1) (g - m)               v <- v + (1 - β2) (g² - v)
///     p <- p (1 - lr·wd) - lr · (m / (1 - β1^t)) / (sqrt(v / (1 - β2^t)) + eps)           t = 1, 2, ...
///
/// For a complex parameter z with gradient g = dL/dx + i dL/dy (autograd/var.h), g² can be read in two ways:
///
///     two       z is the pair (x, y), each with its own second moment, v_x of (Re g)² and v_y of (Im g)². As in PyTorch.
///     modulus   one real second moment per number,  v <- v + (1 - β2) (|g|² - v),  shared by both parts of m. As in Optax.
///
/// The two differ if the plane is rotated. Let L'(z) = L(e^{-iφ} z): at z' = e^{iφ} z its gradient is e^{iφ} g, as the gradient
/// is a vector in the plane. m is linear in g and rotates with it; the decay is a real factor. |g|² does not change, so with
/// `modulus` every step rotates by φ and the trajectory of z' is that of z, rotated (phase-rotation equivariance). With `two`, v_x
/// and v_y scale the axes separately: the step depends on the orientation of the axes, unless φ is a multiple of 90°, which only
/// exchanges them. The first step shows it: with `modulus` it has length lr and the direction of -g; with `two` it is -lr (sign Re
/// g + i sign Im g).

#include "optim/optimizer.h"
#include "optim/real_view.h"

namespace argand {

/// How many second moments each complex element has; see above.
enum class ComplexMoments { Two, Modulus };

struct AdamWOptions {
  double beta1 = 0.9;
  double beta2 = 0.98;
  double eps = 1e-9;
  double weight_decay = 0.1;  ///< as in OptimizerConfig
  bool decay_all = false;     ///< decay every parameter, not only matrices and embeddings (Role)
  ComplexMoments complex_moments = ComplexMoments::Two;
};

template <RealScalar R>
class AdamW final : public Optimizer<R> {
 public:
  /// Throws Error if an option is out of range, or if the list contains a non-variable, a duplicate or two variables with the same
  /// name.
  explicit AdamW(ParameterList<R> parameters, const AdamWOptions& options = {});

  void step(double lr, double gradient_scale = 1) override;
  void check() const override;
  /// "m.NAME" and "v.NAME" for every parameter. With ComplexMoments::Modulus, the "v.NAME" of a complex parameter is real.
  OptimizerState<R> state() const override;
  void load_state(const OptimizerState<R>& state) override;

 private:
  ParameterList<R> parameters_;
  AdamWOptions options_;
  std::vector<RealBlock> blocks_;
  std::vector<AnyTensorOf<R>> m_, v_;
  std::int64_t steps_ = 0;
};

}  // namespace argand
