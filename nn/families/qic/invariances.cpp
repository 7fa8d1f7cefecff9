/// Invariances of QIC and the other models in its table. Multiplication commutes, so (a q)(a⁻¹ k) = q k for any a with an inverse
/// in the head's algebra. The score is a magnitude, so if magnitudes are multiplicative, a factor of magnitude 1 has no effect. θ
/// acts only through κ = -1 + sin 2θ, which is the same for π/2 - θ, so the side of π/4 on which an angle ends up is arbitrary.

#include "nn/families/qic/checks.h"

#include <numbers>

#include "nn/families/qic/config.h"

namespace argand {
namespace {

using C = Weights::C;

/// Multiplies output j of a layer of QIC numbers by a, using the given algebra.
void multiply_output(const Weights& w, const std::string& layer, std::int64_t j, C a, const QicAlgebra<double>& algebra) {
  Tensor<C>& W = w.complex(layer + ".weight");
  for (std::int64_t i = 0; i < W.dim(1); ++i) W(j, i) = algebra.product(a, W(j, i));
  C& bias = w.complex(layer + ".bias").data()[j];
  bias = algebra.product(a, bias);
}

/// The algebra of this head in this block.
QicAlgebra<double> algebra_of(const QicConfig& own, const Weights& w, const std::string& block, std::int64_t head) {
  if (own.algebra != Algebra::Qic) return QicAlgebra<double>(0);
  if (own.theta == AngleOwner::Fixed) return QicAlgebra<double>(own.theta_init);
  const Tensor<double>& theta = w.real(block + "attn.theta");
  return QicAlgebra<double>(theta.data()[theta.size() == 1 ? 0 : head]);
}

/// Calls f(block, j, algebra) for every number j in the output of q.
template <class F>
void for_each_number(const ModelConfig& config, const Weights& w, const F& f) {
  const std::int64_t n = config.d_model / 2;
  for_each_block(config, [&](const std::string& block) {
    for (std::int64_t j = 0; j < n; ++j) f(block, j, algebra_of(config.own<QicConfig>(), w, block, j / (n / config.n_heads)));
  });
}

Invariance numbers_of_queries(const ModelConfig& config) {
  return {"q against k", "q_j → a q_j, k_j → a⁻¹ k_j", [config](const Weights& w, Amounts amounts) {
            for_each_number(config, w, [&](const std::string& block, std::int64_t j, const QicAlgebra<double>& algebra) {
              const C a(amounts.between(0.6, 1.7), amounts.between(-1, 1));
              C inverse = algebra.conjugate(a) / algebra.norm(a);
              if (config.own<QicConfig>().conjugate_keys) inverse = algebra.conjugate(inverse);
              multiply_output(w, block + "attn.q", j, a, algebra);
              multiply_output(w, block + "attn.k", j, inverse, algebra);
            });
          }};
}

/// |u q k| = |u| |q k| if magnitudes are multiplicative: multiplies all queries of a head by the same u of magnitude 1.
Invariance unit_of_queries(const ModelConfig& config) {
  return {"a unit of q", "q → u q, |u| = 1, all of a head", [config](const Weights& w, Amounts amounts) {
            const C direction(amounts.between(0.3, 1), amounts.between(0.3, 1));
            for_each_number(config, w, [&](const std::string& block, std::int64_t j, const QicAlgebra<double>& algebra) {
              multiply_output(w, block + "attn.q", j, direction / std::sqrt(algebra.norm(direction)), algebra);
            });
          }};
}

Invariance mirrored_angles(const ModelConfig& config) {
  return {"angles about π/4", "θ → π/2 - θ", [config](const Weights& w, Amounts) {
            const auto mirror = [&](const std::string& name) {
              for (double& theta : w.real(name).span()) theta = std::numbers::pi / 2 - theta;
            };
            mirror("theta");
            for_each_block(config, [&](const std::string& block) { mirror(block + "theta"), mirror(block + "attn.theta"); });
          }};
}

Invariance gates(const ModelConfig& config) {
  return {"phase gates", "φ_j → φ_j + α, (W x + b)_j → e^{-iα} (W x + b)_j", [config](const Weights& w, Amounts amounts) {
            for_each_block(config, [&](const std::string& block) {
              for (const char* layer : {"attn.q", "attn.k", "attn.v", "attn.o", "ffn.up", "ffn.down"})
                for (std::int64_t j = 0; j < w.pairs_out(block + layer); ++j) {
                  const double angle = amounts.between(-3.1, 3.1);
                  w.real(block + layer + ".phase").data()[j] += angle;
                  w.scale_output(block + layer, j, std::polar(1.0, -angle));
                }
            });
          }};
}

}  // namespace

std::vector<Invariance> qic_invariances(const ModelConfig& config) {
  const auto& own = config.own<QicConfig>();
  std::vector<Invariance> all = {common_logit(), words_against_positions(1)};
  if (own.algebra == Algebra::Quaternion) return all;
  if (own.is_real())
    return joined(std::move(all), {values_against_outputs(config), queries_against_keys(config), bias_of_keys(config)});
  all = joined(std::move(all),
               {values_against_outputs(config, true), norm_against_readers(config, "norm1", {"attn.q", "attn.k", "attn.v"}),
                norm_against_readers(config, "norm2", {"ffn.up"}), last_norm_against_head("norm"), numbers_of_queries(config)});
  if (own.algebra != Algebra::Qic || own.magnitude == Magnitude::Algebraic) all.push_back(unit_of_queries(config));
  if (own.algebra == Algebra::Qic && own.theta != AngleOwner::Fixed) all.push_back(mirrored_angles(config));
  if (own.algebra == Algebra::PhaseGates) all.push_back(gates(config));
  return all;
}

}  // namespace argand
