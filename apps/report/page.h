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

/// The maximum size of a page, small enough to mail; make_page throws Error above it.
inline constexpr std::size_t largest_page = 5'000'000;

/// The whole file. `live`: the page is served by `argand report --follow` and may request updates from that server only. The data
/// are in a separate script element, which they cannot close because `<` is written as \u003c.
std::string make_page(const nlohmann::ordered_json& data, bool live = false);

}  // namespace argand
