#include "train/config/run_config.h"

#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>

#include "core/machine/address_space.h"
#include "core/machine/json.h"
#include "core/text/keys.h"
#include "data/corpora/text_parts.h"
#include "data/files/utf8.h"
#include "data/tokens/tokenizer.h"
#include "train/config/changes.h"
#include "train/config/other_words.h"
#include "train/config/presets.h"

namespace argand {
namespace {

using Json = nlohmann::ordered_json;

/// The defaults of this family for this task.
ModelConfig defaults(const Family& family, TextTask task) {
  ModelConfig model(family);
  model.task = task;
  return model;
}

/// Sets one key. Throws ConfigError if this configuration has no such key.
void set(RunConfig& config, Setting setting) {
  setting.key = current_key(setting.key);
  bool found = false;
  std::vector<std::string> known;
  config.visit([&](const char* key, auto& value, const char* choices, const char*) {
    known.push_back(key);
    if (setting.key != key || found) return;
    found = true;
    assign(setting, choices, value);
  });
  if (found) return;
  const TextTask task = config.model.task, other = task == TextTask::Lm ? TextTask::Classify : TextTask::Lm;
  const auto by_key = families_by_key(task);
  const auto owner = by_key.find(setting.key);
  if (owner == by_key.end()) {
    if (families_by_key(other).contains(setting.key)) setting_fail(setting, "the task {} has no such key", word_of(task));
    if (const auto theirs = other_word(setting.key, known))
      setting_fail(setting, "unknown key; it is called {} here{}", theirs->ours, theirs->more);
    setting_fail(setting, "unknown key{}", did_you_mean(setting.key, known));
  }
  const std::vector<std::string>& owners = owner->second;
  const std::string& family = config.model.family().name;
  if (std::find(owners.begin(), owners.end(), family) != owners.end())
    setting_fail(setting, "the family {} has this key, but not with these settings", family);
  setting_fail(setting, "the family {} has no such key; it belongs to {}", family, fmt::join(owners, ", "));
}

/// Rejects unknown keys in a checkpoint, because ignoring them silently would be wrong.
void require_known(const std::string& key, const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), key) == known.end())
    fail("config", "unknown key {}{}", in_quotes(key), did_you_mean(key, known));
}

/// Whether older runs may lack this key. If so, from_json sets the value that they used, so that they continue unchanged.
bool is_newer_key(std::string_view key, TextTask task) {
  if (task == TextTask::Lm && (key == "tokens" || key == "words")) return true;
  if (key == "keep" || key == "milestone_every" || key == "best_by" || key == "class_weights") return true;
  if (key == "split" || key == "text_column" || key == "label_column" || key == "delimiter" || key == "header" ||
      key == "valid_share")
    return true;
  constexpr std::array<std::string_view, 10> later = {
      "complex_moments", "decay",        "eval_protocol", "accumulate_by", "init",
      "decay_steps",     "eval_batches", "early_stop",    "sample_every",  "sample_tokens"};
  return std::find(later.begin(), later.end(), key) != later.end();
}

/// A rough estimate of the memory needed for a step's parameters and activations, so that a run too large for the machine is
/// rejected at once.
double estimated_bytes(const RunConfig& c) {
  const auto d = static_cast<double>(c.model.d_model), layers = static_cast<double>(c.model.n_layers);
  const auto d_ff = static_cast<double>(c.model.d_ff), vocabulary = static_cast<double>(c.model.vocab_size);
  const std::int64_t length = c.model.task == TextTask::Lm ? c.training.length : c.model.max_seq_len;
  const auto tokens = static_cast<double>(c.training.batch) * static_cast<double>(length);
  const double parameters = vocabulary * d + layers * (4 * d * d + 2 * d * d_ff);
  const double activations = tokens * layers * (8 * d + 2 * d_ff);
  const double ids = static_cast<double>(c.training.accumulate) * (8 * tokens + 256);         // all batches of a step coexist
  return (4 * parameters + activations) * (c.training.precision == "float64" ? 8 : 4) + ids;  // value, gradient, two moments
}

double machine_bytes() { return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE)); }

