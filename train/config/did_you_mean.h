#pragma once

#include <string>
#include <vector>

#include "nn/keys.h"

namespace argand {

/// "; did you mean WORD?" for the word of `known` that is close to `word`, or nothing.
inline std::string did_you_mean(const std::string& word, const std::vector<std::string>& known) {
  const std::string closest = closest_word(word, known);
  return closest.empty() ? "" : "; did you mean " + closest + "?";
}

}  // namespace argand
