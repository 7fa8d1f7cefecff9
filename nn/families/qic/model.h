#pragma once
/// QIC: a transformer over numbers a + bJ, J² = κ(θ), with learnable angles θ, and those models in its paper's table that differ
/// only in the algebra: complex numbers (plain, or with phase gates) and quaternions.

#include <variant>

#include "nn/families/qic/qic_block.h"
#include "nn/text_model.h"

namespace argand {

/// x = E[tokens] + P[positions]; blocks; norm; logits = the part of W x without J, plus b, in the algebra of the model's θ. For QIC
/// this part is W_a x_a + κ W_b x_b: a real product with the pairs (x_a, κ x_b). E, P and W contain numbers of the algebra; b is
/// real. There is one angle for the model, one per block and one per head: 1 + layers (1 + heads) parameters, or 1 + 2 layers if
/// heads share an angle (`theta: global`).
///
/// The other algebras have θ = 0 and the Euclidean magnitude; everything else is the same. The paper does not define its other
/// models; here phase gates follow every linear layer of the blocks (in the output layer a gate would only rotate rows of W), and
/// quaternion heads score by Hamilton's product.
template <RealScalar R>
class Qic final : public TextModel<R> {
 public:
  Qic(const ModelConfig& config, std::uint64_t seed);
  void visit(const Visit<R>& f) const override;

 protected:
  Var<R> hidden(const Ids& tokens, AttentionPass<R> pass, typename TextModel<R>::LayerCaches* caches) const override;
  OutputLayer<R> output() const override;

 private:
  /// A table of numbers. Two-component numbers are stored as complex parameters, quaternions as real ones.
  class Table final : public Module<R> {
   public:
    Table(Init& init, Role role, Algebra algebra, std::int64_t count, std::int64_t d_model, double std);
    Var<R> real() const;                      ///< [count, d_model]
    Var<R> operator()(const Ids& ids) const;  ///< [...] -> [..., d_model]
    void visit(const Visit<R>& f) const override;

   private:
    std::variant<Var<std::complex<R>>, Var<R>> weight_;
  };

  QicConfig own_;
  Init init_;
  Var<R> theta_;
  Table embedding_, position_;
  std::vector<std::unique_ptr<QicBlock<R>>> blocks_;
  MagnitudeNorm<R> norm_;
  Table head_;
  Var<R> head_bias_;
};

}  // namespace argand
