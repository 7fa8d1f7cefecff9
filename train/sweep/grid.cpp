#include "train/sweep/grid.h"

#include <algorithm>
#include <concepts>

namespace argand {
namespace {

template <class T>
constexpr KeyKind kind_of_value(bool has_choices) {
  if constexpr (std::same_as<T, bool>) return KeyKind::Word;
  if constexpr (std::same_as<T, std::int64_t>) return KeyKind::Whole;
  if constexpr (std::same_as<T, double>) return KeyKind::Fraction;
  if constexpr (std::same_as<T, std::string>) return has_choices ? KeyKind::Word : KeyKind::Text;
  return KeyKind::List;
}

std::vector<std::string> split(const Setting& setting, char separator) {
  std::vector<std::string> values;
  for (std::size_t begin = 0; begin <= setting.text.size();) {
    const std::size_t end = std::min(setting.text.find(separator, begin), setting.text.size());
    std::string value = setting.text.substr(begin, end - begin);
    value.erase(0, value.find_first_not_of(' '));
    value.erase(value.find_last_not_of(' ') + 1);
    if (value.empty()) setting_fail(setting, "a value is empty; separate values with \"{}\"", separator);
    values.push_back(std::move(value));
    begin = end + 1;
  }
  return values;
}

void set_seeds(Grid& grid, const Setting& setting, const std::vector<std::string>& values, std::int64_t seeds) {
  for (const std::string& value : values) {
    std::int64_t& seed = grid.seeds.emplace_back();
    assign({setting.key, value, setting.place}, "", seed);
    if (seed < 0) setting_fail(setting, "must be at least 0, got {}", seed);
    if (std::count(grid.seeds.begin(), grid.seeds.end(), seed) > 1) setting_fail(setting, "{} is given twice", seed);
  }
  if (seeds == 0) return;
  if (grid.seeds.size() > 1) setting_fail(setting, "lists the seeds; drop `seeds`, which sets their number");
  for (std::int64_t i = 1; i < seeds; ++i) grid.seeds.push_back(grid.seeds.front() + i);
}

}  // namespace

KeyKind kind_of_key(std::string_view wanted, TextTask task) {
  if (wanted == "preset" || wanted == "family") return KeyKind::Word;
  KeyKind kind = KeyKind::Unknown;
  for_each_family(task, [&](RunConfig& config) {
    config.visit([&]<class T>(std::string_view key, T&, std::string_view choices, const char*) {
      if (key == wanted) kind = kind_of_value<T>(!choices.empty());
    });
  });
  return kind;
}

Grid read_grid(const Settings& given, const Settings& grids, std::int64_t seeds, TextTask task) {
  Grid grid;
  Settings seen;
  const auto read = [&](const Setting& setting, bool is_grid) {
    const auto before = std::find_if(seen.begin(), seen.end(), [&](const Setting& s) { return s.key == setting.key; });
    if (before != seen.end())
      setting_fail(setting, "{} is given twice{}; drop one of them", setting.key,
                   before->place.empty() ? "" : ", by " + before->place);
    seen.push_back(setting);
    const KeyKind kind = kind_of_key(setting.key, task);
    const bool comma_parts = kind == KeyKind::Whole || kind == KeyKind::Fraction || kind == KeyKind::Word;
    const bool semicolon = is_grid && (setting.text.find(';') != std::string::npos || kind == KeyKind::List);
    std::vector<std::string> values = semicolon                ? split(setting, ';')
                                      : is_grid || comma_parts ? split(setting, ',')
                                                               : std::vector<std::string>{setting.text};
    if (setting.key == "seed")
      set_seeds(grid, setting, values, seeds);
    else if (values.size() == 1)
      grid.common.push_back({setting.key, std::move(values.front()), setting.place});
    else
      grid.axes.push_back({setting.key, std::move(values), setting.place});
  };
  for (const Setting& setting : given) read(setting, false);
  for (const Setting& setting : grids) read(setting, true);
  if (grid.seeds.empty())
    for (std::int64_t seed = 0; seed < std::max<std::int64_t>(1, seeds); ++seed) grid.seeds.push_back(seed);
  return grid;
}

}  // namespace argand
