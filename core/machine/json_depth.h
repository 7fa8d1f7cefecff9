#pragma once
/// JSON from elsewhere is read with a limit to its depth: nlohmann-json copies and prints by functions that call themselves for
/// each bracket, and a text of 200 kB that holds nothing else would end the program.

#include <string_view>

namespace argand {

inline constexpr int deepest_json = 64;

/// Whether more than deepest_json brackets stand within each other. Looks at strings and brackets only: `text` need not be JSON.
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
