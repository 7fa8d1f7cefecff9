#include "train/config/changes.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace argand {
namespace {

template <std::size_t n>
bool has_key(const std::array<std::string_view, n>& keys, std::string_view key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

constexpr std::array<std::string_view, 14> changeable = {
    "steps",     "epochs",     "early_stop",   "lr",   "final_lr",     "decay_steps",   "clip",
    "log_every", "eval_every", "eval_batches", "keep", "sample_every", "sample_tokens", "checkpoint_every"};
constexpr std::array<std::string_view, 5> of_a_step = {"batch", "length", "accumulate", "accumulate_by", "seed"};
constexpr std::array<std::string_view, 2> of_validations = {"eval_protocol", "best_by"};

/// The reason why a run cannot change this key.
std::string_view reason_unchangeable(const RunConfig& config, std::string_view key) {
  if (has_key(of_a_step, key)) return "each step's data depend on it";
  if (has_key(of_validations, key)) return "validations before and after could not be compared";
  if (key == "class_weights") return "losses before and after could not be compared";
  if (key == "warmup") return "the warm-up is at the start of the run";
  if (key == "precision") return "the run's parameters have the precision it began with";
  if (key == "init") return "it sets the weights of a new run";
  if (key == "preset") return "it sets the sizes and the recipe of a new run";
  std::string_view why = "it determines the data, and the run continues with those it began with";
  RunConfig copy = config;
  copy.model.visit([&](std::string_view own, auto&, const char*, const char*) {
    if (own == key) why = "the run's weights belong to that model";
  });
  copy.optimizer.visit([&](std::string_view own, auto&, const char*, const char*) {
    if (own == key) why = "the optimizer state depends on it";
  });
  return why;
}

std::int64_t end_of_cosine(const TrainingConfig& t) { return t.decay_steps > 0 ? t.decay_steps : t.steps; }

}  // namespace

void require_changeable(const RunConfig& config, const Setting& setting) {
  if (has_key(changeable, setting.key) || setting.key == "milestone_every") return;
  setting_fail(setting, "cannot change when a run is resumed: {}; `init` starts a new run from its weights",
               reason_unchangeable(config, current_key(setting.key)));
}

std::vector<ChangedNumber> changes_of_rate(const RunConfig& before, const RunConfig& now) {
  const TrainingConfig &a = before.training, &b = now.training;
  std::vector<ChangedNumber> changes;
  const auto compare = [&](const char* key, double x, double y) {
    if (x != y) changes.push_back({key, x, y});
  };
  compare("lr", a.lr, b.lr);
  compare("final_lr", a.final_lr, b.final_lr);
  compare("clip", a.clip, b.clip);
  compare("decay_steps", static_cast<double>(end_of_cosine(a)), static_cast<double>(end_of_cosine(b)));
  return changes;
}

}  // namespace argand