/// Rejects a run that exceeds the machine's memory or a limit of the process.
void require_memory(const RunConfig& config) {
  const double needed = estimated_bytes(config), there = machine_bytes();
  const char* smaller = "reduce `d_model`, `n_layers`, `batch`, `length` or `accumulate`";
  if (needed > there)
    config_fail_at("config", "these sizes need about {:.0f} GiB, but this machine has {:.0f}; {}", needed / 0x1p30, there / 0x1p30,
                   smaller);
  const std::optional<AddressSpace> space = address_space();
  if (space && needed > static_cast<double>(space->left()))
    config_fail_at("config", "these sizes need about {:.0f} MB of address space, but the limit (ulimit -v) of {} MB leaves {}; {}",
                   needed / 0x1p20, space->limit >> 20, space->left() >> 20, smaller);
}

/// Sequences and their tokens are numbered consecutively throughout a run, so the total must fit in 63 bits.
void require_countable(const TrainingConfig& t) {
  std::int64_t all = 1;
  bool fits = true;
  for (const std::int64_t factor : {std::max<std::int64_t>(1, t.steps), t.batch, t.accumulate, t.length})
    fits = fits && !__builtin_mul_overflow(all, factor, &all);
  if (!fits)
    config_fail("steps", "{} steps of {} batches of {} x {} tokens exceed 2^63; use fewer `steps`", t.steps, t.accumulate, t.batch,
                t.length);
}

}  // namespace

void for_each_family(TextTask task, const std::function<void(RunConfig&)>& f) {
  for (const Family& family : families()) {
    RunConfig config;
    config.model = defaults(family, task);
    f(config);
  }
}

std::map<std::string, std::vector<std::string>, std::less<>> families_by_key(TextTask task) {
  std::map<std::string, std::vector<std::string>, std::less<>> families;
  for_each_family(task, [&](RunConfig& config) {
    config.visit([&](std::string_view key, auto&, const char*, const char*) {
      families[std::string(key)].push_back(config.model.family().name);
    });
  });
  return families;
}

RunConfig RunConfig::resolve(const Settings& file, const Settings& given, const std::string& task) {
  Settings all = file;
  all.insert(all.end(), given.begin(), given.end());
  const std::string preset = last_text(all, "preset", "small");
  std::erase_if(all, [](const Setting& s) { return s.key == "preset"; });
  const auto has = [](const Settings& settings, std::string_view key) {
    return std::any_of(settings.begin(), settings.end(), [&](const Setting& s) { return s.key == key; });
  };
  const auto is_set = [&](std::string_view key) { return has(all, key); };

  RunConfig config;
  config.model = defaults(family_of_preset(preset), value_of_word<TextTask>("task", task));
  for (const Setting& s : all)
    if (s.key == "family" || s.key == "task") set(config, s);
  config.model = defaults(config.model.family(), config.model.task);  // the family and the task determine which keys exist
  config.training.data = config.model.task == TextTask::Lm ? "grammar" : "topics";
  if (config.model.task == TextTask::Lm) config.training.words = 0;
  for (const Setting& s : preset_settings(preset, word_of(config.model.task), config.model.family())) set(config, s);
  for (const Setting& s : all) set(config, s);
  config.classes_from_data = !is_set("n_classes");

  // If only `length` or only `max_seq_len` is given, it sets both; a preset's warm-up takes at most a tenth of the steps.
  if (is_set("length") && !is_set("max_seq_len")) config.model.max_seq_len = config.training.length;
  if (is_set("max_seq_len") && !is_set("length")) config.training.length = config.model.max_seq_len;
  // A configuration file written by a run contains both the epochs and the corresponding steps.
  if (has(given, "steps") && has(given, "epochs")) config_fail("epochs", "`steps` also sets how long to train; drop one of them");
  if (has(given, "steps") || (has(file, "steps") && !is_set("epochs"))) config.training.epochs = 0;
  if (config.training.epochs > 0) config.training.steps = 0;
  if (!is_set("warmup") && config.training.steps > 0 && config.schedule().warmup > config.training.steps / 10)
    config.training.warmup = fmt::format("{}", config.training.steps / 10);
  config.validate();
  return config;
}

