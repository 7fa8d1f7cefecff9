#pragma once
/// Composable learning rates: a Rate is a function of the step, which counts from 0, and can be built from others.
///
/// All functions throw Error for rates that are negative or not finite and for fewer than 1 step; a Rate throws for a step below 0.

#include <cstdint>
#include <functional>
#include <vector>

namespace argand {

using Rate = std::function<double(std::int64_t step)>;

Rate constant_rate(double rate);
/// Linear from `from` to `to`, which is reached after `steps` steps and then held.
Rate linear_rate(double from, double to, std::int64_t steps);
/// Half a cosine from `from` to `to`, flat at both ends (Loshchilov and Hutter, "SGDR", ICLR 2017, eq. 5).
Rate cosine_rate(double from, double to, std::int64_t steps);
/// from · factor^floor(step / every): exponential decay with every = 1, otherwise step decay.
Rate exponential_rate(double from, double factor, std::int64_t every = 1);
/// peak · min((step + 1)/warmup, sqrt(warmup/(step + 1))) (Vaswani et al., "Attention Is All You Need", 2017, eq. 3).
Rate inverse_root_rate(double peak, std::int64_t warmup);

/// Linear warm-up, then half a cosine, as in `argand train`: a Rate whose settings can be read back. It equals
/// sequential({{linear_rate(peak / warmup, peak, warmup - 1), warmup}, {cosine_rate(peak, final, total - warmup)}}).
struct WarmupCosine {
  double peak = 1e-3;
  double final = 1e-4;       ///< reached at step `total` and then held
  std::int64_t warmup = 50;  ///< steps; the first one runs at peak / warmup, never at zero
  std::int64_t total = 500;  ///< steps, including the warm-up

  /// step < warmup:  peak · (step + 1) / warmup
  /// later:          final + (peak - final) (1 + cos πx) / 2,  x = (step - warmup) / (total - warmup), or 1 for step >= total
  double operator()(std::int64_t step) const;

  /// Throws Error for rates that are negative or not finite, a peak of 0, a warm-up longer than `total`, or fewer than one step.
  void validate() const;
};

/// Restarts `rate` every `every` steps (SGDR's warm restarts).
Rate restarted(Rate rate, std::int64_t every);

/// One stage of sequential(). Stages follow each other, and each counts its steps from 0; the length of the last one is ignored.
struct RateFor {
  Rate rate;
  std::int64_t steps = 1;
};
/// Throws for an empty list.
Rate sequential(std::vector<RateFor> parts);

}  // namespace argand
