#pragma once
/// Names that other programs use for argand's keys.

#include <optional>
#include <string>
#include <vector>

namespace argand {

struct OtherWord {
  std::string ours;       ///< the key
  const char* more = "";  ///< further explanation
};

/// For `max_iters`, for example, the key `steps`, if that is one of the known ones.
std::optional<OtherWord> other_word(const std::string& word, const std::vector<std::string>& known);

}  // namespace argand
