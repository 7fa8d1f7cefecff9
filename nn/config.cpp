#include "nn/config.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/machine/json.h"
#include "nn/family.h"

namespace argand {
namespace {

using Integers = std::vector<std::int64_t>;

/// Whether a JSON value can be read as a T.
template <class T>
bool fits(const nlohmann::json& given) {
  if constexpr (std::is_same_v<T, std::string>) return given.is_string();
  if constexpr (std::is_same_v<T, bool>) return given.is_boolean();
  if constexpr (std::is_same_v<T, std::int64_t>) return given.is_number_integer();
  if constexpr (std::is_same_v<T, Integers>)
    return given.is_array() && std::all_of(given.begin(), given.end(), [](const auto& n) { return n.is_number_integer(); });
  return given.is_number();
}

template <class T>
constexpr const char* kind_of() {
  if constexpr (std::is_same_v<T, std::string>) return "a string";
  if constexpr (std::is_same_v<T, bool>) return "true or false";
  if constexpr (std::is_same_v<T, std::int64_t>) return "a whole number";
  if constexpr (std::is_same_v<T, Integers>) return "a list of whole numbers";
  return "a number";
}

/// The unqualified name of a type, such as "QicConfig".
std::string name_of(const std::type_info& type) {
  const std::unique_ptr<char, void (*)(void*)> name(abi::__cxa_demangle(type.name(), nullptr, nullptr, nullptr), std::free);
  const std::string text = name ? name.get() : type.name();
  const std::size_t colon = text.rfind(':');
  return colon == std::string::npos ? text : text.substr(colon + 1);
}

}  // namespace

void require_size(const char* key, std::int64_t value, std::int64_t most) {
  require(value >= 1 && value <= most, "config", "{} must be between 1 and {}, got {}", key, most, value);
}

ModelConfig::ModelConfig() : ModelConfig(default_family()) {}
ModelConfig::ModelConfig(const Family& family) : family_(&family), own_(family.configuration()) {}

ModelConfig ModelConfig::defaults(const std::string& family) { return ModelConfig(family_named(family)); }

void ModelConfig::throw_not_own(const std::type_info& wanted) const {
  const FamilyConfig& own = *own_;
  fail("config", "the family {} has a {}, not a {}", family_->name, name_of(typeid(own)), name_of(wanted));
}

void ModelConfig::visit(KeyVisitor& f) {
  std::string name = family_->name;
  f.key("family", name, family_choices().c_str(), "architecture");
  if (name != family_->name) {
    family_ = &family_named(name);
    own_ = family_->configuration();
  }
  f("task", task, "lm: predict the next token; classify: predict the label of a text");
  if (task == TextTask::Classify) f("n_classes", n_classes, "number of labels");
  f("vocab_size", vocab_size, "number of token ids (0: from the data)");
  f("max_seq_len", max_seq_len, "longest sequence, in tokens");
  f("n_layers", n_layers, "number of blocks");
  f("d_model", d_model, "width, in real degrees of freedom");
  f("n_heads", n_heads, "attention heads; their number must divide d_model");
  f("d_ff", d_ff, "width of the feed-forward layer");
  f("dropout", dropout, "probability of dropping an activation in training");
  own_->visit(f);
}

ModelConfig ModelConfig::from_json(const std::string& text) {
  require(!nested_too_deeply(text), "config", "nested more than {} levels deep", deepest_json);
  auto json = try_parse_json<nlohmann::json>(text);
  require(json.is_object(), "config", "not a JSON object");
  require(json.contains("family") && json["family"].is_string(), "config", "the key \"family\" is missing");
  for (const auto& [before, now] : renamed_keys)
    if (json.contains(before) && !json.contains(now)) {
      json[now] = std::move(json[before]);
      json.erase(before);
    }
  ModelConfig config = defaults(json["family"].get<std::string>());
  std::vector<std::string> known;
  config.visit([&](const std::string& key, auto& value, const std::string&, const std::string&) {
    using T = std::remove_reference_t<decltype(value)>;
    known.push_back(key);
    if (!json.contains(key)) return;
    const auto& given = json[key];
    require(fits<T>(given), "config", "\"{}\" must be {}, got {}", key, kind_of<T>(), given.dump());
    value = given.template get<T>();
  });
  // The parity cases contain the key n_classes for every task.
  known.push_back("n_classes");
  for (const auto& [key, value] : json.items())
    if (std::find(known.begin(), known.end(), key) == known.end())
      fail("config", "the family {} has no key \"{}\"{}", config.family().name, key, did_you_mean(key, known));
  config.validate();
  return config;
}

std::string ModelConfig::to_json() const {
  nlohmann::ordered_json json;
  ModelConfig copy = *this;
  copy.visit([&](const std::string& key, auto& value, const std::string&, const std::string&) { json[key] = value; });
  return json.dump();
}

void ModelConfig::validate() const {
  require(vocab_size >= 0 && vocab_size <= 100'000'000, "config", "vocab_size must be between 0 and 100000000, got {}", vocab_size);
  require_size("n_classes", n_classes, 1'000'000);
  require_size("max_seq_len", max_seq_len, 1'000'000);
  require_size("n_layers", n_layers, 10'000);
  require_size("d_model", d_model, 1'000'000);
  require_size("n_heads", n_heads, d_model);
  require_size("d_ff", d_ff, 10'000'000);
  require(d_model % n_heads == 0, "config", "n_heads {} does not divide d_model {}", n_heads, d_model);
  require(dropout >= 0 && dropout < 1, "config", "dropout must be in [0, 1), got {}", dropout);
  own_->validate(*this);
}

}  // namespace argand
