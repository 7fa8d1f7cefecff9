#pragma once
/// The configuration of the family crope.

#include "nn/decoder_config.h"

namespace argand {

/// Which attention projections are complex-linear on interleaved pairs: q and k; also v; or also o. They save 25, 37.5 or 50 % of
/// the attention parameters. HalfQk and HalfAll are dense baselines with the same parameter counts as Qk and All: q and k (or all)
/// have half the width.
enum class CropeMode { None, Qk, Qkv, All, HalfQk, HalfAll };
constexpr const char* words_of(CropeMode) { return "none|qk|qkv|all|half_qk|half_all"; }

struct CropeConfig final : ConfigOf<CropeConfig, DecoderConfig> {
  CropeMode mode = CropeMode::All;

  CropeConfig();
  void visit(KeyVisitor& f) override;
  void validate(const ModelConfig& config) const override;
};

}  // namespace argand
