#include "apps/terminal/other_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "apps/terminal/option_names.h"
#include "core/text/keys.h"
#include "train/config/other_words.h"

namespace argand {
namespace {

/// Converts "--d-model" to "d_model".
std::string key_of(std::string option) {
  option.erase(0, option.find_first_not_of('-'));
  std::replace(option.begin(), option.end(), '-', '_');
  return option;
}

}  // namespace

std::string hint_for(const std::string& option, const std::vector<std::string>& known) {
  const auto has = [&](const std::string& name) { return std::find(known.begin(), known.end(), name) != known.end(); };
  const std::string key = key_of(option), name = option_name(key);
  if (has(name)) return "; it is called " + name + " here";  // --batch_size, as in nanoGPT
  for (const char* machine : {"--device", "--gpu", "--gpus", "--cuda", "--no-cuda", "--cpu", "--mps"})
    if (name == machine)
      return has("--threads") ? "; argand runs on the CPU; set the number of threads with --threads" : "; argand runs on the CPU";
  std::vector<std::string> keys;
  std::transform(known.begin(), known.end(), std::back_inserter(keys), key_of);
  const auto other = other_word(key, keys);
  return other ? fmt::format("; it is called {} here{}", option_name(other->ours), other->more) : "";
}

std::string hint_for_command(const std::string& word, const std::vector<std::string>& commands) {
  constexpr std::pair<const char*, const char*> others[] = {
      {"grad", "lab"},      {"diff", "lab"},          {"derive", "lab"},       {"check", "gradcheck"},
      {"plot", "portrait"}, {"draw", "portrait"},     {"tape", "graph"},       {"evaluate", "eval"},
      {"test", "eval"},     {"sample", "generate"},   {"predict", "classify"}, {"finetune", "train"},
      {"ops", "explain"},   {"homework", "exercise"}, {"ablation", "ablate"},  {"search", "sweep"},
  };
  for (const auto& [theirs, ours] : others)
    if (word == theirs) return fmt::format("; did you mean {}?", ours);
  return did_you_mean(word, commands);
}

}  // namespace argand
