#pragma once
/// The learning rate of each step: a linear warm-up, then a cosine (Loshchilov and Hutter, "SGDR", ICLR 2017).

#include <cstdint>

namespace argand {

struct Schedule {
  double peak = 1e-3;
  double final = 1e-4;       ///< reached at step `total` and kept after it
  std::int64_t warmup = 50;  ///< steps; step counts from 0, so the first one runs at peak / warmup, never at zero
  std::int64_t total = 500;  ///< steps, the warm-up included

  /// step < warmup:  peak · (step + 1) / warmup
  /// later:          final + (peak - final) (1 + cos πx) / 2,  x = (step - warmup) / (total - warmup), 1 from `total` on
  double at(std::int64_t step) const;

  /// Throws Error for rates that are not finite, a peak of 0, negative ones, a warm-up longer than the whole, and less than one
  /// step.
  void validate() const;
};

}  // namespace argand
