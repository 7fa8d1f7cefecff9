#pragma once
/// The slope of a function whose values are noisy: computed in half or single precision, or by an iteration that stops early. At
/// small steps such a function is flat, or all noise; extrapolation has nothing to go by. A polynomial fitted to many values over a
/// wide line averages the noise out, and its residual says how much of it there is.

#include <optional>
#include <vector>

#include "autograd/check/numerical.h"

namespace argand {

/// Of φ(t) around 0.
struct NoisySlope {
  Estimate slope;    ///< the error is four standard deviations
  double noise = 0;  ///< standard deviation of one value of φ
  double kink = 0;   ///< the slope may be so much more or less on either side of 0; 0 where no kink is seen
};

/// For each of `count` functions: the slope, where the function is noisier than `allowed[k]`, which is what double precision
/// explains, and its values at the smallest visible steps do not follow a smooth function; nullopt where it is as precise as it
/// should be. `stated[k]` > 0: the noise is known to be that much at least.
std::vector<std::optional<NoisySlope>> noisy_slopes(const Changes& changes, const std::vector<double>& allowed,
                                                    const std::vector<double>& stated);

/// For each of `count` functions, however noisy it is.
std::vector<NoisySlope> fitted_slopes(const Changes& changes, std::size_t count);

}  // namespace argand
