#pragma once
/// Muon: momentum with orthogonalised steps (Jordan et al., "Muon: an optimizer for hidden layers in neural networks", 2024).
///
///     buf <- buf + (1 - μ)(g - buf),  u = g + μ (buf - g)                              (Nesterov)
///     X = u/(‖u‖_F + 1e-7);  five times  S = X Xᴴ,  X <- a X + (b S + c S²) X          (a, b, c) = (3.4445, -4.7750, 2.0315)
///     p <- p (1 - lr·wd) - lr · sqrt(max(1, out/in)) · X
///
/// The iteration drives all singular values towards 1, so X approaches the polar factor of u. A complex matrix [m, n] represents
/// the real 2×2-block matrix [[Re, -Im], [Im, Re]]: the iteration is the same with conjugate transposes and ‖·‖_F times sqrt 2, the
/// norm of the block form.

#include "optim/optimizer.h"

namespace argand {

struct MuonOptions {
  double momentum = 0.95;
  double weight_decay = 0.1;
};

/// The approximate polar factor of u [m, n], real or complex, by `steps` Newton-Schulz iterations in the wide orientation.
template <Scalar T>
Tensor<T> newton_schulz(const Tensor<T>& u, int steps = 5);

/// True only for hidden matrices with two axes. Everything else, including tables and the output layer, should use AdamW.
bool is_muon_parameter(Role role, const Shape& shape);

template <RealScalar R>
class Muon final : public Optimizer<R> {
 public:
  /// Throws Error unless every parameter is a matrix.
  explicit Muon(ParameterList<R> matrices, const MuonOptions& options = {});

  void step(double lr, double gradient_scale = 1) override;
  void check() const override;
  /// "buf.NAME" for every parameter.
  OptimizerState<R> state() const override;
  void load_state(const OptimizerState<R>& state) override;

 private:
  ParameterList<R> parameters_;
  MuonOptions options_;
  std::vector<AnyTensorOf<R>> buf_;  // same shapes as the parameters
  std::int64_t steps_ = 0;
};

}  // namespace argand
