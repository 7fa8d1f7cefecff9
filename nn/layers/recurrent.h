#pragma once
/// Recurrent cells: one step, from x_t and h_(t-1) to h_t. The caller loops over time; the tape keeps every step.

#include "nn/init.h"
#include "nn/layers.h"

namespace argand {

/// h' = tanh(W x + U h + b); for complex cells, h' = modReLU(W x + U h; c). U is initially orthogonal or unitary, so that the state
/// neither grows nor decays before training. Sources: Elman, Cognitive Science 14 (1990), 179; Arjovsky, Shah, Bengio,
/// arXiv:1511.06464, section 4.
template <Scalar T>
class RnnCell final : public Module<RealOf<T>> {
 public:
  RnnCell(Init& init, std::int64_t in, std::int64_t state);
  /// x [B, in], h [B, state] -> [B, state].
  Var<T> operator()(const Var<T>& x, const Var<T>& h) const;
  /// The initial state: zeros [B, state].
  Var<T> initial(std::int64_t B) const { return Var<T>(Tensor<T>::zeros({B, bias.size()})); }
  ARGAND_FIELDS(RealOf<T>, input, state, bias)

  Linear<T> input, state;
  Var<RealOf<T>> bias;  ///< b, or c, [state]
};

/// Gated recurrent unit,
///
///     r = g(W_r x + U_r h + b_r),  z = g(W_z x + U_z h + b_z),  n = f(W_n x + U_n (r h) + b_n),  h' = z h + (1 - z) n,
///
/// where r and z are real: g(a) = σ(a), f = tanh. For complex cells, g(a) = σ(½(Re a + Im a)), so that a gate scales each component
/// of the state and never rotates it, and f = modReLU with a threshold per component. U_n is initially orthogonal or unitary.
/// Sources: Cho et al., arXiv:1406.1078, eq. 5 to 8; complex: Wolter and Yao, arXiv:1806.08267, section 4.
template <Scalar T>
class GruCell final : public Module<RealOf<T>> {
 public:
  GruCell(Init& init, std::int64_t in, std::int64_t state);
  /// x [B, in], h [B, state] -> [B, state].
  Var<T> operator()(const Var<T>& x, const Var<T>& h) const;
  /// The initial state: zeros [B, state].
  Var<T> initial(std::int64_t B) const { return Var<T>(Tensor<T>::zeros({B, state_.weight.dim(0)})); }
  ARGAND_FIELDS(RealOf<T>, gates_input_, gates_state_, input_, state_, threshold_)

 private:
  Linear<T> gates_input_, gates_state_;  ///< r and z together: [2 state, in], [2 state, state]
  Linear<T> input_, state_;
  std::optional<Var<RealOf<T>>> threshold_;  ///< complex cells only
};

}  // namespace argand
