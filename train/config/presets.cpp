#include "train/config/presets.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "core/text/keys.h"

namespace argand {
namespace {

/// The presets of every family. A key with a question mark is set only if the family has it. `shakespeare` is nanoGPT's recipe for
/// CPU-only machines (github.com/karpathy/nanoGPT, README and config/train_shakespeare_char.py), in which the validation part is
/// the last tenth of the text.
const std::vector<Preset>& common() {
  static const std::vector<Preset> presets = {
      {"small",
       "lm",
       {{"n_layers", "2"},
        {"d_model", "128"},
        {"n_heads", "4"},
        {"d_ff", "512"},
        {"max_seq_len", "128"},
        {"length", "128"},
        {"batch", "16"},
        {"steps", "500"},
        {"lr", "4e-3"},
        {"final_lr", "0.1"},
        {"warmup", "50"},
        {"clip", "1"},
        {"beta1", "0.9"},
        {"beta2", "0.98"},
        {"eps", "1e-9"},
        {"weight_decay", "0.1"}}},
      {"paper",
       "lm",
       {{"n_layers", "8"},
        {"d_model", "512"},
        {"n_heads", "8"},
        {"d_ff", "1024"},
        {"dropout", "0.1"},
        {"max_seq_len", "512"},
        {"length", "512"},
        {"batch", "8"},
        {"steps", "5000"},
        {"lr", "1e-4"},
        {"final_lr", "0"},
        {"warmup", "5%"},
        {"clip", "1"},
        {"beta1", "0.9"},
        {"beta2", "0.98"},
        {"eps", "1e-9"},
        {"weight_decay", "0.01"}}},
      {"shakespeare", "lm", {{"tokens", "char"},      {"split", "90/10"},    {"n_layers", "4"},          {"d_model", "128"},
                             {"n_heads", "4"},        {"d_ff", "512"},       {"attn_bias?", "false"},    {"ffn_bias?", "false"},
                             {"dropout", "0"},        {"max_seq_len", "64"}, {"length", "64"},           {"batch", "12"},
                             {"steps", "2000"},       {"lr", "1e-3"},        {"final_lr", "0.1"},        {"warmup", "100"},
                             {"clip", "1"},           {"beta1", "0.9"},      {"beta2", "0.99"},          {"eps", "1e-8"},
                             {"weight_decay", "0.1"}, {"eval_every", "500"}, {"checkpoint_every", "500"}}},
      {"small",
       "classify",
       {{"n_layers", "2"},
        {"d_model", "64"},
        {"n_heads", "4"},
        {"d_ff", "128"},
        {"max_seq_len", "128"},
        {"words", "20000"},
        {"batch", "32"},
        {"epochs", "5"},
        {"lr", "1e-3"},
        {"final_lr", "0.1"},
        {"warmup", "8%"},
        {"clip", "1"},
        {"beta1", "0.9"},
        {"beta2", "0.98"},
        {"eps", "1e-9"},
        {"weight_decay", "0.1"},
        {"eval_every", "-1"},
        {"checkpoint_every", "-1"}}}};
  return presets;
}

/// The first preset with this name and task (any task if `task` is ""); null if there is none.
const Preset* find(const std::vector<Preset>& presets, const std::string& name, const std::string& task) {
  const auto found = std::find_if(presets.begin(), presets.end(),
                                  [&](const Preset& p) { return p.name == name && (task.empty() || p.task == task); });
  return found == presets.end() ? nullptr : &*found;
}

/// The preset that this name refers to for the family: one of its presets, a common one, or another family's.
const Preset* find(const Family& family, const std::string& name, const std::string& task) {
  if (const Preset* own = find(family.presets, name, task)) return own;
  if (const Preset* shared = find(common(), name, task)) return shared;
  for (const Family& other : families())
    if (const Preset* theirs = find(other.presets, name, task); theirs != nullptr && theirs->for_every_family) return theirs;
  return nullptr;
}

}  // namespace

std::string preset_choices(const std::string& task) {
  std::vector<std::string> names;
  const auto add = [&](const std::vector<Preset>& presets) {
    for (const Preset& p : presets)
      if (p.task == task && std::find(names.begin(), names.end(), p.name) == names.end()) names.push_back(p.name);
  };
  add(common());
  for (const Family& family : families()) add(family.presets);
  return fmt::format("{}", fmt::join(names, "|"));
}

const Family& family_of_preset(const std::string& preset) {
  if (find(common(), preset, "") == nullptr)
    for (const Family& family : families())
      if (find(family.presets, preset, "") != nullptr) return family;
  return default_family();
}

Settings preset_settings(const std::string& preset, const std::string& task, const Family& family) {
  const std::vector<std::string> known = split_choices(preset_choices(task));
  if (std::find(known.begin(), known.end(), preset) == known.end())
    config_fail("preset", "\"{}\" is not one of {}{}", preset, preset_choices(task), did_you_mean(preset, known));
  const Preset* found = find(family, preset, task);
  if (found == nullptr)
    config_fail("preset", "\"{}\" is for the family {}, not for {}", preset, family_of_preset(preset).name, family.name);
  std::set<std::string> keys;
  ModelConfig(family).visit([&](const char* key, auto&, const char*, const char*) { keys.insert(key); });
  Settings settings;
  for (auto [key, text] : found->settings) {
    if (key.ends_with('?')) {
      key.pop_back();
      if (!keys.contains(key)) continue;
    }
    settings.push_back({key, text, "preset " + preset});
  }
  return settings;
}

}  // namespace argand
