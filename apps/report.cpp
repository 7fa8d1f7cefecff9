/// argand report: what became of training runs, on one page for a browser.

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>

#include "apps/commands.h"
#include "apps/report/history.h"
#include "apps/report/log.h"
#include "apps/report/observation.h"
#include "apps/report/page.h"
#include "apps/terminal/command_line.h"
#include "core/parallel.h"
#include "data/files/atomic_file.h"
#include "data/files/utf8.h"
#include "nn/family.h"

namespace argand {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct ReportOptions {
  std::vector<std::string> runs;
  std::string out = "report.html", text;
};

/// Attention weights on one page, at about four bytes each: two fifths of the largest page.
constexpr std::int64_t most_weights = 500'000;

void require_runs(const std::vector<std::string>& runs) {
  std::set<fs::path> seen;
  for (const std::string& run : runs) {
    std::error_code ignored;
    require(fs::exists(run, ignored), "report", "there is no {}", run);
    require(fs::is_directory(run, ignored), "report", "{} is a file; a report is made of a run's folder, the log in it included",
            run);
    require(RunFolder(run).holds_a_run(), "report", "{} holds no run of argand (it has none of its files)", run);
    if (!seen.insert(fs::weakly_canonical(run, ignored)).second) usage_fail("RUN", "{} is given twice", run);
  }
}

/// Names to tell the runs by: their paths without the folders that all of them share.
std::vector<std::string> labels_of(const std::vector<std::string>& runs) {
  std::vector<std::vector<std::string>> paths;
  for (const std::string& run : runs) {
    paths.emplace_back();
    for (const fs::path& part : fs::path(run).lexically_normal())
      if (!part.empty()) paths.back().push_back(part.string());
  }
  std::size_t shared = 0;
  const auto all_share = [&](std::size_t i) {
    return runs.size() > 1 && std::all_of(paths.begin(), paths.end(),
                                          [&](const auto& path) { return path.size() > i + 1 && path[i] == paths.front()[i]; });
  };
  while (all_share(shared)) ++shared;
  std::vector<std::string> labels;
  for (const auto& path : paths) {
    fs::path label;
    for (std::size_t i = shared; i < path.size(); ++i) label /= path[i];
    labels.push_back(label.string());
  }
  return labels;
}

/// [[section, key, value], ...] of everything that was asked for or followed from it.
Json settings_of(const RunConfig& config) {
  Json settings = Json::array();
  const Json sections = Json::parse(config.to_json());
  for (const auto& [section, keys] : sections.items())
    for (const auto& [key, value] : keys.items())
      settings.push_back({section, key, value.is_string() ? value.get<std::string>() : value.dump()});
  return settings;
}

Json page_of(const std::string& run, const std::string& label, const ObservationOptions& options, SharedData& data) {
  const RunFolder folder(run);
  const TrainedRun trained = open_run(run);
  const Checkpoint newest(fs::exists(folder.last()) ? folder.last() : trained.checkpoint.file().path());
  const RunConfig& config = newest.config();
  const RunState& state = newest.state();
  const Family& family = config.model.family();
  const RunLog log = read_log(folder.log());
  const bool lm = config.model.task == TextTask::Lm;
  Json page = {{"label", label},
               {"path", run},
               {"family", family.name},
               {"title", family.title},
               {"panel", family.report.panel},
               {"phases_are", family.report.phases},
               {"looks_up", family.looks_up},
               {"task", word_of(config.model.task)},
               {"classes", trained.classes},
               {"layers", config.model.n_layers},
               {"heads", config.model.n_heads},
               {"causal", lm},
               {"step", log.lines.empty() ? state.step : std::max(state.step, log.lines.back()["step"].get<std::int64_t>())},
               {"steps", config.training.steps},
               {"seed", config.training.seed},
               {"unreadable", log.unreadable},
               {"observed_step", trained.checkpoint.state().step},
               {"settings", settings_of(config)}};
  if (state.best_step > 0)
    page["best"] = {{"value", for_page(lm ? state.best_valid : 1 - state.best_valid)}, {"step", state.best_step}};
  page.update(curves_of(log));
  page["history"] = history_of(folder, newest);
  page.update(observe(trained, options, data));
  return page;
}

void report(const ReportOptions& options, const std::string& version) {
  if (options.text.find('\0') != std::string::npos || first_invalid_utf8(options.text))
    usage_fail("--text", "not UTF-8: {}", in_quotes(options.text));
  require_runs(options.runs);
  const std::vector<std::string> labels = labels_of(options.runs);
  Json page = {{"version", version}, {"runs", Json::array()}};
  SharedData data;
  for (std::size_t i = 0; i < labels.size(); ++i)
    page["runs"].push_back(page_of(options.runs[i], labels[i],
                                   {.text = options.text, .most_weights = most_weights / static_cast<std::int64_t>(labels.size())},
                                   data));
  const std::string file = make_page(page);
  write_file_atomically(options.out, file);
  fmt::print("{}: {} of {} in {:.1f} MB; open it in a browser\n", options.out, labels.size() == 1 ? "the run" : "runs",
             labels.size() == 1 ? labels.front() : fmt::format("{} folders", labels.size()),
             static_cast<double>(file.size()) / 1e6);
}

}  // namespace

void add_report(CLI::App& program) {
  CLI::App* command = program.add_subcommand("report", "what became of training runs, on one page for a browser");
  const auto options = std::make_shared<ReportOptions>();
  command->add_option("RUN", options->runs, "folders of runs")->required()->type_name("");
  command->add_option("--out", options->out, "the page")->type_name("FILE")->capture_default_str();
  command
      ->add_option("--text", options->text,
                   "a text to look at phases, attention and passages with; otherwise the validation text or a test article")
      ->type_name("TEXT");
  command->footer(
      "One file without references: it can be mailed and opens without a network. Runs are overlaid in the curves and listed side\n"
      "by side in the table of their settings, where differences are marked; everything else is shown for one run at a time.\n"
      "Curves come from the run's log, the histories of angles and phases from its checkpoints (train with --checkpoint-every to\n"
      "have more of them), phases, attention, passages and samples from its best parameters. A run that is still training, or was\n"
      "killed, is shown as far as it went.\n\n"
      "Examples:\n"
      "  argand report runs/first\n"
      "  argand report runs/ablate-qic/learned/seed-? --out learned.html\n"
      "  argand report runs/rope runs/complexformer --text \"the cat that the dogs chase sleeps .\" --out compared.html");
  command->callback([options, &program] {
    flush_subnormals_to_zero(true);
    report(*options, program.version());
  });
}

}  // namespace argand
