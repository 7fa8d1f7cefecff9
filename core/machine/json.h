#pragma once
/// Parses untrusted JSON. nlohmann-json copies and prints values recursively, so 200 kB of brackets would overflow the stack; input
/// that nests too deeply is rejected before a tree is built.

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/error.h"

namespace argand {

inline constexpr int deepest_json = 64;

/// Whether more than deepest_json brackets are nested. Looks only at strings and brackets: `text` need not be valid JSON.
inline bool nested_too_deeply(std::string_view text) {
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

/// The parsed value. If the text is not JSON or nests too deeply, the result's is_discarded() is true.
template <class Json = nlohmann::ordered_json>
Json try_parse_json(std::string_view text) {
  if (nested_too_deeply(text)) return Json(nlohmann::detail::value_t::discarded);
  return Json::parse(text, nullptr, false);
}

/// The parsed value. Throws an Error that begins with `op`: "op: nested more than 64 levels deep", or with the parser's message.
template <class Json = nlohmann::ordered_json>
Json parse_json(std::string_view op, std::string_view text) {
  require(!nested_too_deeply(text), op, "nested more than {} levels deep", deepest_json);
  try {
    return Json::parse(text);
  } catch (const nlohmann::json::exception& error) {
    fail(op, "{}", error.what());
  }
}

}  // namespace argand