RunConfig RunConfig::extended(const Settings& more) const {
  RunConfig longer = *this;
  bool steps = false, epochs = false;
  bool decay = false;
  for (const Setting& s : more) {
    require_changeable(*this, s);
    set(longer, s);
    steps |= s.key == "steps";
    epochs |= s.key == "epochs";
    decay |= s.key == "decay_steps";
  }
  if (steps && epochs) config_fail("epochs", "`steps` also sets how long to train; drop one of them");
  if (steps) longer.training.epochs = 0;
  if ((steps || epochs) && !decay && training.decay_steps == 0) longer.training.decay_steps = training.steps;
  longer.validate();
  return longer;
}

WarmupCosine RunConfig::schedule() const {
  const std::int64_t total = training.decay_steps > 0 ? training.decay_steps : training.steps;
  const bool share = training.warmup.ends_with('%');
  const Setting setting{"warmup", share ? training.warmup.substr(0, training.warmup.size() - 1) : training.warmup, "warmup"};
  std::int64_t warmup = 0;
  if (share) {
    double percent = 0;
    assign(setting, "", percent);
    warmup = static_cast<std::int64_t>(std::clamp(percent, 0.0, 100.0) / 100 * static_cast<double>(total));
  } else {
    assign(setting, "", warmup);
  }
  return {.peak = training.lr, .final = training.lr * training.final_lr, .warmup = warmup, .total = total};
}

void RunConfig::validate() const {
  const auto at_least = [](std::int64_t least, std::int64_t value, std::string_view key, std::int64_t most = longest_run) {
    if (value < least) config_fail(key, "must be at least {}, got {}", least, value);
    if (value > most) config_fail(key, "must be at most {}, got {}", most, value);
  };
  constexpr std::int64_t most_of_a_step = 1'000'000, most_seeds = std::numeric_limits<std::int64_t>::max();
  const TrainingConfig& t = training;
  at_least(0, t.epochs, "epochs");
  if (t.epochs == 0) at_least(1, t.steps, "steps");
  at_least(1, t.batch, "batch", most_of_a_step);
  at_least(1, t.length, "length", most_of_a_step);
  at_least(1, t.accumulate, "accumulate", most_of_a_step);
  at_least(1, t.log_every, "log_every");
  at_least(0, t.decay_steps, "decay_steps");
  at_least(0, t.eval_batches, "eval_batches");
  at_least(0, t.early_stop, "early_stop");
  at_least(-1, t.sample_every, "sample_every");
  at_least(1, t.sample_tokens, "sample_tokens");
  at_least(-1, t.keep, "keep");
  at_least(0, t.milestone_every, "milestone_every");
  if (t.early_stop > 0 && t.eval_every == 0)
    config_fail("early_stop", "counts validations, but with `eval_every` 0 there is only one, at the end");
  at_least(-1, t.eval_every, "eval_every");
  at_least(-1, t.checkpoint_every, "checkpoint_every");
  at_least(0, t.seed, "seed", most_seeds);
  at_least(model.task == TextTask::Lm ? 0 : 1, t.words, "words");
  at_least(0, t.train_articles, "train_articles");
  at_least(0, t.test_articles, "test_articles");
  at_least(0, knowledge.irw_passages, "irw_passages");
  at_least(1, knowledge.irw_length, "irw_length");
  at_least(0, knowledge.irw_refresh, "irw_refresh");
  if (t.final_lr < 0 || t.final_lr > 1) config_fail("final_lr", "must be a fraction of lr in [0, 1], got {}", t.final_lr);
  if (t.clip < 0) config_fail("clip", "must not be negative, got {}", t.clip);
  if (model.task == TextTask::Lm && t.length > model.max_seq_len)
    config_fail("length", "windows have {} tokens, but the model takes only {}; increase `max_seq_len`", t.length,
                model.max_seq_len);
  const std::vector<std::string> kinds = split_choices(token_kinds);
  if (model.task == TextTask::Lm && !is_token_file(t.tokens) && std::find(kinds.begin(), kinds.end(), t.tokens) == kinds.end())
    config_fail("tokens", "\"{}\" is neither one of {} nor a token file, *.model (SentencePiece) or *.json (Hugging Face){}",
                t.tokens, token_kinds, did_you_mean(t.tokens, kinds));
  if (model.task == TextTask::Lm && t.words > 0 && t.tokens != "words" && t.tokens != "auto")
    config_fail("words", "requires `tokens` words, got {}", t.tokens);
  if (!(t.valid_share >= 0 && t.valid_share < 1)) config_fail("valid_share", "must be a fraction in [0, 1), got {}", t.valid_share);
  require_countable(t);
  for (const auto& [text, key] : {std::pair<const std::string&, const char*>{t.data, "data"},
                                  {t.init, "init"},
                                  {t.tokens, "tokens"},
                                  {knowledge.irw_file, "irw_file"}})
    if (text.find('\0') != std::string::npos) config_fail(key, "contains a null byte");
  try {
    parse_split(t.split);
    if (t.steps > 0) schedule().validate();
    optimizer.validate();
    ModelConfig checked = model;
    if (checked.vocab_size == 0) checked.vocab_size = 2;  // will be set from the data
    checked.validate();
  } catch (const ConfigError&) {
    throw;
  } catch (const Error& error) {
    throw ConfigError("", error.what(), "");
  }
  require_memory(*this);
}

