#include "apps/sweep/sweep_runs.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "apps/runs/process_pool.h"
#include "apps/terminal/command_line.h"
#include "apps/terminal/option_names.h"
#include "core/text/text_layout.h"
#include "train/ablation/ablation_result.h"
#include "train/checkpoints/run_folder.h"

namespace argand {
namespace {

std::vector<std::string> training_arguments(const SweepRunOptions& options, const std::string& folder, const Settings& of_run) {
  std::vector<std::string> words = {"train", options.task, "--threads", fmt::format("{}", options.threads)};
  if (std::filesystem::exists(RunFolder(folder).last())) {
    words.insert(words.end(), {"--resume", folder});
    return words;
  }
  words.insert(words.end(), {"--out", folder, "--overwrite"});
  if (!options.config.empty()) words.insert(words.end(), {"--config", options.config});
  Settings all = options.common;
  for (const Setting& s : of_run) {
    std::erase_if(all, [&](const Setting& before) { return before.key == s.key; });
    all.push_back(s);
  }
  for (const Setting& s : all) words.insert(words.end(), {option_name(s.key), s.text});
  return words;
}

/// A run's result; empty if it has not finished, or if its files are unreadable, which its own process reports.
std::optional<SweepOutcome> outcome_in(const std::string& folder) {
  try {
    if (const auto r = read_result(folder)) return SweepOutcome{r->loss, r->metric, r->bits_per_byte};
  } catch (const Error&) {
  }
  return std::nullopt;
}

void remove_weights(const std::string& folder) {
  const RunFolder run(folder);
  std::error_code none;
  for (const std::int64_t step : run.kept_steps()) std::filesystem::remove(run.at_step(step), none);
  std::filesystem::remove(run.best(), none);
  std::filesystem::remove(run.last(), none);
}

/// The reason in "argand: train: the loss became nan at step 3; a lower --lr ...", without prefix and advice.
std::string reason_in(std::string line) {
  for (const std::string_view begin : {"argand: ", "train: "})
    if (line.starts_with(begin)) line.erase(0, begin.size());
  return line.substr(0, line.find("; "));
}

std::string text_of(const SweepOutcome& outcome, const std::string& task) {
  return fmt::format("{} {:.2f}{}", task == "lm" ? "perplexity" : "accuracy", outcome.metric,
                     outcome.bits_per_byte ? fmt::format(", {:.4f} bits per byte", *outcome.bits_per_byte) : "");
}

std::string stage_text(const SweepPlan& plan, const std::vector<SweepRun>& runs) {
  std::set<std::size_t> configurations;
  for (const SweepRun& run : runs) configurations.insert(run.configuration);
  const std::string length = !plan.request().halving ? "" : runs.front().third ? ", a third of the length" : ", the whole length";
  if (plan.best() && configurations.size() == 1 && plan.size() > 1)
    return fmt::format("the best configuration, {}, with other seeds: {}", plan.name(*plan.best()),
                       counted(std::ssize(runs), "run"));
  return fmt::format("{} of {}{}", counted(std::ssize(runs), "run"), counted(std::ssize(configurations), "configuration"), length);
}

}  // namespace

SweepEnd run_sweep(SweepPlan& plan, SweepFile& file, const SweepRunOptions& options) {
  SweepEnd end;
  SweepScores scores;
  const TextTask task = value_of_word<TextTask>("task", options.task);
  for (const auto& [name, outcome] : file.outcomes()) scores[name] = score_of(outcome, task);
  for (;;) {
    const std::vector<SweepRun> runs = plan.next(scores);
    if (runs.empty()) return end;
    fmt::print("{}\n", stage_text(plan, runs));
    std::fflush(stdout);
    std::vector<ProcessJob> work;
    for (const SweepRun& run : runs) {
      const std::string folder = options.out + "/" + plan.name(run);
      work.push_back({plan.name(run), folder, [&options, folder, settings = plan.settings(run)] {
                        return outcome_in(folder) ? std::vector<std::string>() : training_arguments(options, folder, settings);
                      }});
    }
    const auto record = [&](const std::string& name, const SweepOutcome& outcome) {
      file.record(name, outcome);
      scores[name] = score_of(outcome, task);
      if (options.drop_weights) remove_weights(options.out + "/" + name);
    };
    const ProcessPool all{.label = "sweep",
                          .jobs = options.jobs,
                          .ended =
                              [&](std::size_t i) {
                                const SweepOutcome outcome = outcome_in(work[i].folder).value();
                                record(work[i].name, outcome);
                                return text_of(outcome, options.task);
                              },
                          .failed =
                              [&](const FailedJob& job) {
                                const std::string& name = work[job.job].name;
                                if (job.exit_code == exit_diverged) {
                                  record(name, {.diverged = reason_in(job.last_line)});
                                  fmt::print("{}: diverged: {}\n", name, reason_in(job.last_line));
                                } else {
                                  end.failures.push_back(name + ": " + job.last_line);
                                  fmt::print("{}: failed: {}\n", name, job.last_line);
                                  scores[name] = no_score;
                                }
                                std::fflush(stdout);
                              }};
    if ((end.signal = all.run(work)) != 0) return end;
    // Record runs that finished after the sweep was stopped.
    for (const ProcessJob& job : work)
      if (!scores.contains(job.name)) record(job.name, outcome_in(job.folder).value());
  }
}

}  // namespace argand
