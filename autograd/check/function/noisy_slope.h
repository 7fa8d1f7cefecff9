#pragma once
/// The slope of a function with noisy values, such as one computed in half or single precision or by an iteration that stops early.
/// At small steps such a function is flat or pure noise, so extrapolation fails. A polynomial fitted to many values over a wide
/// interval averages the noise out, and its residual measures the noise.

#include <optional>
#include <vector>

#include "autograd/check/numerical.h"

namespace argand {

/// The slope of φ(t) at 0.
struct NoisySlope {
  Estimate slope;    ///< its error is four standard deviations
  double noise = 0;  ///< standard deviation of one value of φ
  double kink = 0;   ///< how far the one-sided slopes may differ from `slope`; 0 if no kink is detected
};

/// The slope of each function k that is noisier than `allowed[k]`, the noise that double precision explains, and whose values at
/// the smallest resolvable steps are not those of a smooth function; nullopt for functions without such noise. `stated[k]` > 0: the
/// noise is known to be at least this large.
std::vector<std::optional<NoisySlope>> noisy_slopes(const Changes& changes, const std::vector<double>& allowed,
                                                    const std::vector<double>& stated);

/// The slope of each of `count` functions, however noisy it is.
std::vector<NoisySlope> fitted_slopes(const Changes& changes, std::size_t count);

}  // namespace argand
