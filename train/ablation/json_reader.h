#pragma once
/// Reads a JSON object whose writer is not known: key by key, with the place of what is wrong.

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
  /// `place`: the object's, for messages. Throws InputError, starting with it, when the value is no object; as all functions do for
  /// a missing key and a value of the wrong type.
  JsonReader(std::string place, const Json& value);

  double number(const char* key);       ///< see is_number
  std::int64_t whole(const char* key);  ///< 0 or more
  std::string text(const char* key);    ///< on one line
  const Json& any(const char* key);
  const Json& object(const char* key);
  const Json& list(const char* key);
  JsonReader part(const char* key);                ///< an object
  std::vector<JsonReader> parts(const char* key);  ///< the objects of a list
  std::vector<double> numbers(const char* key);    ///< a list of such
  /// Numbers whose sums and squares are finite: at most 1e100.
  static bool is_number(const Json& value);
  bool has(const char* key) const { return value_->contains(key); }
  /// All keys and values, for objects whose keys are data.
  const Json& entries();

  /// Throws InputError for the first key that was not asked for.
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
