#pragma once
/// Names that other programs have for keys of this one.

#include <optional>
#include <string>
#include <vector>

namespace argand {

struct OtherWord {
  std::string ours;       ///< the key
  const char* more = "";  ///< what else should be known of it
};

/// Of `max_iters` the key `steps`, where it is one of the known ones.
std::optional<OtherWord> other_word(const std::string& word, const std::vector<std::string>& known);

}  // namespace argand
