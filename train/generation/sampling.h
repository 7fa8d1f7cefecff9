#pragma once
/// Which token comes next: a draw from the model's distribution, sharpened and cut as asked.

#include <span>

#include "core/random.h"
#include "core/scalar.h"

namespace argand {

struct SamplingOptions {
  double temperature = 1;  ///< logits are divided by it; 0: always the likeliest token
  std::int64_t top_k = 0;  ///< only the k likeliest tokens; 0: all
  double top_p = 1;        ///< only the likeliest tokens that together have probability p (Holtzman et al., ICLR 2020)
  std::uint64_t seed = 0;

  /// Throws ConfigError for values that make no sense.
  void validate() const;
};

/// Draw number i, a pure function of (logits, options, i). Ties go to the smaller id. Throws Error when a logit is NaN or +inf.
template <RealScalar R>
std::int32_t sample(std::span<const R> logits, const SamplingOptions& options, std::uint64_t i);

}  // namespace argand
