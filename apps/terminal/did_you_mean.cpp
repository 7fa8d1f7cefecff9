#include "apps/terminal/command_line.h"
#include "nn/keys.h"

namespace argand {

std::string did_you_mean(const std::string& word, const std::vector<std::string>& known) {
  const std::string closest = closest_word(word, known);
  return closest.empty() ? "" : "; did you mean " + closest + "?";
}

}  // namespace argand
