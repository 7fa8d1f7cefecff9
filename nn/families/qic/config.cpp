#include "nn/families/qic/config.h"

#include <cmath>

#include "core/error.h"

namespace argand {

void QicConfig::visit(KeyVisitor& f) {
  f("algebra", algebra, "number system of the layers; real has as many parameters as qic");
  if (is_real()) return;
  if (algebra == Algebra::Qic) {
    f("theta", theta, "angles: one per head (learned), one per attention layer (global), or fixed");
    f("theta_init", theta_init, "initial angle [radians]; at pi/4 its gradient is 0");
    if (theta != AngleOwner::Fixed) f("theta_spread", theta_spread, "half-width of the uniform range of initial angles [radians]");
    f("magnitude", magnitude, "magnitude of a + bJ: the weight of b^2 is 1, -kappa or 1 - kappa");
  }
  f("norm", norm, "normalisation by magnitude before each sub-layer");
  f("activation", activation, "activation of the magnitude; qic_relu is the identity");
  f("conjugate_keys", conjugate_keys, "conjugate the keys in the scores");
}

void QicConfig::validate(const ModelConfig& c) const {
  if (is_real()) return;
  const std::int64_t parts = parts_of(algebra);
  require(c.d_model / c.n_heads % parts == 0, "config",
          "the head width must be divisible into {} equal parts: d_model {} / n_heads {} = {}", parts, c.d_model, c.n_heads,
          c.d_model / c.n_heads);
  require(c.d_ff % parts == 0, "config", "d_ff {} is not divisible into {} equal parts", c.d_ff, parts);
  require(std::isfinite(theta_init), "config", "theta_init must be finite, got {}", theta_init);
  require(std::isfinite(theta_spread) && theta_spread >= 0, "config", "theta_spread must be finite and at least 0, got {}",
          theta_spread);
}

}  // namespace argand
