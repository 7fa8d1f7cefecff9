#pragma once
/// The configuration of the family qic.

#include "core/qic_algebra.h"
#include "nn/config.h"

namespace argand {

/// The kind of numbers that the layers compute with. Standard is the real transformer in the paper's table; Real is the same model
/// with as many parameters as Qic.
enum class Algebra { Qic, Complex, PhaseGates, Quaternion, Real, Standard };
constexpr const char* words_of(Algebra) { return "qic|complex|phase_gates|quaternion|real|standard"; }

/// Scope of a learned angle (one per head, or one per attention layer), or a fixed angle.
enum class AngleOwner { Learned, Global, Fixed };
constexpr const char* words_of(AngleOwner) { return "learned|global|fixed"; }

constexpr const char* words_of(Magnitude) { return "euclidean|algebraic|author"; }

enum class MagnitudeNormKind { LayerNorm, RmsNorm };
constexpr const char* words_of(MagnitudeNormKind) { return "qic_layernorm|qic_rmsnorm"; }

enum class MagnitudeActivationKind { Gelu, ModRelu, Relu };
constexpr const char* words_of(MagnitudeActivationKind) { return "qic_gelu|mod_relu|qic_relu"; }

struct QicConfig final : ConfigOf<QicConfig> {
  Algebra algebra = Algebra::Qic;
  AngleOwner theta = AngleOwner::Learned;
  double theta_init = 0.52359877559829887;  ///< π/6
  double theta_spread = 0;                  ///< radians; initial angles are uniform in theta_init ± theta_spread
  Magnitude magnitude = Magnitude::Euclidean;
  MagnitudeNormKind norm = MagnitudeNormKind::LayerNorm;
  MagnitudeActivationKind activation = MagnitudeActivationKind::Gelu;
  bool conjugate_keys = false;

  /// Whether the layers use real numbers.
  bool is_real() const { return algebra == Algebra::Real || algebra == Algebra::Standard; }
  /// The set of keys depends on the algebra.
  void visit(KeyVisitor& f) override;
  void validate(const ModelConfig& config) const override;
};

/// Real components per number: 4 for a quaternion, otherwise 2.
constexpr int parts_of(Algebra algebra) { return algebra == Algebra::Quaternion ? 4 : 2; }

}  // namespace argand
