#pragma once
/// The one way to read JSON that others wrote. nlohmann-json copies and prints recursively, and 200 kB of brackets would overflow
/// the stack; so what nests too deep is refused before a tree is made of it.

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/error.h"

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

/// The value; where the text is not JSON, or nests too deep, is_discarded() of what is returned.
template <class Json = nlohmann::ordered_json>
Json json_or_nothing(std::string_view text) {
  if (nests_too_deep(text)) return Json(nlohmann::detail::value_t::discarded);
  return Json::parse(text, nullptr, false);
}

/// The value. Throws Error, `op` first: "op: nested more than 64 levels deep", or with the parser's words of what is wrong.
template <class Json = nlohmann::ordered_json>
Json parse_json(std::string_view op, std::string_view text) {
  require(!nests_too_deep(text), op, "nested more than {} levels deep", deepest_json);
  try {
    return Json::parse(text);
  } catch (const nlohmann::json::exception& error) {
    fail(op, "{}", error.what());
  }
}

}  // namespace argand
