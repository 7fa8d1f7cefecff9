#pragma once
/// An invalid configuration.

#include <string>
#include <string_view>

#include "core/error.h"

namespace argand {

/// The message has the form `steps: must be at least 1, got 0`: it begins with the field, or with the place where it was set, as in
/// "small.toml:3: steps". Other fields are in backticks, so that a program can replace them with the names that its users know.
class ConfigError : public Error {
 public:
  ConfigError(std::string_view place, const std::string& message, std::string_view field)
      : Error(place.empty() ? message : fmt::format("{}: {}", place, message)), field_(field) {}

  /// The invalid field; empty if the error is not about a single field.
  const std::string& field() const { return field_; }

 private:
  std::string field_;
};

/// Throws ConfigError("field: message").
template <class... Args>
[[noreturn]] void config_fail(std::string_view field, fmt::format_string<Args...> message, Args&&... args) {
  throw ConfigError(field, fmt::format(message, std::forward<Args>(args)...), field);
}

/// Throws ConfigError("place: message") for a line of a file, or for a file as a whole.
template <class... Args>
[[noreturn]] void config_fail_at(std::string_view place, fmt::format_string<Args...> message, Args&&... args) {
  throw ConfigError(place, fmt::format(message, std::forward<Args>(args)...), "");
}

}  // namespace argand
