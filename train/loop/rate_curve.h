#pragma once
/// Shows the result of a learning-rate search as text.

#include <string>

#include "train/loop/rate_finder.h"

namespace argand {

/// One row with a bar for every factor of about 1.8 in the rate, followed by a suggestion.
std::string text_of(const RateCurve& curve);

}  // namespace argand
