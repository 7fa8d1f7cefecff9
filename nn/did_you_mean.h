#pragma once

#include <string>
#include <vector>

namespace argand {

/// "; did you mean WORD?" for the word of `known` that is close to `word`, or nothing.
std::string did_you_mean(const std::string& word, const std::vector<std::string>& known);

}  // namespace argand
