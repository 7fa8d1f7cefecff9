#pragma once
/// A limit to the depth of JSON that others wrote: nlohmann-json copies and prints recursively, and 200 kB of brackets would
/// overflow the stack.

#include <string_view>

namespace argand {

inline constexpr int deepest_json = 64;

/// Whether more than deepest_json brackets are nested. Looks at strings and brackets only: `text` need not be JSON.
inline bool nests_too_deep(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const char c = text[k];
    if (in_string) {
      if (c == '\\') ++k;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > deepest_json) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

}  // namespace argand
