#include "apps/ablation/probes.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <sstream>

#include "apps/terminal/command_line.h"
#include "apps/terminal/counter.h"
#include "apps/terminal/option_names.h"
#include "core/text/text_layout.h"
#include "data/files/atomic_file.h"
#include "nn/family.h"
#include "train/ablation/ablation_result.h"
#include "train/ablation/run_probes.h"
#include "train/checkpoints/run_folder.h"
#include "train/data/corpora.h"
#include "train/data/retriever.h"
#include "train/evaluation/generation_quality.h"
#include "train/evaluation/position_loss.h"
#include "train/evaluation/text_metrics.h"

namespace argand {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

RunFolder run_of(const std::string& out, const AblationRow& row, std::int64_t seed) {
  return RunFolder(folder_of_run(out, row.name, seed));
}

/// The judge's token ids [B, N] for texts of words.
Ids ids_of(const Json& texts, std::int64_t prompt_length, const TrainedRun& judge, const std::string& path) {
  std::vector<std::int32_t> ids;
  for (const Json& text : texts) {
    std::istringstream words(text.get<std::string>());
    for (std::string word; std::getline(words, word, ' ');) ids.push_back(judge.words().id(word));
  }
  const auto B = static_cast<std::int64_t>(texts.size()), all = static_cast<std::int64_t>(ids.size());
  require(B > 0 && all % B == 0 && all / B > prompt_length, "ablate",
          "{}: the texts differ in length, or are no longer than their prompts", path);
  return {Shape{B, all / B}, std::move(ids)};
}

/// The text that the judge was trained on, with all its parts; empty if it is no longer available.
std::optional<Corpus> text_of(const TrainedRun& judge) {
  try {
    return open_corpus(judge.checkpoint.config(), judge.tokens);
  } catch (const Error& e) {
    fmt::print(stderr, "argand: no text to compare with: cannot read the data: {}\n", in_options(e));
    return std::nullopt;
  }
}

/// The corpus's own texts [B, N] with the same prompts as `texts`; empty if the prompts come from another corpus.
std::optional<Ids> originals_of(const Json& probe, const Ids& texts, const Corpus& corpus) {
  const std::string name = probe.value("part", "");
  const Ids& part = name == "test part" ? corpus.test : name == "valid part" ? corpus.valid : corpus.train;
  const std::int64_t B = texts.shape()[0], N = texts.shape()[1], from = probe["prompt_length"].get<std::int64_t>();
  if (part.size() < N) return std::nullopt;
  Ids originals = original_texts(part, {.judge = "", .prompts = B, .prompt_length = from, .tokens = N - from});
  for (std::int64_t b = 0; b < B; ++b)
    for (std::int64_t t = 0; t < from; ++t)
      if (originals[b * N + t] != texts[b * N + t]) return std::nullopt;
  return originals;
}

/// Whether a checkpoint has parameters for all names in "NAME=VALUE,...".
bool has_parameters_for(const Checkpoint& checkpoint, const std::string& settings) {
  const std::vector<std::string> names = checkpoint.file().names();
  std::istringstream stream(settings);
  for (std::string setting; std::getline(stream, setting, ',');)
    if (std::none_of(names.begin(), names.end(),
                     [&](const std::string& name) { return name_ends_with(name, setting.substr(0, setting.find('='))); }))
      return false;
  return true;
}

}  // namespace

