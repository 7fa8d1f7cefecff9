#include "apps/sweep/rate_search.h"

#include <algorithm>
#include <filesystem>

#include "apps/sweep/sweep_runs.h"
#include "apps/sweep/sweep_table.h"
#include "apps/terminal/command_line.h"
#include "data/files/atomic_file.h"
#include "train/checkpoints/run_folder.h"

namespace argand {
namespace {

/// The sweep over the learning rates of one row, in OUT/search/ROW.
class RateSearch {
 public:
  RateSearch(const AblationTable& table, const AblationRow& row, const std::vector<std::string>& rates, const AblationOptions& run)
      : run_{.task = table.task, .out = run.out + "/search/" + row.name, .common = settings_of_run(table, row, 0, run.shared)},
        plan_({.grid = {{}, {{"lr", rates, row.name + ": rates"}}, {0}}, .halving = true, .widen = true},
              [this](const Settings& of_run) {
                Settings all = run_.common;
                all.insert(all.end(), of_run.begin(), of_run.end());
                return RunConfig::resolve({}, all, run_.task);
              }) {
    std::erase_if(run_.common, [](const Setting& s) { return s.key == "seed" || s.key == "lr"; });
    run_.jobs = run.jobs;
    run_.drop_weights = true;
  }

  /// Trains the missing runs. Returns the signal that stopped it, or 0. Throws Error for runs that failed.
  int search() {
    std::filesystem::create_directories(run_.out);
    const RunLock lock(run_.out);
    RunFolder(run_.out).remove_leftovers();
    SweepFile file = this->file();
    file.write();
    const SweepEnd end = run_sweep(plan_, file, run_);
    if (end.signal != 0) return end.signal;
    require(end.failures.empty(), "ablate", "the learning rate search failed; run the same command to try again\n  {}",
            CLI::detail::join(end.failures, "\n  "));
    const SweepTable table(plan_, file, value_of_word<TextTask>("task", run_.task));
    write_file_atomically(run_.out + "/table.md", table.markdown());
    return 0;
  }
  /// The best rate; empty until the search has finished.
  std::optional<std::string> best() {
    if (!std::filesystem::exists(run_.out + "/sweep.json")) return std::nullopt;
    const SweepFile file = this->file();
    SweepScores scores;
    for (const auto& [name, outcome] : file.outcomes())
      scores[name] = score_of(outcome, value_of_word<TextTask>("task", run_.task));
    if (!plan_.next(scores).empty() || !plan_.best()) return std::nullopt;
    return plan_.settings(*plan_.best()).front().text;
  }

 private:
  SweepFile file() const {
    nlohmann::json identity = {{"task", run_.task}, {"settings", nlohmann::json::object()}, {"varies", {"lr"}}};
    for (const Setting& s : run_.common) identity["settings"][s.key] = s.text;
    return {run_.out, identity};
  }

  SweepRunOptions run_;
  SweepPlan plan_;
};

}  // namespace

int set_rates(AblationTable& table, const std::vector<std::string>& of_all, const AblationOptions& run, bool search) {
  for (AblationRow& row : table.rows) {
    std::vector<std::string> rates = of_all;
    const auto own = std::find_if(row.settings.begin(), row.settings.end(), [](const auto& s) { return s.first == "lr"; });
    if (own != row.settings.end()) rates = CLI::detail::split(own->second, ',');
    if (own != row.settings.end() && rates.size() == 1) continue;
    if (rates.empty()) continue;
    if (own != row.settings.end()) row.settings.erase(own);
    RateSearch of_row(table, row, rates, run);
    if (search) {
      fmt::print("{}: searching the rates {}\n", row.name, CLI::detail::join(rates, ", "));
      if (const int signal = of_row.search(); signal != 0) return signal;
    }
    const std::optional<std::string> best = of_row.best();
    if (!best) input_fail("--search", "{} has no best rate yet; add this option to search for one", row.name);
    if (search) fmt::print("{}: {} is the best rate\n", row.name, *best);
    row.settings.emplace_back("lr", *best);
  }
  return 0;
}

}  // namespace argand
