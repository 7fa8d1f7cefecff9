#include "nn/invariance.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "nn/decoder_config.h"

namespace argand {

const Parameter<double>* Weights::find(const std::string& name) const {
  const auto found =
      std::find_if(parameters_.begin(), parameters_.end(), [&](const Parameter<double>& p) { return p.name == name; });
  return found == parameters_.end() ? nullptr : &*found;
}

Tensor<double>& Weights::real(const std::string& name) const {
  const Parameter<double>* found = find(name);
  require(found != nullptr && !found->is_complex(), "invariance", "there is no real parameter {}", name);
  Var<double> handle = std::get<Var<double>>(found->var);
  return handle.value();
}

Tensor<Weights::C>& Weights::complex(const std::string& name) const {
  const Parameter<double>* found = find(name);
  require(found != nullptr && found->is_complex(), "invariance", "there is no complex parameter {}", name);
  Var<C> handle = std::get<Var<C>>(found->var);
  return handle.value();
}

std::int64_t Weights::pairs(const std::string& layer, int axis) const {
  const std::string name = layer + ".weight";
  return is_complex(name) ? complex(name).dim(axis) : real(name).dim(axis) / 2;
}

void Weights::scale_output(const std::string& layer, std::int64_t j, C c) const {
  const std::string weight = layer + ".weight", bias = layer + ".bias";
  if (is_complex(weight)) {
    Tensor<C>& W = complex(weight);
    for (std::int64_t i = 0; i < W.dim(1); ++i) W(j, i) *= c;
    if (has(bias)) complex(bias).data()[j] *= c;
    return;
  }
  Tensor<double>& W = real(weight);
  for (std::int64_t i = 0; i < W.dim(1); ++i) turn(W(2 * j, i), W(2 * j + 1, i), c);
  if (has(bias)) turn(real(bias).data()[2 * j], real(bias).data()[2 * j + 1], c);
}

void Weights::conjugate_output(const std::string& layer, std::int64_t j) const {
  Tensor<double>& W = real(layer + ".weight");
  for (std::int64_t i = 0; i < W.dim(1); ++i) W(2 * j + 1, i) = -W(2 * j + 1, i);
  if (has(layer + ".bias")) real(layer + ".bias").data()[2 * j + 1] *= -1;
}

void Weights::scale_input(const std::string& layer, std::int64_t j, C c) const {
  const std::string weight = layer + ".weight";
  if (is_complex(weight)) {
    Tensor<C>& W = complex(weight);
    for (std::int64_t i = 0; i < W.dim(0); ++i) W(i, j) *= c;
    return;
  }
  // With w = w0 + i w1, multiplying (w0, w1) from the right by the matrix of c, [[Re, -Im], [Im, Re]], multiplies w by conj(c).
  Tensor<double>& W = real(weight);
  for (std::int64_t i = 0; i < W.dim(0); ++i) turn(W(i, 2 * j), W(i, 2 * j + 1), std::conj(c));
}

void Weights::scale_norm(const std::string& norm, std::int64_t j, std::int64_t pairs, double s) const {
  const std::string bias = norm + ".bias";
  Tensor<double>& gain = real(norm + ".weight");
  const std::int64_t width = gain.size() / pairs;
  for (std::int64_t i = j * width; i < (j + 1) * width; ++i) {
    gain.data()[i] *= s;
    if (has(bias)) real(bias).data()[i] *= s;
  }
}

void Weights::add_row(const std::string& table, double factor, Amounts amounts) const {
  const auto add = [&](auto& W, const auto& draw) {
    for (std::int64_t i = 0; i < W.dim(1); ++i) {
      const auto x = factor * draw();
      for (std::int64_t v = 0; v < W.dim(0); ++v) W(v, i) += x;
    }
  };
  if (is_complex(table))
    add(complex(table), [&] { return amounts.complex_factor(); });
  else
    add(real(table), [&] { return amounts.between(-1, 1); });
}

Invariance values_against_outputs(const ModelConfig& config, bool real) {
  return {"v against o", real ? "v_j → s v_j, o takes s v_j / s" : "v_j → c v_j, o takes c v_j / c",
          [config, real](const Weights& w, Amounts amounts) {
            for_each_block(config, [&](const std::string& block) {
              for (std::int64_t j = 0; j < w.pairs_out(block + "attn.v"); ++j) {
                const Weights::C c = real ? amounts.factor() : amounts.complex_factor();
                w.scale_output(block + "attn.v", j, c);
                w.scale_input(block + "attn.o", j, 1.0 / c);
              }
            });
          }};
}

Invariance queries_against_keys(const ModelConfig& config) {
  return {"q against k", "q_j → c q_j, k_j → k_j / conj(c)", [config](const Weights& w, Amounts amounts) {
            for_each_block(config, [&](const std::string& block) {
              for (std::int64_t j = 0; j < w.pairs_out(block + "attn.q"); ++j) {
                const Weights::C c = amounts.complex_factor();
                w.scale_output(block + "attn.q", j, c);
                w.scale_output(block + "attn.k", j, 1.0 / std::conj(c));
              }
            });
          }};
}

Invariance bias_of_keys(const ModelConfig& config) {
  return {"bias of k", "k → k + c", [config](const Weights& w, Amounts amounts) {
            for_each_block(config, [&](const std::string& block) {
              for (double& b : w.real(block + "attn.k.bias").span()) b += amounts.between(-1, 1);
            });
          }};
}

namespace {

void scale_norm_and_readers(const Weights& w, const std::string& norm, const std::vector<std::string>& readers, Amounts& amounts) {
  const std::int64_t pairs = w.pairs_in(readers.front());
  for (std::int64_t j = 0; j < pairs; ++j) {
    const double s = amounts.factor();
    w.scale_norm(norm, j, pairs, s);
    for (const std::string& reader : readers) w.scale_input(reader, j, 1 / s);
  }
}

}  // namespace

Invariance norm_against_readers(const ModelConfig& config, const std::string& norm, const std::vector<std::string>& readers) {
  return {norm + " against its readers", "gain_j → s gain_j, readers take x_j / s", [=](const Weights& w, Amounts amounts) {
            for_each_block(config, [&](const std::string& block) {
              std::vector<std::string> names;
              for (const std::string& reader : readers) names.push_back(block + reader);
              scale_norm_and_readers(w, block + norm, names, amounts);
            });
          }};
}

Invariance last_norm_against_head(const std::string& norm) {
  return {"last norm against the output layer", "gain_j → s gain_j, the output layer takes x_j / s",
          [=](const Weights& w, Amounts amounts) { scale_norm_and_readers(w, norm, {"head"}, amounts); }};
}

Invariance common_logit() {
  return {"a constant in all logits", "W_v → W_v + c, b_v → b_v + a for every v", [](const Weights& w, Amounts amounts) {
            w.add_row("head.weight", 1, amounts);
            if (w.has("head.bias"))
              for (double& b : w.real("head.bias").span()) b += 0.7;
          }};
}

Invariance words_against_positions(double scale) {
  return {"words against positions", "E_v → E_v + c for every v, P_t → P_t - c for every t",
          [scale](const Weights& w, Amounts amounts) {
            w.add_row("embedding.weight", 1, amounts);
            w.add_row("position.weight", -scale, amounts);
          }};
}

namespace {

/// LayerNorm subtracts the mean of the components, so any multiple of (1, ..., 1) may be added to each column of a layer's matrix
/// and to its bias.
Invariance mean_of_stream(const ModelConfig& config) {
  return {"a constant in all components", "a layer that a LayerNorm reads adds a · (1, ..., 1)",
          [config](const Weights& w, Amounts amounts) {
            const auto lift = [&](const std::string& layer) {
              if (w.is_complex(layer + ".weight")) return;
              Tensor<double>& W = w.real(layer + ".weight");
              for (std::int64_t i = 0; i < W.dim(1); ++i) {
                const double a = amounts.between(-1, 1);
                for (std::int64_t o = 0; o < W.dim(0); ++o) W(o, i) += a;
              }
              if (w.has(layer + ".bias"))
                for (double& b : w.real(layer + ".bias").span()) b += 0.7;
            };
            for_each_block(config, [&](const std::string& block) { lift(block + "attn.o"), lift(block + "ffn.down"); });
          }};
}

/// SwiGLU: down(silu(gate x) · up x).
Invariance up_against_down(const ModelConfig& config) {
  return {"up against down", "up_i → s up_i, down takes s up_i / s", [config](const Weights& w, Amounts amounts) {
            for_each_block(config, [&](const std::string& block) {
              for (std::int64_t j = 0; j < w.pairs_out(block + "ffn.up"); ++j) {
                const double s = amounts.factor();
                w.scale_output(block + "ffn.up", j, s);
                w.scale_input(block + "ffn.down", j, 1 / s);
              }
            });
          }};
}

/// QK-norm removes any factor of the projections, so the only freedom is in the gains of q_norm and k_norm. RoPE mixes the two
/// components of a pair, so both get the same factor.
Invariance gains_of_queries_and_keys(const ModelConfig& config) {
  return {"gain of q against gain of k", "q_norm_j → s q_norm_j, k_norm_j → k_norm_j / s",
          [config](const Weights& w, Amounts amounts) {
            for_each_block(config, [&](const std::string& block) {
              const std::int64_t pairs = w.real(block + "attn.q_norm.weight").size() / 2;
              for (std::int64_t j = 0; j < pairs; ++j) {
                const double s = amounts.factor();
                w.scale_norm(block + "attn.q_norm", j, pairs, s);
                w.scale_norm(block + "attn.k_norm", j, pairs, 1 / s);
              }
            });
          }};
}

}  // namespace

std::vector<Invariance> decoder_invariances(const ModelConfig& config) {
  const auto& own = config.own<DecoderConfig>();
  const bool gated = own.ffn == FeedForwardKind::SwiGlu, has_head = config.task == TextTask::Classify || !own.tie_embeddings;
  std::vector<Invariance> all = {values_against_outputs(config),
                                 norm_against_readers(config, "norm1", {"attn.q", "attn.k", "attn.v"})};
  all.push_back(norm_against_readers(config, "norm2",
                                     gated ? std::vector<std::string>{"ffn.up", "ffn.gate"} : std::vector<std::string>{"ffn.up"}));
  if (gated) all.push_back(up_against_down(config));
  if (own.norm == NormKind::LayerNorm) all.push_back(mean_of_stream(config));
  if (own.position == PositionKind::Learned)  // with tied embeddings, the row c adds c · h to every logit
    all.push_back(words_against_positions(own.scale_embeddings ? std::sqrt(static_cast<double>(config.d_model)) : 1));
  if (has_head) all.push_back(last_norm_against_head("norm")), all.push_back(common_logit());
  return all;
}

std::vector<Invariance> dot_decoder_invariances(const ModelConfig& config) {
  const auto& own = config.own<DecoderConfig>();
  std::vector<Invariance> all = decoder_invariances(config);
  all.push_back(own.qk_norm ? gains_of_queries_and_keys(config) : queries_against_keys(config));
  if (!own.qk_norm && own.position != PositionKind::Rope && own.attn_bias) all.push_back(bias_of_keys(config));
  return all;
}

std::vector<Invariance> joined(std::vector<Invariance> one, std::vector<Invariance> other) {
  one.insert(one.end(), std::make_move_iterator(other.begin()), std::make_move_iterator(other.end()));
  return one;
}

}  // namespace argand
