/// Invariances of the score λq λk cos(δ (θq - θk) + b + (m - n) ω):
///
///   - λq → s λq, λk → λk / s for any s > 0;
///   - conjugating q and k turns θ into -θ, and δ → -δ undoes it: the sign of each δ, and hence their mean, is arbitrary;
///   - with δ = 1, e^{iδθ} is q/|q|, so RoPE's invariance holds: q → c q, k → k / conj(c); with δ = 0, all phases are free.
///
/// A common phase, q → e^{iφ} q and k → e^{iφ} k, is not an invariance: phases lie in (-π, π], and when a θ crosses the cut it
/// jumps by 2π, and the cosine's argument by 2πδ. For the same reason b is not equivalent to a phase of q.

#include "nn/families/complexformer/invariances.h"

#include "nn/families/complexformer/config.h"

namespace argand {
namespace {

/// q_j → a(s) q_j, k_j → b(s) k_j for all pairs, with a new random s for each pair.
template <class F>
Invariance of_pairs(const std::string& name, const std::string& what, const ModelConfig& config, const F& factors) {
  return {name, what, [config, factors](const Weights& w, Amounts amounts) {
            for_each_block(config, [&](const std::string& block) {
              for (std::int64_t j = 0; j < w.pairs_out(block + "attn.q"); ++j) {
                const auto [q, k] = factors(amounts);
                w.scale_output(block + "attn.q", j, q);
                w.scale_output(block + "attn.k", j, k);
              }
            });
          }};
}

/// Flips every other pair of a head, the same pairs in all heads, since they may share δ.
Invariance sign_of_delta(const ModelConfig& config) {
  return {"sign of δ", "δ_j → -δ_j, q_j → conj(q_j), k_j → conj(k_j)", [config](const Weights& w, Amounts) {
            const std::int64_t n = config.d_model / config.n_heads / 2;
            for_each_block(config, [&](const std::string& block) {
              Tensor<double>& delta = w.real(block + "attn.delta");
              for (std::int64_t i = 0; i < delta.size(); ++i)
                if (i % n % 2 == 0) delta.data()[i] = -delta.data()[i];
              for (const char* layer : {"attn.q", "attn.k"})
                for (std::int64_t j = 0; j < w.pairs_out(block + layer); ++j)
                  if (j % n % 2 == 0) w.conjugate_output(block + layer, j);
            });
          }};
}

}  // namespace

std::vector<Invariance> complexformer_invariances(const ModelConfig& config) {
  std::vector<Invariance> all = decoder_invariances(config);
  using Factors = std::pair<Weights::C, Weights::C>;
  switch (config.own<ComplexFormerConfig>().adaptation) {
    case Adaptation::Fixed: return joined(std::move(all), {queries_against_keys(config)});
    case Adaptation::Magnitudes:
    case Adaptation::Bias:
      return joined(std::move(all),
                    {of_pairs("phases of q and k", "q_j → s e^{iφ} q_j, k_j → e^{iψ} k_j / s", config, [](Amounts& amounts) {
                      const double s = amounts.factor();
                      return Factors(std::polar(s, amounts.between(-3.1, 3.1)), std::polar(1 / s, amounts.between(-3.1, 3.1)));
                    })});
    default: break;
  }
  all.push_back(of_pairs("modulus of q against k", "q_j → s q_j, k_j → k_j / s, s > 0", config, [](Amounts& amounts) {
    const double s = amounts.factor();
    return Factors(s, 1 / s);
  }));
  all.push_back(sign_of_delta(config));
  return all;
}

}  // namespace argand
