#include "nn/config.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <type_traits>

#include "core/error.h"

namespace argand {
namespace {

std::string hint(const std::string& word, const std::vector<std::string>& known) {
  const std::string close = closest_word(word, known);
  return close.empty() ? "" : fmt::format("; did you mean \"{}\"?", close);
}

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
  if constexpr (std::is_same_v<T, std::string>) return "a word";
  if constexpr (std::is_same_v<T, bool>) return "true or false";
  if constexpr (std::is_same_v<T, std::int64_t>) return "a whole number";
  if constexpr (std::is_same_v<T, Integers>) return "a list of whole numbers";
  return "a number";
}

std::string choices_of_family() {
  std::string choices;
  ModelConfig().visit([&](const std::string& key, auto&, const std::string& words, const std::string&) {
    if (key == "family") choices = words;
  });
  return choices;
}

}  // namespace

std::vector<std::string> split_choices(std::string_view choices) {
  std::vector<std::string> words;
  while (!choices.empty()) {
    const auto bar = std::min(choices.find('|'), choices.size());
    words.emplace_back(choices.substr(0, bar));
    choices = choices.substr(std::min(bar + 1, choices.size()));
  }
  return words;
}

std::string closest_word(const std::string& word, const std::vector<std::string>& known) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& candidate : known) {
    // Levenshtein's distance, one row at a time.
    std::vector<std::size_t> row(candidate.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= word.size(); ++i) {
      std::size_t diagonal = row[0];
      row[0] = i;
      for (std::size_t j = 1; j <= candidate.size(); ++j) {
        const std::size_t substituted = diagonal + (word[i - 1] != candidate[j - 1]);
        diagonal = row[j];
        row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
      }
    }
    if (row.back() < best_distance) best_distance = row.back(), best = candidate;
  }
  return best;
}

ModelConfig ModelConfig::defaults(const std::string& family) {
  const std::string choices = choices_of_family();
  const auto families = split_choices(choices);
  require(std::find(families.begin(), families.end(), family) != families.end(), "config", "family \"{}\" is not one of {}{}",
          family, choices, hint(family, families));
  ModelConfig config;
  config.family = family;
  if (family == "complexformer") {
    config.position = "none";
    config.attn_bias = false;
  }
  if (family == "crope") {
    config.position = "rope";
    config.rope_base = 5000;
    config.norm = "rmsnorm";
    config.ffn = "swiglu";
    config.attn_bias = config.ffn_bias = false;
    config.qk_norm = true;
    config.mode = "all";
  }
  if (family == "qic") config.norm = "qic_layernorm";
  return config;
}

