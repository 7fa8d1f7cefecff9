#pragma once
/// The page: HTML, style, scripts and Chart.js, embedded at build time (embed.py), with the data in between.

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace argand {

/// page.html before and after the data.
struct PageParts {
  std::string_view before, after;
};
extern const PageParts page_parts;

/// A page is one file small enough to mail; throws Error above this size.
inline constexpr std::size_t largest_page = 5'000'000;

/// The whole file. `live`: served by `argand report --follow`, which the page may ask for updates, and nobody else. The data are in
/// a script element of their own that nothing in them can end: `<` is written as \u003c.
std::string make_page(const nlohmann::ordered_json& data, bool live = false);

}  // namespace argand