std::string RunConfig::to_json() const {
  RunConfig copy = *this;
  Json json;
  json["model"] = parse_json("config", model.to_json());
  copy.optimizer.visit([&](const char* key, auto& value, const char*, const char*) { json["optimizer"][key] = value; });
  copy.training.visit([&](const char* key, auto& value, const char*, const char*) { json["training"][key] = value; }, model.task);
  if (model.family().uses_retrieval)
    copy.knowledge.visit([&](const char* key, auto& value, const char*, const char*) { json["knowledge"][key] = value; });
  return json.dump(2) + "\n";
}

RunConfig RunConfig::from_json(const std::string& text) {
  RunConfig config;
  const Json json = parse_json("config: damaged", text);
  try {
    config.training.eval_protocol = "full-blocks";
    config.training.accumulate_by = "batches";
    config.training.tokens = "words";
    config.training.keep = -1;
    config.model = ModelConfig::from_json(json.at("model").dump());
    if (config.model.task == TextTask::Lm) config.training.words = 0;
    std::map<std::string, std::vector<std::string>> known;
    // assign() checks strings against their choices; other values are passed through it as JSON text.
    const auto read = [&](const char* part) {
      return [&values = json.at(part), &known = known[part], task = config.model.task](const char* key, auto& value,
                                                                                       const char* choices, const char*) {
        known.push_back(key);
        if (!values.contains(key) && is_newer_key(key, task)) return;
        const Json& given = values.at(key);
        assign({key, given.is_string() ? given.get<std::string>() : given.dump(), key}, choices, value);
      };
    };
    config.optimizer.decay = "all";  // the default if the key is missing
    config.optimizer.visit(read("optimizer"));
    config.training.visit(read("training"), config.model.task);
    if (config.model.family().uses_retrieval) config.knowledge.visit(read("knowledge"));
    std::vector<std::string> parts = {"model"};
    for (const auto& [part, keys] : known) {
      parts.push_back(part);
      for (const auto& entry : json.at(part).items()) require_known(entry.key(), keys);
    }
    for (const auto& entry : json.items()) require_known(entry.key(), parts);
  } catch (const nlohmann::json::exception& error) {
    fail("config", "damaged: {}", error.what());
  }
  config.validate();
  return config;
}

std::string RunConfig::to_toml() const {
  RunConfig copy = *this;
  std::string text;
  copy.visit([&](const char* key, auto& value, const char* choices, const char* help) {
    const std::string words = *choices == '\0' ? "" : fmt::format(" ({})", choices);
    text += fmt::format("# {}{}\n{}\n", help, words, toml_line(key, value));
  });
  return text;
}

}  // namespace argand
