#pragma once
/// The learning rate of each step: a linear warm-up, then a cosine (Loshchilov and Hutter, "SGDR", ICLR 2017).

#include <cstdint>

namespace argand {

struct Schedule {
  double peak = 1e-3;
  double final = 1e-4;       ///< reached at step `total` and kept
  std::int64_t warmup = 50;  ///< steps; the step counts from 0, so the first one runs at peak / warmup, never at zero
  std::int64_t total = 500;  ///< steps, including the warm-up

  /// step < warmup:  peak · (step + 1) / warmup
  /// later:          final + (peak - final) (1 + cos πx) / 2,  x = (step - warmup) / (total - warmup), 1 from `total` on
  double at(std::int64_t step) const;

  /// Throws Error for rates that are negative or not finite, a peak of 0, a warm-up longer than `total`, and fewer than one step.
  void validate() const;
};

}  // namespace argand
