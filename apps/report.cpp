/// argand report: shows training runs on one page for a browser.

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <set>

#include "apps/commands.h"
#include "apps/report/loopback_server.h"
#include "apps/report/page.h"
#include "apps/report/run_page.h"
#include "apps/terminal/command_line.h"
#include "apps/terminal/output_file.h"
#include "core/parallel.h"
#include "data/files/utf8.h"
#include "nn/family.h"
#include "train/checkpoints/run_folder.h"

namespace argand {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct ReportOptions {
  std::vector<std::string> runs;
  std::string out = "report.html", text;
  bool follow = false;
  std::uint16_t port = 0;
};

/// The maximum number of attention weights on a page; at about four bytes each, they take two fifths of the largest page.
constexpr std::int64_t most_weights = 500'000;

void require_runs(const std::vector<std::string>& runs) {
  std::set<fs::path> seen;
  for (const std::string& run : runs) {
    std::error_code ignored;
    require(fs::exists(run, ignored), "report", "{} does not exist", run);
    require(fs::is_directory(run, ignored), "report", "{} is a file; give the run's folder", run);
    require(RunFolder(run).holds_a_run(), "report", "{} contains no argand run", run);
    if (!seen.insert(fs::weakly_canonical(run, ignored)).second) input_fail("RUN", "{} is given twice", run);
  }
}

/// Names that distinguish the runs: their paths without common folders.
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

/// Prints a message for each card that a failure left empty; returns the number of failures.
int report_failures(const Json& runs) {
  constexpr std::pair<const char*, const char*> cards[] = {
      {"text", "phases, attention and passages"}, {"samples", "samples"}, {"articles", "articles"}};
  int failures = 0;
  for (const Json& run : runs)
    for (const auto& [key, card] : cards) {
      if (!run.contains(key) || !run[key].is_object() || !run[key].contains("none")) continue;
      ++failures;
      fmt::print(stderr, "argand: report: {}: no {}: {}\n", on_one_line(run["label"].get<std::string>()), card,
                 on_one_line(run[key]["none"].get<std::string>()));
    }
  return failures;
}

/// A page of these runs that is served and updated as their files change.
class LiveReport {
 public:
  LiveReport(std::vector<RunPage> runs, SharedData& data, std::string version)
      : runs_(std::move(runs)), data_(data), version_(std::move(version)) {}

  Answer answer(const std::string& target) {
    constexpr std::string_view since = "/data?since=";
    if (target == "/favicon.ico") return {.status = 204};
    if (target != "/" && !target.starts_with(since)) return {.status = 404, .body = "only / is served\n"};
    refresh();
    if (target == "/") return {.type = "text/html; charset=utf-8", .body = make_page(json(), true)};
    if (target.substr(since.size()) == std::to_string(number_)) return {.status = 204};
    return {.type = "application/json", .body = json().dump(-1, ' ', false, Json::error_handler_t::replace)};
  }

 private:
  void refresh() {
    if (Clock::now() - looked_ < std::chrono::seconds(1)) return;  // at most once per second, no matter how many browsers poll
    looked_ = Clock::now();
    for (RunPage& run : runs_) {
      try {
        if (!run.refresh(data_)) continue;
        ++number_;
      } catch (const std::exception& error) {  // the run is being replaced: keep the data already read
        fmt::print(stderr, "argand: report: {}\n", error.what());
      }
    }
  }

  Json json() const {
    Json page = {{"version", version_}, {"live", number_}, {"runs", Json::array()}};
    for (const RunPage& run : runs_) page["runs"].push_back(run.json());
    return page;
  }

