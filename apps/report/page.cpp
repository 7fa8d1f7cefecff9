#include "apps/report/page.h"

#include "core/error.h"

namespace argand {

std::string make_page(const nlohmann::ordered_json& data, bool live) {
  using Handler = nlohmann::ordered_json::error_handler_t;
  // File names need not be UTF-8; invalid bytes become U+FFFD.
  const std::string json = data.dump(-1, ' ', false, Handler::replace);
  std::string page(page_parts.before);
  if (live) {
    constexpr std::string_view nobody = "default-src 'none'";
    page.insert(page.find(nobody) + nobody.size(), "; connect-src 'self'");
  }
  page.reserve(page.size() + json.size() + page_parts.after.size());
  for (const char c : json) c == '<' ? void(page += "\\u003c") : page.push_back(c);
  page += page_parts.after;
  require(page.size() < largest_page, "report", "the page would be {:.1f} MB, but at most {:.0f} MB are allowed; report fewer runs",
          static_cast<double>(page.size()) / 1e6, static_cast<double>(largest_page) / 1e6);
  return page;
}

}  // namespace argand
