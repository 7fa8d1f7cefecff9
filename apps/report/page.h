#pragma once
/// The page: HTML, style, scripts and Chart.js, embedded when the program is built (embed.py), with the data between them.

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace argand {

/// What page.html is before and after its data.
struct PageParts {
  std::string_view before, after;
};
extern const PageParts page_parts;

/// A page is one file that one can mail; throws Error above this.
inline constexpr std::size_t largest_page = 5'000'000;

/// The whole file. `live`: served by `argand report --follow`, which it may ask for what is new, and nobody else. The data stand in
/// a script element of their own, which nothing in them can end: `<` is written as \u003c.
std::string make_page(const nlohmann::ordered_json& data, bool live = false);

}  // namespace argand
