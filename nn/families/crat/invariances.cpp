/// Invariances of CRAT, without a window and with one.
///
///   - Angular scores use only unit phasors, so the moduli of q_j and k_j are arbitrary, as is a common phase. (There is no branch
///     cut: cos(θq - θk) is computed from the phasors.) Dot products have RoPE's invariance.
///   - A change in ϑ's bias rotates z_j, just as a phase factor on (W_re + i W_im)_j does.
///   - Without a window, the choice of real and imaginary axes is arbitrary: a phase factor e^{iφ_j} on component j of all states
///     changes nothing if every layer that writes the states applies it and every layer that reads them undoes it. The window reads
///     imaginary parts and so fixes the phase.

#include "nn/families/crat/invariances.h"

#include "nn/families/crat/config.h"

namespace argand {
namespace {

using C = Weights::C;

Invariance phasors(const ModelConfig& config) {
  return {"phasors of q and k", "q_j → s e^{iφ} q_j, k_j → t e^{iφ} k_j, s, t > 0", [config](const Weights& w, Amounts amounts) {
            for_each_block(config, [&](const std::string& block) {
              for (std::int64_t j = 0; j < w.pairs_out(block + "attn.q"); ++j) {
                const double phase = amounts.between(-3.1, 3.1);
                w.scale_output(block + "attn.q", j, std::polar(amounts.factor(), phase));
                w.scale_output(block + "attn.k", j, std::polar(amounts.factor(), phase));
              }
            });
          }};
}

/// Multiplies row j of W_re + i W_im, stored as two real layers, by c.
void scale_states(const Weights& w, std::int64_t j, C c) {
  Tensor<double>&re = w.real("state.re.weight"), &im = w.real("state.im.weight");
  for (std::int64_t i = 0; i < re.dim(1); ++i) Weights::turn(re(j, i), im(j, i), c);
  Weights::turn(w.real("state.re.bias").data()[j], w.real("state.im.bias").data()[j], c);
}

Invariance bias_of_rotation() {
  return {"bias of the rotation", "ϑ_j → ϑ_j + φ, z_j → e^{-iφ} z_j before it", [](const Weights& w, Amounts amounts) {
            for (std::int64_t j = 0; j < w.real("state.re.weight").dim(0); ++j) {
              const double phase = amounts.between(-3.1, 3.1);
              w.real("state.theta.bias").data()[j] += phase;
              scale_states(w, j, std::polar(1.0, -phase));
            }
          }};
}

Invariance phase_of_states(const ModelConfig& config) {
  return {"phases of the states", "z_j → e^{iφ_j} z_j in all layers", [config](const Weights& w, Amounts amounts) {
            const std::int64_t n = w.real("state.re.weight").dim(0);
            Tensor<double>& out = w.real("out.weight");  // its input is all real parts, then all imaginary parts
            for (std::int64_t j = 0; j < n; ++j) {
              const C c = std::polar(1.0, amounts.between(-3.1, 3.1));
              scale_states(w, j, c);
              for_each_block(config, [&](const std::string& block) {
                for (const char* writer : {"attn.o", "ffn.down"}) w.scale_output(block + writer, j, c);
                for (const char* reader : {"attn.q", "attn.k", "attn.v", "ffn.up"}) w.scale_input(block + reader, j, std::conj(c));
              });
              for (std::int64_t o = 0; o < out.dim(0); ++o) Weights::turn(out(o, j), out(o, n + j), c);
            }
          }};
}

Invariance bias_of_embedding() {
  return {"words against their bias", "E_v → E_v + c for every v, b → b - c", [](const Weights& w, Amounts amounts) {
            const Tensor<double> before = w.real("embedding.weight").clone();
            w.add_row("embedding.weight", 1, amounts);
            Tensor<double>&after = w.real("embedding.weight"), &bias = w.real("embedding.bias");
            for (std::int64_t i = 0; i < bias.size(); ++i) bias.data()[i] -= after(0, i) - before(0, i);
          }};
}

}  // namespace

std::vector<Invariance> crat_invariances(const ModelConfig& config) {
  const auto& own = config.own<CratConfig>();
  if (own.baseline != Baseline::None) return {common_logit()};
  std::vector<Invariance> all = {values_against_outputs(config),
                                 norm_against_readers(config, "norm1", {"attn.q", "attn.k", "attn.v"}),
                                 norm_against_readers(config, "norm2", {"ffn.up"}),
                                 bias_of_embedding(),
                                 last_norm_against_head("out_norm"),
                                 common_logit()};
  all.push_back(own.attention == ScoreKind::Angular ? phasors(config) : queries_against_keys(config));
  if (own.states == StateKind::Complex && own.rotation) all.push_back(bias_of_rotation());
  if (own.states == StateKind::Complex && own.irw_layers.empty()) all.push_back(phase_of_states(config));
  return all;
}

}  // namespace argand
