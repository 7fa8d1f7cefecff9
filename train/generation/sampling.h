#pragma once
/// Draws the next token from the model's distribution, with temperature and truncation.

#include <span>

#include "core/random.h"
#include "core/scalar.h"

namespace argand {

struct SamplingOptions {
  double temperature = 1;  ///< divides the logits; 0: always the most probable token
  std::int64_t top_k = 0;  ///< sample only from the k most probable tokens; 0: all
  double top_p = 1;        ///< nucleus sampling: only the most probable tokens of total probability p (Holtzman et al., ICLR 2020)
  double min_p = 0;        ///< drops tokens whose probability is below this fraction of the highest (Nguyen et al., ICLR 2025)
  double repetition_penalty = 1;  ///< for tokens in the text, divides positive logits and multiplies others (Keskar et al., 2019),
                                  ///< before everything else
  std::uint64_t seed = 0;

  /// Throws ConfigError for invalid values.
  void validate() const;
};

/// Sample number i, a pure function of (logits, options, i, text). `text` holds the preceding tokens and is used only by the
/// repetition penalty. Ties go to the smaller id. Throws Error if a logit is NaN or +inf.
template <RealScalar R>
std::int32_t sample(std::span<const R> logits, const SamplingOptions& options, std::uint64_t i,
                    std::span<const std::int32_t> text = {});

}  // namespace argand
