#include "train/config/settings.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <system_error>

#include "core/machine/number.h"
#include "core/text/keys.h"
#include "data/files/text_file.h"
#include "data/files/utf8.h"
#include "nn/config.h"

namespace argand {
namespace {

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// Reads one line of a settings file.
class Line {
 public:
  Line(std::string_view text, std::string place) : rest_(trim(text)), place_(std::move(place)) {}

  bool empty() const { return rest_.empty() || rest_.front() == '#'; }

  Setting setting() {
    if (rest_.front() == '[') config_fail_at(place_, "tables are not supported here, only `key = value` lines");
    const auto equals = rest_.find('=');
    if (equals == std::string_view::npos) config_fail_at(place_, "expected `key = value`");
    std::string key(trim(rest_.substr(0, equals)));
    std::replace(key.begin(), key.end(), '-', '_');
    rest_ = trim(rest_.substr(equals + 1));
    std::string text = value();
    if (!empty()) config_fail_at(place_, "unexpected text after the value of {}", key);
    return {key, std::move(text), place_ + ": " + key};
  }

 private:
  std::string value() {
    if (empty()) config_fail_at(place_, "the value is missing");
    if (rest_.front() == '"' || rest_.front() == '\'') return string(rest_.front());
    if (rest_.front() == '[') return until(']', rest_.substr(1));
    const auto end = rest_.find('#');
    std::string text(trim(rest_.substr(0, end)));
    rest_ = {};
    return text;
  }

  /// In TOML, "basic" strings have escapes and 'literal' strings have none.
  std::string string(char quote) {
    std::string text;
    for (std::size_t i = 1; i < rest_.size(); ++i) {
      if (rest_[i] == quote) {
        rest_ = trim(rest_.substr(i + 1));
        return text;
      }
      if (quote == '"' && rest_[i] == '\\' && i + 1 < rest_.size()) {
        const char c = rest_[++i];
        if (c != '"' && c != '\\' && c != 'n' && c != 't') config_fail_at(place_, "unknown escape \\{}", c);
        text += c == 'n' ? '\n' : c == 't' ? '\t' : c;
      } else {
        text += rest_[i];
      }
    }
    config_fail_at(place_, "the string has no closing quotation mark");
  }

  std::string until(char close, std::string_view from) {
    const auto end = from.find(close);
    if (end == std::string_view::npos) config_fail_at(place_, "the list is not closed on this line");
    rest_ = trim(from.substr(end + 1));
    return std::string(trim(from.substr(0, end)));
  }

  std::string_view rest_;
  std::string place_;
};

template <class T>
bool parse_number(std::string_view text, T& value) {
  const auto [end, error] = number_from(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::string last_text(const Settings& settings, std::string_view key, std::string otherwise) {
  for (const Setting& s : settings)
    if (s.key == key) otherwise = s.text;
  return otherwise;
}

Settings read_settings(const std::string& path) {
  require_name("config", path);
  std::ifstream file(path);
  require(file.good(), "config", "cannot read {}", path);
  Settings settings;
  std::string text;
  for (int number = 1; std::getline(file, text); ++number) {
    const std::string place = fmt::format("{}:{}", path, number);
    Line line(text, place);
    if (line.empty()) continue;
    Setting setting = line.setting();
    if (std::any_of(settings.begin(), settings.end(), [&](const Setting& s) { return s.key == setting.key; }))
      config_fail_at(place, "{} is set twice", setting.key);
    settings.push_back(std::move(setting));
  }
  require(file.eof(), "config", "cannot read {}", path);  // a directory can be opened but not read
  return settings;
}

std::string toml_line(std::string_view key, const std::string& value) {
  std::string text;
  for (char c : value) {
    if (c == '"' || c == '\\') text += '\\';
    text += c == '\n' ? std::string("\\n") : c == '\t' ? std::string("\\t") : std::string(1, c);
  }
  return fmt::format("{} = \"{}\"", key, text);
}
std::string toml_line(std::string_view key, std::int64_t value) { return fmt::format("{} = {}", key, value); }
std::string toml_line(std::string_view key, double value) { return fmt::format("{} = {}", key, value); }
std::string toml_line(std::string_view key, bool value) { return fmt::format("{} = {}", key, value); }
std::string toml_line(std::string_view key, const std::vector<std::int64_t>& value) {
  std::string list;
  for (std::int64_t n : value) list += fmt::format("{}{}", list.empty() ? "" : ", ", n);
  return fmt::format("{} = [{}]", key, list);
}

void assign(const Setting& setting, std::string_view choices, std::string& value) {
  const std::vector<std::string> words = split_choices(choices);
  if (!words.empty() && std::find(words.begin(), words.end(), setting.text) == words.end())
    setting_fail(setting, "\"{}\" is not one of {}{}", setting.text, choices, did_you_mean(setting.text, words));
  if (first_invalid_utf8(setting.text)) setting_fail(setting, "{} is not UTF-8", in_quotes(setting.text));
  value = setting.text;
}

void assign(const Setting& setting, std::string_view, std::int64_t& value) {
  if (!parse_number(setting.text, value)) setting_fail(setting, "\"{}\" is not a whole number", setting.text);
}

void assign(const Setting& setting, std::string_view, double& value) {
  if (!parse_number(setting.text, value) || !std::isfinite(value)) setting_fail(setting, "\"{}\" is not a number", setting.text);
}

void assign(const Setting& setting, std::string_view, bool& value) {
  if (setting.text != "true" && setting.text != "false") setting_fail(setting, "\"{}\" is neither true nor false", setting.text);
  value = setting.text == "true";
}

void assign(const Setting& setting, std::string_view, std::vector<std::int64_t>& value) {
  value.clear();
  std::string_view rest = trim(setting.text);
  if (rest.size() >= 2 && rest.front() == '[' && rest.back() == ']') rest = trim(rest.substr(1, rest.size() - 2));
  while (!rest.empty()) {
    const auto comma = std::min(rest.find(','), rest.size());
    value.emplace_back();
    if (!parse_number(trim(rest.substr(0, comma)), value.back()))
      setting_fail(setting, "\"{}\" is not a list of whole numbers", setting.text);
    rest = rest.substr(std::min(comma + 1, rest.size()));
  }
}

}  // namespace argand
