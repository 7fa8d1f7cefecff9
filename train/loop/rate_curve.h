#pragma once
/// What a search for a learning rate has found, as text.

#include <string>

#include "train/loop/rate_finder.h"

namespace argand {

/// A row for each factor of about 1.8 in the rate, with a bar, and one suggestion.
std::string text_of(const RateCurve& curve);

}  // namespace argand
