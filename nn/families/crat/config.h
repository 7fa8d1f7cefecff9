#pragma once
/// The configuration of the family crat.

#include <algorithm>

#include "nn/config.h"

namespace argand {

/// Complex states, or the ablation without imaginary parts.
enum class StateKind { Complex, Real };
constexpr const char* words_of(StateKind) { return "complex|real"; }

/// Whether scores use phases only or are dot products; real states allow only the latter.
enum class ScoreKind { Angular, Dot };
constexpr const char* words_of(ScoreKind) { return "angular|dot"; }

/// How the angular scores of a head's components are combined.
enum class AngularReduce { Sum, Mean };
constexpr const char* words_of(AngularReduce) { return "sum|mean"; }

/// CRAT itself, or a baseline: a real decoder that uses passages as in another paper (nn/families/crat/baseline_decoder.h).
enum class Baseline { None, Retro, Fid };
constexpr const char* words_of(Baseline) { return "none|retro|fid"; }

struct CratConfig final : ConfigOf<CratConfig> {
  Baseline baseline = Baseline::None;
  StateKind states = StateKind::Complex;
  ScoreKind attention = ScoreKind::Angular;
  AngularReduce angular_reduce = AngularReduce::Sum;
  bool phase_offsets = true;
  bool rotation = true;
  std::vector<std::int64_t> irw_layers;  ///< layers with a reflection window, or in which a baseline reads passages; ascending
  std::int64_t irw_dim = 32;
  std::int64_t irw_top_k = 5;
  double irw_temperature = 1;
  std::int64_t encoder_layers = 2;            ///< number of layers in a baseline's passage encoder
  static constexpr double rope_base = 10000;  ///< RoPE base of a baseline

  void visit(KeyVisitor& f) override;
  void validate(const ModelConfig& config) const override;
  bool retrieves_in(std::int64_t layer) const { return std::find(irw_layers.begin(), irw_layers.end(), layer) != irw_layers.end(); }
  Windows windows() const override { return {irw_layers, irw_top_k, baseline != Baseline::None}; }
};

}  // namespace argand