ModelConfig ModelConfig::from_json(const std::string& text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  require(json.is_object(), "config", "not a JSON object");
  require(json.contains("family") && json["family"].is_string(), "config", "the key \"family\" is missing");
  ModelConfig config = defaults(json["family"].get<std::string>());
  if (json.contains("task") && json["task"].is_string())
    config.task = json["task"].get<std::string>();  // decides which keys there are
  std::vector<std::string> known;
  config.visit([&](const std::string& key, auto& value, const std::string&, const std::string&) {
    using T = std::remove_reference_t<decltype(value)>;
    known.push_back(key);
    if (!json.contains(key)) return;
    const auto& given = json[key];
    require(fits<T>(given), "config", "\"{}\" must be {}, got {}", key, kind_of<T>(), given.dump());
    value = given.template get<T>();
  });
  // Reference cases carry n_classes for every task.
  known.push_back("n_classes");
  for (const auto& [key, value] : json.items())
    require(std::find(known.begin(), known.end(), key) != known.end(), "config", "the family {} has no key \"{}\"{}", config.family,
            key, hint(key, known));
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
  ModelConfig copy = *this;
  copy.visit([&](const std::string& key, auto& value, const std::string& choices, const std::string&) {
    if constexpr (std::is_same_v<std::remove_reference_t<decltype(value)>, std::string>) {
      const auto words = split_choices(choices);
      require(std::find(words.begin(), words.end(), value) != words.end(), "config", "{} \"{}\" is not one of {}{}", key, value,
              choices, hint(value, words));
    }
  });
  const auto positive = [](const char* key, std::int64_t value, std::int64_t most) {
    require(value >= 1 && value <= most, "config", "{} must be between 1 and {}, got {}", key, most, value);
  };
  require(vocab_size >= 0 && vocab_size <= 100'000'000, "config", "vocab_size must be between 0 and 100000000, got {}", vocab_size);
  positive("n_classes", n_classes, 1'000'000);
  positive("max_seq_len", max_seq_len, 1'000'000);
  positive("n_layers", n_layers, 10'000);
  positive("d_model", d_model, 1'000'000);
  positive("n_heads", n_heads, d_model);
  positive("d_ff", d_ff, 10'000'000);
  require(d_model % n_heads == 0, "config", "n_heads {} does not divide d_model {}", n_heads, d_model);
  const bool pairs = family == "complexformer" || family == "crope" || (is_decoder() && position == "rope");
  require(!pairs || d_model / n_heads % 2 == 0, "config",
          "each head needs an even width to form pairs: d_model {} / n_heads {} = {}", d_model, n_heads, d_model / n_heads);
  if (family == "crat") {
    require(states == "complex" || attention == "dot", "config",
            "real states have no phases to attend by; choose states complex or attention dot");
    require(d_model % 2 == 0 && d_ff % 2 == 0, "config", "complex numbers need an even d_model and d_ff, got {} and {}", d_model,
            d_ff);
    require(states == "real" || d_model % (2 * n_heads) == 0, "config",
            "each head needs whole complex numbers: 2 * n_heads {} does not divide d_model {}", n_heads, d_model);
    positive("irw_dim", irw_dim, 1'000'000);
    positive("irw_top_k", irw_top_k, 1'000'000);
    require(irw_temperature > 0 && std::isfinite(irw_temperature), "config", "irw_temperature must be positive, got {}",
            irw_temperature);
    for (std::size_t i = 0; i < irw_layers.size(); ++i) {
      require(irw_layers[i] >= 0 && irw_layers[i] < n_layers, "config", "irw_layers names layer {}, but layers are 0 to {}",
              irw_layers[i], n_layers - 1);
      require(i == 0 || irw_layers[i] > irw_layers[i - 1], "config", "irw_layers must be in ascending order, each once");
    }
  }
  require(!mode.starts_with("half_") || d_model % (4 * n_heads) == 0, "config",
          "mode {} halves the heads and still needs pairs: 4 * n_heads {} does not divide d_model {}", mode, n_heads, d_model);
  require(!is_decoder() || position != "sinusoidal" || d_model % 2 == 0, "config",
          "sinusoidal positions need an even d_model, got {}", d_model);
  if (family == "qic" && algebra != "real" && algebra != "standard") {
    const std::int64_t parts = algebra == "quaternion" ? 4 : 2;
    require(d_model / n_heads % parts == 0, "config", "each head needs whole numbers of {} parts: d_model {} / n_heads {} = {}",
            parts, d_model, n_heads, d_model / n_heads);
    require(d_ff % parts == 0, "config", "d_ff {} does not hold whole numbers of {} parts", d_ff, parts);
    require(std::isfinite(theta_init), "config", "theta_init must be a number, got {}", theta_init);
  }
  require(dropout >= 0 && dropout < 1, "config", "dropout must be in [0, 1), got {}", dropout);
  require(rope_base > 0 && std::isfinite(rope_base), "config", "rope_base must be positive, got {}", rope_base);
  require(pcl_weight >= 0 && std::isfinite(pcl_weight), "config", "pcl_weight must not be negative, got {}", pcl_weight);
  require(pcl_temperature > 0, "config", "pcl_temperature must be positive, got {}", pcl_temperature);
}

}  // namespace argand
