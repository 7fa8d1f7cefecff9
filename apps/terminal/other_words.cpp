#include "apps/terminal/other_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "apps/terminal/option_names.h"
#include "train/config/other_words.h"

namespace argand {
namespace {

/// "--d-model" -> "d_model".
std::string key_of(std::string option) {
  option.erase(0, option.find_first_not_of('-'));
  std::replace(option.begin(), option.end(), '-', '_');
  return option;
}

}  // namespace

std::string hint_for(const std::string& option, const std::vector<std::string>& known) {
  const auto has = [&](const std::string& name) { return std::find(known.begin(), known.end(), name) != known.end(); };
  const std::string key = key_of(option), name = option_name(key);
  if (has(name)) return "; it is called " + name + " here";  // --batch_size, as nanoGPT has it
  for (const char* machine : {"--device", "--gpu", "--gpus", "--cuda", "--no-cuda", "--cpu", "--mps"})
    if (name == machine)
      return has("--threads") ? "; argand runs on the CPU; set the number of threads with --threads" : "; argand runs on the CPU";
  std::vector<std::string> keys;
  std::transform(known.begin(), known.end(), std::back_inserter(keys), key_of);
  const auto other = other_word(key, keys);
  return other ? fmt::format("; it is called {} here{}", option_name(other->ours), other->more) : "";
}

}  // namespace argand
