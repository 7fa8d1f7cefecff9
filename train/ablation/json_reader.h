#pragma once
/// Reads a JSON object from an untrusted source key by key; error messages include the location in the file.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"

namespace argand {

class JsonReader {
 public:
  using Json = nlohmann::ordered_json;
  /// `place` describes where the object is. Throws InputError, starting with `place`, if the value is not an object; the other
  /// functions throw it for a missing key or a value of the wrong type.
  JsonReader(std::string place, const Json& value);

  double number(const char* key);       ///< finite, see is_number()
  std::int64_t whole(const char* key);  ///< an integer >= 0
  std::string text(const char* key);    ///< a single line
  const Json& any(const char* key);
  const Json& object(const char* key);
  const Json& list(const char* key);
  JsonReader part(const char* key);                ///< an object
  std::vector<JsonReader> parts(const char* key);  ///< the objects of a list
  std::vector<double> numbers(const char* key);    ///< a list of numbers
  /// Whether the value is a number of absolute value at most 1e100, so that sums and squares remain finite.
  static bool is_number(const Json& value);
  bool has(const char* key) const { return value_->contains(key); }
  /// All keys and values, for objects whose keys are data.
  const Json& entries();

  /// Throws InputError for the first key that has not been read.
  void end() const;
  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> message, Args&&... args) const {
    input_fail(place_, "{}", fmt::format(message, std::forward<Args>(args)...));
  }
  const std::string& place() const { return place_; }

 private:
  std::string at(const char* key) const { return place_ + ": " + key; }

  std::string place_;
  const Json* value_;
  std::vector<std::string> known_;
};

}  // namespace argand