  using Clock = std::chrono::steady_clock;
  std::vector<RunPage> runs_;
  SharedData& data_;
  std::string version_;
  std::int64_t number_ = 1;  ///< increases with every update
  Clock::time_point looked_ = Clock::now();
};

int report(const ReportOptions& options, const std::string& version) {
  if (options.text.find('\0') != std::string::npos || first_invalid_utf8(options.text))
    input_fail("--text", "not UTF-8: {}", in_quotes(options.text));
  require_runs(options.runs);
  const std::vector<std::string> labels = labels_of(options.runs);
  const ObservationOptions observation{.text = options.text,
                                       .most_weights = most_weights / static_cast<std::int64_t>(labels.size())};
  SharedData data;
  std::vector<RunPage> runs;
  for (std::size_t i = 0; i < labels.size(); ++i) runs.emplace_back(options.runs[i], labels[i], observation, data);
  if (options.follow) {
    LiveReport live(std::move(runs), data, version);
    const auto ready = [](std::uint16_t port) {
      fmt::print("http://127.0.0.1:{}/ in a browser on this machine; end with Ctrl-C\n", port);
      std::fflush(stdout);
    };
    serve_on_loopback(options.port, ready, [&](const std::string& target) { return live.answer(target); });
    return exit_success;
  }
  const OutputFile out(options.out);
  Json page = {{"version", version}, {"runs", Json::array()}};
  for (const RunPage& run : runs) page["runs"].push_back(run.json());
  const std::string file = make_page(page);
  out.write(file);
  fmt::print("{}: {} of {} in {:.1f} MB; open it in a browser\n", out.name(), labels.size() == 1 ? "the run" : "runs",
             labels.size() == 1 ? labels.front() : fmt::format("{} folders", labels.size()),
             static_cast<double>(file.size()) / 1e6);
  return report_failures(page["runs"]) == 0 ? exit_success : exit_failure;
}

}  // namespace

void add_report(CLI::App* command) {
  const auto options = std::make_shared<ReportOptions>();
  command->add_option("RUN", options->runs, "folders of runs")->required()->type_name("");
  CLI::Option* out =
      command->add_option("--out", options->out, "the page; - for standard output")->type_name("FILE")->capture_default_str();
  command
      ->add_option("--text", options->text,
                   "the text for phases, attention and passages; by default the validation text or a test article")
      ->type_name("TEXT");
  CLI::Option* follow =
      command->add_flag("--follow", options->follow, "serve the page to browsers on this machine and update it while a run trains")
          ->excludes(out);
  command->add_option("--port", options->port, "port of the served page; any free one by default")
      ->check(CLI::Range(1, 65535).description(""))
      ->type_name("INT")
      ->needs(follow);
  add_threads(*command);
  command->footer(
      "Writes one self-contained file, which can be mailed and opens without a network. Curves and settings are shown for all "
      "runs\n"
      "together, with differences marked; everything else for one run at a time. Curves come from the run's log. The histories of\n"
      "angles and phases come from its checkpoints (train with --keep or --milestone-every to keep more of them). Phases,\n"
      "attention, passages and samples come from its best parameters.\n"
      "A run that is still training, or was killed, is shown as far as it got. If a card cannot be drawn, for example because the\n"
      "data are gone, the page and a line on standard error say why, and the exit code is 1.\n"
      "\n"
      "--follow serves the page at 127.0.0.1, which no other machine can reach, and updates it as the run writes its log and its\n"
      "checkpoints. It uses one thread unless --threads says otherwise. Ctrl-C ends it.\n"
      "\n"
      "Examples:\n"
      "  argand report runs/first\n"
      "  argand report runs/first --follow --port 8000\n"
      "  argand report runs/ablate-qic/learned/seed-? --out learned.html\n"
      "  argand report runs/rope runs/complexformer --text \"the cat that the dogs chase sleeps .\" --out compared.html");
  command->callback([options, command] {
    if (options->follow && command->count("--threads") == 0) set_num_threads(1);  // leave the other processors to training
    flush_subnormals_to_zero(true);
    if (const int code = report(*options, command->get_parent()->version()); code != exit_success) throw CLI::RuntimeError(code);
  });
}

}  // namespace argand