std::vector<std::string> next_probe(const AblationTable& table, const std::string& folder, std::int64_t seed) {
  const RunFolder run(folder);
  if (!fs::exists(run.last())) return {};
  const Checkpoint last(run.last());
  // A file that is damaged or comes from an earlier step is written again.
  const auto missing = [&](const std::string& path, bool (*is_one)(const Json&)) {
    const Json probe = read_json(path);
    return !is_one(probe) || probe["step"] != last.state().step;
  };
  if (missing(run.written(), is_written))
    return {"eval", run.last(), "--generate", "--seed", fmt::format("{}", seed), "--json", run.written()};
  const RunConfig& config = last.config();
  if (missing(run.positions(), is_positions)) {
    const std::int64_t length = reads_any_length(config.model) ? 8 * config.training.length : config.model.max_seq_len;
    return {"eval", run.last(), "--positions", fmt::format("{}", length), "--json", run.positions()};
  }
  for (const std::string& setting : table.interventions) {
    if (!has_parameters_for(last, setting)) continue;
    if (missing(run.as_learnt(), is_evaluation)) return {"eval", run.last(), "--split", "valid", "--json", run.as_learnt()};
    if (missing(run.with(setting), is_evaluation))
      return {"eval", run.last(), "--split", "valid", "--set", setting, "--json", run.with(setting)};
  }
  if (config.has_windows() && missing(run.exchanged(), is_exchanged))
    return {"eval", run.last(), "--split", "valid", "--exchange-passages", "--json", run.exchanged()};
  if (config.has_windows() && missing(run.audit(), is_audit)) return {"audit", "retrieval", run.last(), "--json", run.audit()};
  return {};
}

std::int64_t judge_texts(const AblationTable& table, const std::string& out, const TrainedRun& judge) {
  const RunConfig& config = judge.checkpoint.config();
  if (config.model.task != TextTask::Lm)
    input_fail("--judge", "{} is a classifier, not a language model", judge.checkpoint.file().path());
  if (judge.tokens->kind() != "words") input_fail("--judge", "requires words as tokens, not {}", plural_of(judge.tokens->kind()));
  std::vector<std::string> paths;
  for (const AblationRow& row : table.rows)
    for (const std::int64_t seed : seeds_of_row(out + "/" + row.name))
      if (const std::string path = run_of(out, row, seed).written(); fs::exists(path)) paths.push_back(path);
  with_precision(config, [&]<class R>(R) {
    const auto model = load_model<R>(judge.checkpoint);
    const OpenRetriever retriever(judge, *model);
    const std::string name = fmt::format("{}, {} of width {}, {} parameters, {} steps", config.model.family().name,
                                         counted(config.model.n_layers, "layer"), config.model.d_model,
                                         count_parameters(model->parameters()), judge.checkpoint.state().step);
    const auto loss_of = [&](const Ids& texts, std::int64_t prompt_length) {
      return negative_log_likelihood<R>(*model, texts, prompt_length, retriever.context());
    };
    const std::optional<Corpus> corpus = paths.empty() ? std::nullopt : text_of(judge);
    std::map<std::vector<std::int32_t>, double> losses_of_originals;
    Counter counter("judging", static_cast<std::int64_t>(paths.size()));
    for (std::size_t i = 0; i < paths.size(); ++i) {
      Json probe = read_probe(paths[i], is_written);
      if (probe["token_kind"] != "words") input_fail("--judge", "the texts in {} are not tokenized into words", paths[i]);
      const auto prompt_length = probe["prompt_length"].get<std::int64_t>();
      const Ids texts = ids_of(probe["texts"], prompt_length, judge, paths[i]);
      const double loss = loss_of(texts, prompt_length);
      const bool as_before = probe.value("judge", "") == name && probe["model"].value("loss", 0.0) == loss;
      probe["model"]["loss"] = loss;
      if (probe.contains("corpus") && !as_before) probe["corpus"].erase("loss");  // that loss came from another judge
      const auto originals = corpus ? originals_of(probe, texts, *corpus) : std::nullopt;
      if (originals && probe.contains("corpus")) {  // the originals are the same for all seeds and rows, so they are judged once
        const std::span<const std::int32_t> ids = originals->span();
        const auto [known, is_new] = losses_of_originals.try_emplace({ids.begin(), ids.end()});
        if (is_new) known->second = loss_of(*originals, prompt_length);
        probe["corpus"]["loss"] = known->second;
      }
      probe["judge"] = name;
      write_file_atomically(paths[i], probe.dump(1) + "\n");
      counter.update(static_cast<std::int64_t>(i) + 1);
    }
  });
  return static_cast<std::int64_t>(paths.size());
}

}  // namespace argand
