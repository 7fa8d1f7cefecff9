#pragma once
/// Composable learning rates: a Rate is a function of the step, which counts from 0, and can be built from others. The programs'
/// Schedule (optim/schedule.h) equals sequential({{linear_rate(peak / warmup, peak, warmup - 1), warmup}, {cosine_rate(peak, final,
/// total - warmup)}}).
///
/// All throw Error for rates that are negative or not finite, for fewer than 1 step, and when called for a step below 0.

#include <cstdint>
#include <functional>
#include <vector>

namespace argand {

using Rate = std::function<double(std::int64_t step)>;

Rate constant_rate(double rate);
/// Linear from `from` to `to`, which is reached after `steps` steps and kept.
Rate linear_rate(double from, double to, std::int64_t steps);
/// Half a cosine from `from` to `to`, flat at both ends (Loshchilov and Hutter, "SGDR", ICLR 2017, eq. 5).
Rate cosine_rate(double from, double to, std::int64_t steps);
/// from · factor^floor(step / every): exponential decay with every = 1, otherwise step decay.
Rate exponential_rate(double from, double factor, std::int64_t every = 1);
/// peak · min((step + 1)/warmup, sqrt(warmup/(step + 1))) (Vaswani et al., "Attention Is All You Need", 2017, eq. 3).
Rate inverse_root_rate(double peak, std::int64_t warmup);

/// Restarts after every `every` steps (SGDR's warm restarts).
Rate restarted(Rate rate, std::int64_t every);

/// One stage of sequential(): stages follow each other, each counting its steps from 0; the last one's number of steps is ignored.
struct RateFor {
  Rate rate;
  std::int64_t steps = 1;
};
/// Throws for an empty list.
Rate sequential(std::vector<RateFor> parts);

}  // namespace argand
