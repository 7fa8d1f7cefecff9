/// argand sweep lm, argand sweep classify: trains with several values of the options of `argand train`, and reports the best ones.

#include <algorithm>
#include <filesystem>
#include <memory>

#include "apps/commands.h"
#include "apps/runs/run_options.h"
#include "apps/sweep/sweep_runs.h"
#include "apps/sweep/sweep_table.h"
#include "apps/terminal/command_line.h"
#include "apps/terminal/interrupt.h"
#include "apps/terminal/option_names.h"
#include "apps/terminal/output_file.h"
#include "core/parallel.h"
#include "core/text/text_layout.h"
#include "data/files/atomic_file.h"
#include "train/checkpoints/run_folder.h"
#include "train/data/corpora.h"

namespace argand {
namespace {

struct SweepOptions {
  SweepOptions(CLI::App& command, const std::string& task) : run(command, task), task(task) {}
  RunOptions run;
  std::string task, out, json;
  std::vector<std::string> grids;
  std::int64_t seeds = 0, search_seeds = 0, jobs = 0;
  bool halving = false, widen = false, drop_weights = false;
};

Grid grid_of(const SweepOptions& options, TextTask task) {
  Settings grids;
  for (const std::string& text : options.grids) {
    Setting setting = key_and_value("--grid", text);
    std::replace(setting.key.begin(), setting.key.end(), '-', '_');
    grids.push_back(std::move(setting));
  }
  return read_grid(options.run.given(), grids, options.seeds, task);
}

/// The settings that must not change when a sweep is resumed.
nlohmann::json identity_of(const SweepOptions& options, const Grid& grid) {
  nlohmann::json identity = {{"task", options.task}, {"settings", nlohmann::json::object()}, {"varies", nlohmann::json::array()}};
  for (const Setting& s : grid.common) identity["settings"][s.key] = s.text;
  if (options.run.has_file())
    for (const Setting& s : read_settings(options.run.file())) identity["config"][s.key] = s.text;
  for (const GridAxis& axis : grid.axes) identity["varies"].push_back(axis.key);
  return identity;
}

int sweep(const SweepOptions& options) {
  const OutputFile json(options.json);
  if (options.out.empty()) input_fail("sweep " + options.task, "missing --out SWEEP, the folder for all runs");
  const auto task = value_of_word<TextTask>("task", options.task);
  const Grid grid = grid_of(options, task);
  if (options.search_seeds > std::ssize(grid.seeds))
    input_fail("--search-seeds", "{} is more than the {} seeds", options.search_seeds, grid.seeds.size());
  SweepRequest request{.grid = grid, .halving = options.halving, .widen = options.widen};
  request.search_seeds = static_cast<std::size_t>(options.search_seeds > 0 ? options.search_seeds : options.halving ? 1 : 0);
  const auto resolve = [&](const Settings& of_run) {
    Settings all = grid.common;
    all.insert(all.end(), of_run.begin(), of_run.end());
    return options.run.resolve(all);
  };
  SweepPlan plan(std::move(request), resolve);
  const bool is_new = !std::filesystem::exists(options.out + "/sweep.json");
  if (is_new) open_data(resolve(plan.settings(0)));  // report unreadable data once, before anything else
  std::filesystem::create_directories(options.out);
  const RunLock lock(options.out);
  RunFolder(options.out).remove_leftovers();
  SweepFile file(options.out, identity_of(options, grid));
  if (is_new) file.write();
  SweepRunOptions run{.task = options.task, .out = options.out, .common = grid.common, .config = options.run.file()};
  run.jobs = options.jobs > 0 ? options.jobs : num_threads();
  run.threads = std::max<std::int64_t>(1, num_threads() / run.jobs);
  run.drop_weights = options.drop_weights;
  fmt::print("{}, {}, {} at a time; the runs are in {}\n", counted(std::ssize(plan), "configuration"),
             counted(std::ssize(grid.seeds), "seed"), counted(run.jobs, "run"), options.out);
  const SweepEnd end = run_sweep(plan, file, run);
  if (end.signal != 0) return Interrupt::exit_code(end.signal);
  const SweepTable table(plan, file, task);
  write_file_atomically(options.out + "/table.md", table.markdown());
  write_file_atomically(options.out + "/table.json", table.json().dump(1) + "\n");
  if (json) json.write(table.json().dump(1) + "\n");
  fmt::print("\n{}", table.markdown());
  std::fflush(stdout);
  std::string text;
  for (const std::string& failure : end.failures) text += "\n  " + failure;
  require(end.failures.empty(), "sweep", "{} failed and {} ranked last; run the same command to try again{}",
          counted(std::ssize(end.failures), "run"), end.failures.size() == 1 ? "is" : "are", text);
  return plan.best() ? exit_success : exit_failure;
}

void add_task(CLI::App* command_of_all, const std::string& task, const std::string& what, const std::string& examples) {
  CLI::App* command = command_of_all->add_subcommand(task, what);
  const auto options = std::make_shared<SweepOptions>(*command, task);
  const auto whole = [&](const char* name, std::int64_t& value, const char* help) {
    command->add_option(name, value, help)
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000}).description(""))
        ->type_name("INT")
        ->group("Sweep");
  };
  command->add_option("--out", options->out, "folder of all runs, and of the table")->type_name("SWEEP")->group("Sweep");
  command->add_option("--grid", options->grids, "values to try for an option of `argand train`; may be repeated for other options")
      ->type_name("KEY=VALUE,...")
      ->allow_extra_args(false)
      ->group("Sweep");
  whole("--seeds", options->seeds, "runs per configuration, with the seeds 0, 1, ... (1)");
  command
      ->add_flag("--halving", options->halving,
                 "train all configurations for a third of the length, then the best third for the whole length")
      ->group("Sweep");
  whole("--search-seeds", options->search_seeds,
        "compare with this many of the seeds; use the others for the best only (all; with --halving 1)");
  command
      ->add_flag("--widen", options->widen,
                 "while the best value is at the end of its list, extend the list (fractional numbers only: rates, weights)")
      ->group("Sweep");
  whole("--jobs", options->jobs, "parallel runs; by default one per processor, with one thread each");
  add_threads(*command, "Sweep", "threads shared by the runs");
  command->add_flag("--drop-weights", options->drop_weights, "keep only the configuration and the log of a finished run")
      ->group("Sweep");
  command->add_option("--json", options->json, "also write the table's numbers to a file (- for standard output)")
      ->type_name("FILE")
      ->group("Sweep");
  command->footer(
      "Takes every option of `argand train " + task +
      "`. An option whose values contain no commas (numbers, choices, true and false)\n"
      "accepts several, separated by commas: --lr 1e-3,3e-3. --grid KEY=VALUE,... gives several values of any option; values\n"
      "that contain commas are separated by semicolons: --grid 'data=a.txt,b.txt;c.txt'. Every combination is a configuration,\n"
      "and every configuration trains with every seed; runs with the same seed see the same data in the same order. --seed 3,5,8\n"
      "names the seeds.\n"
      "The table has each run's result after the last step, on its validation data; the mean over the seeds; and the 95 %\n"
      "interval of the mean (Student's t). The best configuration has the smallest mean. As the best of several, its result is\n"
      "slightly optimistic, unless --search-seeds reserves seeds that had no part in the choice.\n"
      "A run whose numbers are no longer finite has diverged: it is named, and ranked last.\n"
      "With --widen a list is extended by the ratio of its last two values, until the best value has worse ones on both sides.\n"
      "Ctrl-C stops all runs. The same command continues them, also after a crash, and ends with the same table; it may add seeds\n"
      "and values. The results are in SWEEP/sweep.json, so the folders of runs may be removed; the table is also in\n"
      "SWEEP/table.md and table.json.\n\nExamples:\n" +
      examples);
  command->callback([options] {
    if (const int code = sweep(*options); code != exit_success) throw CLI::RuntimeError(code);
  });
}

}  // namespace

void add_sweep(CLI::App* command) {
  command->require_subcommand(1);
  add_task(command, "lm", "sweep the options of `argand train lm`",
           "  argand sweep lm --lr 1e-3,3e-3,1e-2 --seeds 3 --out runs/rates\n"
           "  argand sweep lm --lr 1e-3,3e-3,1e-2 --halving --widen --seeds 5 --steps 3000 --out runs/best-rate\n"
           "  argand sweep lm --family transformer --position rope,learned --lr 1e-3,3e-3 --out runs/positions\n"
           "  argand sweep lm --grid warmup=2%,5%,10% --grid weight_decay=0,0.1 --jobs 4 --out runs/recipe");
  add_task(command, "classify", "sweep the options of `argand train classify`",
           "  argand sweep classify --data reviews.csv --lr 3e-4,1e-3,3e-3 --valid-share 0.1 --seeds 3 --out runs/rates\n"
           "  argand sweep classify --preset qic-paper --data ag_news --dropout 0,0.1,0.3 --out runs/dropout");
}

}  // namespace argand
