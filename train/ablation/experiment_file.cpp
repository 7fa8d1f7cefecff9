#include "train/ablation/experiment_file.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "core/error.h"
#include "core/text/keys.h"
#include "train/config/settings.h"

// toml++ 3.3 asserts that a key follows "[["; a file with "[[[" must not abort the program.
namespace {
[[noreturn]] void not_toml() { throw argand::Error("brackets or keys that are not valid TOML"); }
}  // namespace
#define TOML_ASSERT(condition)      \
  do {                              \
    if (!(condition)) ::not_toml(); \
  } while (false)
#include <toml++/toml.h>

namespace argand {
namespace {

/// Reads the keys of one table of the file; keys that were never read are reported as unknown.
class TomlReader {
 public:
  TomlReader(const std::string& path, const toml::table& table) : path_(path), table_(table) {}

  std::string text(const char* key, const char* otherwise = nullptr) {
    const toml::node* node = take(key, otherwise == nullptr);
    if (node == nullptr) return otherwise;
    if (!node->is_string()) wrong(*node, key, "a string");
    return node->as_string()->get();
  }
  bool flag(const char* key) {
    const toml::node* node = take(key, false);
    if (node != nullptr && !node->is_boolean()) wrong(*node, key, "true or false");
    return node != nullptr && node->as_boolean()->get();
  }
  std::optional<double> number(const char* key) {
    const toml::node* node = take(key, false);
    if (node == nullptr) return std::nullopt;
    if (!node->is_number()) wrong(*node, key, "a number");
    return node->value<double>();
  }
  std::vector<std::string> texts(const char* key) {
    const toml::node* node = take(key, false);
    std::vector<std::string> all;
    if (node == nullptr) return all;
    if (!node->is_array()) wrong(*node, key, "a list");
    for (const toml::node& element : *node->as_array()) all.push_back(value(element, key));
    return all;
  }
  /// Configuration keys and their values, in command-line form.
  KeyTexts settings(const char* key) {
    const toml::node* node = take(key, false);
    KeyTexts all;
    if (node == nullptr) return all;
    if (!node->is_table()) wrong(*node, key, "a table");
    for (const auto& [name, element] : *node->as_table()) all.emplace_back(std::string(name.str()), value(element, key));
    return all;
  }
  std::vector<TomlReader> parts(const char* key) {
    const toml::node* node = take(key, false);
    std::vector<TomlReader> all;
    if (node == nullptr) return all;
    if (!node->is_array_of_tables()) wrong(*node, key, "written as [[...]]");
    for (const toml::node& element : *node->as_array()) all.emplace_back(path_, *element.as_table());
    return all;
  }
  void end() const {
    for (const auto& [name, node] : table_)
      if (const std::string key(name.str()); std::find(known_.begin(), known_.end(), key) == known_.end())
        config_fail_at(place(node), "unknown key {} here{}", key, did_you_mean(key, known_));
  }
  std::string place() const { return place(table_); }

 private:
  std::string place(const toml::node& node) const { return fmt::format("{}:{}", path_, node.source().begin.line); }
  [[noreturn]] void wrong(const toml::node& node, const char* key, const char* wanted) const {
    config_fail_at(place(node), "{} must be {}", key, wanted);
  }
  const toml::node* take(const char* key, bool needed) {
    known_.emplace_back(key);
    const toml::node* node = table_.get(key);
    if (node == nullptr && needed) config_fail_at(place(), "the key {} is missing", key);
    return node;
  }
  /// The value as text, with list items separated by commas.
  std::string value(const toml::node& node, const char* key) const {
    if (const auto* text = node.as_string()) return text->get();
    if (const auto* whole = node.as_integer()) return fmt::format("{}", whole->get());
    if (const auto* fraction = node.as_floating_point()) return fmt::format("{}", fraction->get());
    if (const auto* truth = node.as_boolean()) return truth->get() ? "true" : "false";
    if (!node.is_array()) wrong(node, key, "texts, numbers, true or false, or lists of whole numbers");
    std::string list;
    for (const toml::node& element : *node.as_array()) {
      if (!element.is_integer()) wrong(node, key, "texts, numbers, true or false, or lists of whole numbers");
      list += fmt::format("{}{}", list.empty() ? "" : ",", element.as_integer()->get());
    }
    return list;
  }

  const std::string& path_;
  const toml::table& table_;
  std::vector<std::string> known_;
};

AblationRow read_row(TomlReader& part, const KeyTexts& shared, std::set<std::string>& names) {
  AblationRow row{.name = part.text("name"),
                  .what = part.text("what", ""),
                  .settings = part.settings("settings"),
                  .paper = part.text("paper", ""),
                  .extra = part.flag("extra")};
  part.end();
  if (!is_row_name(row.name)) config_fail_at(part.place(), "\"{}\" cannot name a folder; use letters, digits, - _ . +", row.name);
  for (const auto& [key, text] : row.settings)
    if (std::any_of(shared.begin(), shared.end(), [&key = key](const auto& s) { return s.first == key; }))
      config_fail_at(part.place(), "row {} sets {}, which [settings] already sets for all rows; drop one of them", row.name, key);
  if (!names.insert(row.name).second) config_fail_at(part.place(), "two rows are named \"{}\"", row.name);
  return row;
}

AblationClaim read_claim(TomlReader& part, const std::set<std::string>& rows) {
  AblationClaim claim{.paper = part.text("paper"),
                      .better = part.text("better", ""),
                      .worse = part.text("worse", ""),
                      .within = part.number("within"),
                      .out_of_reach = part.text("out_of_reach", "")};
  part.end();
  if (claim.out_of_reach.empty() == (claim.better.empty() || claim.worse.empty()))
    config_fail_at(part.place(), "a claim must name a `better` and a `worse` row, or say why it is out_of_reach");
  for (const std::string& row : {claim.better, claim.worse})
    if (!row.empty() && !rows.contains(row))
      config_fail_at(part.place(), "unknown row \"{}\"{}", row, did_you_mean(row, {rows.begin(), rows.end()}));
  return claim;
}

toml::table parsed(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  require(file.good(), "ablate", "cannot read {}", path);
  try {
    return toml::parse(text, path);
  } catch (const toml::parse_error& error) {
    config_fail_at(fmt::format("{}:{}", path, error.source().begin.line), "{}", error.description());
  } catch (const Error& error) {
    config_fail_at(path, "{}", error.what());
  }
}

}  // namespace

Experiment read_experiment(const std::string& path) {
  const toml::table file = parsed(path);
  TomlReader all(path, file);
  Experiment experiment;
  AblationTable& table = experiment.table;
  table.task = all.text("task", "lm");
  if (table.task != "lm" && table.task != "classify")
    config_fail_at(all.place(), "task must be lm or classify, not \"{}\"", table.task);
  table.preset = all.text("preset", "small");
  table.family = all.text("family", default_family().name.c_str());
  table.source = all.text("source", "");
  table.note = all.text("note", "");
  table.costs = all.text("costs", "");
  table.interventions = all.texts("interventions");
  experiment.shared = all.settings("settings");
  experiment.rates = all.texts("rates");
  std::set<std::string> names;
  for (TomlReader& part : all.parts("row")) table.rows.push_back(read_row(part, experiment.shared, names));
  for (TomlReader& part : all.parts("claim")) table.claims.push_back(read_claim(part, names));
  all.end();
  if (table.rows.empty()) config_fail_at(path, "missing [[row]]");
  return experiment;
}

}  // namespace argand
