#pragma once
/// Settings as written by a user, in a flat TOML file or on a command line: key, text, and (for messages) where each was set.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "train/config/config_error.h"

namespace argand {

struct Setting {
  std::string key;      ///< with underscores: d_model
  std::string text;     ///< without quotation marks or brackets
  std::string place{};  ///< "small.toml:3: d_model", or the name of an option; empty: the key itself
};
using Settings = std::vector<Setting>;

/// The last value set for this key, or `otherwise` if there is none.
std::string last_text(const Settings& settings, std::string_view key, std::string otherwise);

/// Throws ConfigError about this setting, starting with the place where it was set.
template <class... Args>
[[noreturn]] void setting_fail(const Setting& setting, fmt::format_string<Args...> message, Args&&... args) {
  throw ConfigError(setting.place.empty() ? setting.key : setting.place, fmt::format(message, std::forward<Args>(args)...),
                    setting.key);
}

/// `key = value` lines: numbers, booleans, "strings", single-line lists of integers, and # comments; dashes in a key are equivalent
/// to underscores. Throws ConfigError with file and line for anything else (including tables, which are not needed here) and for a
/// repeated key; throws Error if the file cannot be read.
///
/// A value is kept as text because its type is known only once the family is known. For this reason, and for errors that suggest a
/// remedy, no TOML library is used: toml++ 3.3 treats d-ff and d_ff as two keys, accepts tables, and reports "expected digit, saw
/// '%'" for `warmup = 5%` and "could not determine value type" for `family = crat`.
Settings read_settings(const std::string& path);

/// `key = value` in the form accepted by read_settings.
std::string toml_line(std::string_view key, const std::string& value);
std::string toml_line(std::string_view key, std::int64_t value);
std::string toml_line(std::string_view key, double value);
std::string toml_line(std::string_view key, bool value);
std::string toml_line(std::string_view key, const std::vector<std::int64_t>& value);

/// Converts the text to its value. Throws ConfigError, e.g. `steps: "many" is not a whole number`. `choices` holds the allowed
/// words, joined by '|', or is empty.
void assign(const Setting& setting, std::string_view choices, std::string& value);
void assign(const Setting& setting, std::string_view choices, std::int64_t& value);
void assign(const Setting& setting, std::string_view choices, double& value);
void assign(const Setting& setting, std::string_view choices, bool& value);
void assign(const Setting& setting, std::string_view choices, std::vector<std::int64_t>& value);

}  // namespace argand
