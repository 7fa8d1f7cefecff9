#pragma once
/// What other programs call argand's keys.

#include <optional>
#include <string>
#include <vector>

namespace argand {

struct OtherWord {
  std::string ours;       ///< argand's key
  const char* more = "";  ///< further explanation
};

/// The known key that corresponds to another program's name, for example `steps` for `max_iters`; empty if there is none.
std::optional<OtherWord> other_word(const std::string& word, const std::vector<std::string>& known);

}  // namespace argand
