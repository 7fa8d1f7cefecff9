#include "train/ablation/json_reader.h"

#include <algorithm>
#include <cmath>

#include "core/text/keys.h"
#include "data/files/utf8.h"

namespace argand {

JsonReader::JsonReader(std::string place, const Json& value) : place_(std::move(place)), value_(&value) {
  if (!value.is_object()) fail("must be an object, {{...}}");
}

const JsonReader::Json& JsonReader::any(const char* key) {
  known_.emplace_back(key);
  const auto found = value_->find(key);
  if (found == value_->end()) fail("the key {} is missing", key);
  return *found;
}

bool JsonReader::is_number(const Json& value) { return value.is_number() && std::abs(value.get<double>()) <= 1e100; }

double JsonReader::number(const char* key) {
  const Json& value = any(key);
  if (!is_number(value)) fail("{} must be a number", key);
  return value.get<double>();
}

std::int64_t JsonReader::whole(const char* key) {
  const Json& value = any(key);
  if (!value.is_number_integer() || value < 0 || value > std::int64_t{1} << 62) fail("{} must be a whole number, 0 or more", key);
  return value.get<std::int64_t>();
}

std::string JsonReader::text(const char* key) {
  const Json& value = any(key);
  if (!value.is_string()) fail("{} must be a string", key);
  const auto text = value.get<std::string>();
  if (on_one_line(text) != text) fail("{} must be on one line", key);
  return text;
}

const JsonReader::Json& JsonReader::object(const char* key) {
  const Json& value = any(key);
  if (!value.is_object()) fail("{} must be an object, {{...}}", key);
  return value;
}

const JsonReader::Json& JsonReader::list(const char* key) {
  const Json& value = any(key);
  if (!value.is_array()) fail("{} must be a list, [...]", key);
  return value;
}

JsonReader JsonReader::part(const char* key) { return {at(key), object(key)}; }

std::vector<JsonReader> JsonReader::parts(const char* key) {
  std::vector<JsonReader> all;
  for (const Json& element : list(key)) all.emplace_back(fmt::format("{}[{}]", at(key), all.size()), element);
  return all;
}

std::vector<double> JsonReader::numbers(const char* key) {
  std::vector<double> all;
  for (const Json& element : list(key)) {
    if (!is_number(element)) fail("{} must be a list of numbers", key);
    all.push_back(element.get<double>());
  }
  return all;
}

const JsonReader::Json& JsonReader::entries() {
  for (const auto& [key, _] : value_->items()) known_.push_back(key);
  return *value_;
}

void JsonReader::end() const {
  for (const auto& [key, _] : value_->items())
    if (std::find(known_.begin(), known_.end(), key) == known_.end())
      fail("unknown key {}{}", in_quotes(key), did_you_mean(key, known_));
}

}  // namespace argand
