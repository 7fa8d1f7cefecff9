#include "apps/report/run_page.h"

#include <algorithm>

#include "apps/report/history.h"
#include "apps/report/log.h"
#include "core/machine/json.h"
#include "nn/family.h"

namespace argand {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// [[section, key, value], ...] for the whole configuration, whether given or derived.
Json settings_of(const RunConfig& config) {
  Json settings = Json::array();
  const Json sections = parse_json("config", config.to_json());
  for (const auto& [section, keys] : sections.items())
    for (const auto& [key, value] : keys.items())
      settings.push_back({section, key, value.is_string() ? value.get<std::string>() : value.dump()});
  return settings;
}

/// The changes made when a run was resumed, such as "lr 0.0003 instead of 0.001 after step 100".
Json changes_in(const RunLog& log) {
  Json changes = Json::array();
  for (const Json& line : log.lines) {
    const Json changed = line.value("changed", Json());
    if (!changed.is_object()) continue;
    for (const auto& [key, values] : changed.items())
      if (values.is_array() && values.size() == 2 && values[0].is_number() && values[1].is_number())
        changes.push_back(fmt::format("{} {} instead of {} after step {}", key, values[1].get<double>(), values[0].get<double>(),
                                      line["step"].get<std::int64_t>()));
  }
  return changes;
}

}  // namespace

RunPage::RunPage(std::string run, std::string label, ObservationOptions options, SharedData& data)
    : run_(std::move(run)), label_(std::move(label)), options_(std::move(options)) {
  read_parameters(data);
  read_curves();
}

bool RunPage::refresh(SharedData& data) {
  const RunFolder folder(run_);
  const bool parameters = Clock::now() - looked_ > pause_ && stamp_of({folder.last(), folder.best()}) != checkpoints_;
  const bool curves = stamp_of({folder.log()}) != log_;
  if (parameters) read_parameters(data);
  if (parameters || curves) read_curves();
  return parameters || curves;
}

RunPage::Stamp RunPage::stamp_of(const std::vector<std::string>& files) const {
  Stamp stamp;
  for (const std::string& file : files) {
    std::error_code gone;
    stamp.emplace_back(fs::file_size(file, gone), fs::last_write_time(file, gone));
  }
  return stamp;
}

void RunPage::read_parameters(SharedData& data) {
  const auto start = Clock::now();
  const RunFolder folder(run_);
  std::error_code gone;  // an error is also set for a link that leads in circles
  checkpoints_ =
      stamp_of({folder.last(), folder.best()});  // taken before reading, so that files written meanwhile are read the next time
  const TrainedRun trained = open_run(run_);
  const Checkpoint newest(fs::exists(folder.last(), gone) ? folder.last() : trained.checkpoint.file().path());
  const RunConfig& config = newest.config();
  const RunState& state = newest.state();
  const Family& family = config.model.family();
  const bool lm = config.model.task == TextTask::Lm;
  Json page = {{"label", label_},
               {"path", run_},
               {"family", family.name},
               {"title", family.title},
               {"panel", family.report.panel},
               {"phases_are", family.report.phases},
               {"uses_retrieval", family.uses_retrieval},
               {"task", word_of(config.model.task)},
               {"classes", trained.classes},
               {"layers", config.model.n_layers},
               {"heads", config.model.n_heads},
               {"causal", lm},
               {"step", state.step},
               {"steps", config.training.steps},
               {"seed", config.training.seed},
               {"ended", has_ended(config, state)},
               {"unreadable", 0},
               {"observed_step", trained.checkpoint.state().step},
               {"settings", settings_of(config)}};
  if (state.best_step > 0) page["best"] = {{"value", lm ? state.best_valid : state.accuracy_of_best()}, {"step", state.best_step}};
  if (const auto bits = state.best_bits_per_byte(); bits && state.best_step > 0) page["best"]["bits_per_byte"] = for_page(*bits);
  page["history"] = history_of(folder, newest);
  page.update(observe(trained, options_, data));
  page_ = std::move(page);
  looked_ = Clock::now();
  pause_ = std::max<Clock::duration>(std::chrono::seconds(2), 10 * (looked_ - start));
}

void RunPage::read_curves() {
  const RunFolder folder(run_);
  log_ = stamp_of({folder.log()});
  const RunLog log = read_log(folder.log());
  if (!log.lines.empty()) page_["step"] = std::max(page_["step"].get<std::int64_t>(), log.lines.back()["step"].get<std::int64_t>());
  page_["unreadable"] = log.unreadable;
  // The log is more recent than the parameters that were read, so take the best value from the log.
  const char* value = page_["causal"].get<bool>() ? "valid_loss" : "valid_accuracy";
  for (const Json& line : log.lines)
    if (line.value("best", Json()) == true && line.value(value, Json()).is_number()) {
      page_["best"] = {{"value", line[value].get<double>()}, {"step", line["step"]}};
      if (const Json bits = line.value("valid_bits_per_byte", Json()); bits.is_number())
        page_["best"]["bits_per_byte"] = for_page(bits.get<double>());
    }
  page_["changes"] = changes_in(log);
  for (const char* key : {"curves", "smooth", "clock", "angles", "confusion", "class_accuracy"}) page_.erase(key);
  page_.update(curves_of(log));
}

}  // namespace argand
