/// argand ablate: the tables of the families' papers, at a size for a CPU.

#include <algorithm>
#include <filesystem>
#include <memory>

#include "apps/ablation/ablation.h"
#include "apps/ablation/probes.h"
#include "apps/ablation/repetition.h"
#include "apps/commands.h"
#include "apps/sweep/sweep_runs.h"
#include "apps/sweep/sweep_table.h"
#include "apps/terminal/command_line.h"
#include "apps/terminal/interrupt.h"
#include "apps/terminal/option_names.h"
#include "core/parallel.h"
#include "core/text/text_layout.h"
#include "data/files/atomic_file.h"
#include "train/ablation/experiment_file.h"
#include "train/ablation/kept_runs.h"
#include "train/checkpoints/made_by.h"
#include "train/checkpoints/run_folder.h"

namespace argand {
namespace {

struct AblateOptions {
  std::string family, data, out, keep, check, repeat, made_by, judge;
  std::vector<std::string> rows, settings;
  std::int64_t seeds = 0, steps = 0, epochs = 0, jobs = 0;
  bool quick = false, table = false, cost = false, probe = false, search = false;
};

std::string tables_of(const AblationReport& report, bool cost) { return cost ? report.costs() : report.markdown(); }

/// Recomputes the tables kept in `folder` and reports differences.
int check(const AblationTable& whole, const std::string& folder) {
  shared_by_rows(whole, folder, "check");
  const AblationTable table = with_rows_in(whole, folder);
  const std::vector<SeedResults> results = read_results(table, folder);
  std::vector<std::string> faults;
  std::size_t runs = 0;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    runs += results[row].size();
    for (const std::int64_t seed : seeds_of_row(folder + "/" + table.rows[row].name))
      if (!results[row].contains(seed)) faults.push_back(folder_of_run(folder, table.rows[row].name, seed) + " has not ended");
  }
  const AblationReport report(table, results);
  const std::string costs = folder + "/costs.md";
  const bool has_costs = std::filesystem::exists(costs);
  const auto add = [&](const std::vector<std::string>& found) { faults.insert(faults.end(), found.begin(), found.end()); };
  if (has_costs) add(differences_of_lines(report.costs(), costs));
  if (!has_costs || std::filesystem::exists(folder + "/table.md")) add(differences_of_tables(report, folder));
  add(differences_of_lines(probe_tables(table, folder), folder + "/probes.md"));
  for (const std::string& fault : faults) fmt::print("{}\n", fault);
  fmt::print("{} runs of {} rows in {}: {}\n", runs, table.rows.size(), folder,
             faults.empty() ? "the tables agree with the logs" : fmt::format("{} differences", faults.size()));
  return faults.empty() && runs > 0 ? exit_success : exit_failure;
}

int keep(const AblationTable& whole, const AblateOptions& options, const std::string& out) {
  nlohmann::ordered_json maker = made_by();
  maker.erase("argand");  // who makes the copy need not be who made the run
  maker.erase("commit");
  if (!options.made_by.empty()) maker["commit"] = options.made_by;
  maker["noted"] = "when the run was kept";
  const std::int64_t count = keep_runs(with_rows(whole, options.rows, out), out, options.keep, maker);
  const AblationTable table = with_rows_in(whole, options.keep);
  const AblationReport report(table, read_results(table, options.keep));
  if (options.cost)
    write_file_atomically(options.keep + "/costs.md", report.costs());
  else
    write_tables(report, options.keep);
  write_probe_tables(table, options.keep);
  fmt::print("{} runs of {} are kept in {}\n", count, out, options.keep);
  return exit_success;
}

/// Has the texts of the runs judged, and prints the results.
int judge(const AblationTable& whole, const AblateOptions& options, const std::string& out) {
  shared_by_rows(whole, out, "judge");
  const AblationTable table = with_rows_in(whole, out);
  if (judge_texts(table, out, open_run(options.judge)) == 0)
    input_fail("--judge", "no run in {} has generated texts; use --probe first", out);
  write_probe_tables(table, out);
  fmt::print("{}", probe_tables(table, out));
  return exit_success;
}

/// Trains what is missing. Returns the exit code of the program.
int train(Ablation& ablation, const AblationTable& table, const AblationOptions& run) {
  ablation.check();
  fmt::print("{} x {}, {} at a time with {} each; the runs are in {}\n", counted(std::ssize(table.rows), "row"),
             counted(run.seeds, "seed"), run.jobs, counted(run.threads, "thread"), run.out);
  std::fflush(stdout);
  return ablation.run();
}

/// Trains kept rows again and compares the results with the kept ones.
int repeat(const AblationTable& whole, const AblateOptions& options) {
  const std::string& kept = options.repeat;
  if (options.steps > 0 || options.epochs > 0 || options.quick || options.cost || !options.settings.empty())
    input_fail("--repeat", "uses the recipe of {}, so it cannot be combined with --steps, --epochs, --set, --quick or --cost",
               kept);
  if (options.probe || !options.judge.empty() || !options.keep.empty() || !options.check.empty() || !options.made_by.empty())
    input_fail("--repeat", "retrains rows, so it cannot be combined with --probe, --judge, --keep, --check or --made-by");
  AblationOptions run;
  const std::filesystem::path folder = std::filesystem::weakly_canonical(kept + "/.");
  const std::string name = folder.filename(), setting = folder.parent_path().filename();
  run.out = options.out.empty() ? fmt::format("runs/repeat-{}-{}", setting, name) : options.out;
  std::error_code none;
  if (std::filesystem::equivalent(kept, run.out, none)) input_fail("--out", "is the same folder as --repeat; choose another");
  run.seeds = std::max<std::int64_t>(1, options.seeds);
  AblationTable table = kept_rows(whole, kept, options.rows, options.table ? 0 : run.seeds);
  if (options.table) {
    std::erase_if(table.rows, [&](const AblationRow& row) { return !std::filesystem::exists(run.out + "/" + row.name); });
    if (table.rows.empty()) input_fail("--table", "none of these rows was trained in {}", run.out);
  } else {
    run.shared = recipe_of(table, kept, options.data);
    run.jobs = options.jobs > 0 ? options.jobs : std::min<std::int64_t>(num_threads(), std::ssize(table.rows) * run.seeds);
    run.threads = std::max<std::int64_t>(1, num_threads() / run.jobs);
    Ablation ablation(table, run);
    if (const int code = train(ablation, table, run); code != 0) return code;
  }
  const Repetition repetition(table, kept, run.out);
  write_file_atomically(run.out + "/repeated.md", repetition.markdown());
  fmt::print("\n{}", repetition.markdown());
  return repetition.all_land() ? exit_success : exit_failure;
}

/// The sweep over a row's rates in OUT/search/ROW.
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

  /// Trains what is missing. Returns the signal that stopped it, or 0. Throws Error for runs that failed.
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
  /// The best rate; nothing until the search has ended.
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

/// Gives every row its best rate. Returns the signal that stopped the search, or 0.
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
      fmt::print("{}: the best of the rates {}\n", row.name, CLI::detail::join(rates, ", "));
      if (const int signal = of_row.search(); signal != 0) return signal;
    }
    const std::optional<std::string> best = of_row.best();
    if (!best) input_fail("--search", "{} has no best rate yet; add this option to search for one", row.name);
    if (search) fmt::print("{}: {} is the best rate\n", row.name, *best);
    row.settings.emplace_back("lr", *best);
  }
  return 0;
}

int ablate(const AblateOptions& options) {
  const bool is_file = options.family.ends_with(".toml");
  const Experiment experiment = is_file ? read_experiment(options.family) : Experiment{ablation_table(options.family), {}, {}};
  const AblationTable& whole = experiment.table;
  const std::string name = is_file ? std::filesystem::path(options.family).stem().string() : options.family;
  const std::string out = !options.out.empty()             ? options.out
                          : options.cost && !options.table ? "runs/costs-" + name
                                                           : "runs/ablate-" + name;
  if (!options.repeat.empty()) return repeat(whole, options);
  if (!options.check.empty()) return check(whole, options.check);
  if (!options.keep.empty()) return keep(whole, options, out);
  if (whole.task != "lm" && (options.probe || !options.judge.empty()))
    input_fail(options.probe ? "--probe" : "--judge", "is for language models only");
  if (options.probe && (options.table || options.cost || !options.judge.empty()))
    input_fail("--probe", "trains and probes, so it cannot be combined with --table, --cost or --judge");
  if (!options.judge.empty()) return judge(whole, options, out);
  if (!options.made_by.empty()) input_fail("--made-by", "requires --keep");
  const bool lm = whole.task == "lm";
  if (lm && options.epochs > 0) input_fail("--epochs", "language models use --steps instead");
  if (!lm && !options.cost && options.steps > 0) input_fail("--steps", "classifiers use --epochs instead");
  const bool read = options.table && options.rows.empty();
  if (options.table) shared_by_rows(whole, out, "table");
  AblationTable table = read ? with_rows_in(whole, out) : with_rows(whole, options.rows, out);
  AblationOptions run;
  run.out = out;
  run.seeds = options.seeds > 0 ? options.seeds : options.quick || options.cost ? 1 : 3;
  run.jobs = options.jobs > 0 ? options.jobs : options.cost ? 1 : num_threads();
  run.threads = std::max<std::int64_t>(1, num_threads() / run.jobs);
  run.probe = options.probe;
  run.latency = options.cost;
  Settings settings;
  for (const std::string& text : options.settings) settings.push_back(key_and_value("--set", text));
  run.shared = shared_settings(
      whole, table, {options.data, settings, options.steps, options.epochs, options.quick, experiment.shared, options.cost});
  if (options.search && experiment.rates.empty())
    input_fail("--search", "{} lists no learning rates to choose from", options.family);
  if (!options.cost)
    if (const int signal = set_rates(table, experiment.rates, run, options.search); signal != 0)
      return Interrupt::exit_code(signal);
  Ablation ablation(table, run);
  if (!options.table)
    if (const int code = train(ablation, table, run); code != 0) return code;
  fmt::print("\n{}", tables_of(ablation.report(), options.cost));
  if (const std::string probes = probe_tables(table, out); !probes.empty()) fmt::print("\n{}", probes);
  return exit_success;
}

}  // namespace

void add_ablate(CLI::App& program) {
  CLI::App* command = program.add_subcommand("ablate", "compare the variants of a family, as its paper does");
  const auto options = std::make_shared<AblateOptions>();
  const auto whole = [&](const char* name, std::int64_t& value, const char* help) {
    command->add_option(name, value, help)
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000'000}).description(""))
        ->type_name("INT");
  };
  command->add_option("FAMILY", options->family, ablation_families() + ", or a file of rows and claims, NAME.toml")
      ->required()
      ->type_name("");
  command->add_option("--data", options->data, "folder with WikiText-2 (qic: AG News); built-in data by default")->type_name("DIR");
  command
      ->add_option("--out", options->out,
                   "folder of all runs; runs/ablate-FAMILY by default, runs/costs-... with --cost, runs/repeat-... with --repeat")
      ->type_name("DIR");
  command->add_option("--rows", options->rows, "only these rows")->delimiter(',')->type_name("ROW,...");
  whole("--seeds", options->seeds, "runs of each row (3; with --quick, --cost and --repeat 1)");
  whole("--steps", options->steps, "optimizer steps of each language model (500; with --quick 100)");
  whole("--epochs", options->epochs, "epochs of each classifier (5; with --quick 2, of 1000 articles)");
  command->add_option("--set", options->settings, "override configuration keys in every row")
      ->delimiter(',')
      ->type_name("KEY=VALUE,...");
  whole("--jobs", options->jobs, "parallel runs; by default one per processor, with one thread each");
  command->add_flag("--quick", options->quick, "a first impression in minutes");
  command->add_flag("--probe", options->probe,
                    "after training, have each language model write 50 texts and read windows eight times as long as in training");
  command
      ->add_option("--judge", options->judge,
                   "measure the perplexity of the texts written by the runs of --out under this run's model")
      ->type_name("RUN");
  command->add_flag(
      "--search", options->search,
      "first search for the best learning rate of each row, among those in the file, as `argand sweep --halving --widen` does");
  command->add_flag("--table", options->table, "train nothing; print the table of the finished runs");
  command->add_flag("--cost", options->cost,
                    "train a few steps of each row and print their costs: FLOPs, time, memory and generation time; with --table, "
                    "of the runs in --out");
  command
      ->add_option("--keep", options->keep,
                   "copy the finished runs of --out to this folder, reduced and without paths; with --cost only the table of costs")
      ->type_name("DIR");
  command
      ->add_option("--made-by", options->made_by, "with --keep: the commit that made the runs, where their logs do not record it")
      ->type_name("TEXT");
  command->add_option("--check", options->check, "rebuild the tables of this folder from its logs, and compare")->type_name("DIR");
  command
      ->add_option("--repeat", options->repeat,
                   "train rows of this folder again with the same recipe and seeds, and check whether the results agree")
      ->type_name("DIR");
  add_threads(*command, "Options", "threads shared by the runs");
  command->footer(
      "Every row is trained in OUT/ROW/seed-S, a run that all other commands read. After Ctrl-C or a crash, the same command\n"
      "continues; more --seeds add runs. The table is also in OUT/table.md and its numbers in OUT/table.json: mean ± sample\n"
      "standard deviation over the seeds, after the last step, on the validation part of the text or the test articles. Rows are\n"
      "compared with the first one, pairing runs of the same seed, hence of the same data in the same order: mean difference, a\n"
      "95 % interval that holds for all rows at once, and the verdict: higher, lower, or not significant. One seed gives no "
      "verdict.\n"
      "--probe adds to each run `argand eval --generate` and `--positions` on the test part: written.json and positions.json; to\n"
      "rows with retrieval also `eval --exchange-passages` and `audit retrieval`: exchanged.json and audit.json; to ComplexFormer\n"
      "`eval --set` with delta and phase_bias at 0: as-learnt.json, with-*.json.\n"
      "--judge RUN scores the texts, afterwards and as often as you like; use a larger model of another family. All these tables\n"
      "are in OUT/probes.md.\n"
      "--cost also times generation once, as `argand eval --latency` does: latency.json.\n"
      "--repeat writes its table to OUT/repeated.md, and fails if a row does not land.\n"
      "A file NAME.toml has its own rows and rates, and claims, which get a verdict each (experiments/README.md); with --search\n"
      "each row first finds its best learning rate, in OUT/search/ROW, and then trains with it.\n"
      "Every token of the text is scored. --set eval_protocol=full-blocks measures as argand once did, to continue tables of that\n"
      "time. --set preset=NAME brings that preset's length.\n"
      "\n"
      "Examples:\n"
      "  argand ablate complexformer --quick\n"
      "  argand ablate experiments/positions.toml --search --data wikitext-2 --seeds 5\n"
      "  argand ablate crope --data wikitext-2 --out runs/crope-modes\n"
      "  argand ablate crat --data wikitext-2 --set d_model=64,d_ff=256,length=64 --jobs 2\n"
      "  argand ablate qic --data ag_news --rows learned,standard --seeds 5\n"
      "  argand ablate qic --data ag_news --cost\n"
      "  argand ablate complexformer --data wikitext-2 --probe\n"
      "  argand ablate complexformer --judge runs/judge\n"
      "  argand ablate crope --out runs/crope-modes --keep results/crope-modes\n"
      "  argand ablate crope --check results/crope-modes\n"
      "  argand ablate crope --repeat results/crope-modes --rows qk --data wikitext-2\n"
      "  argand ablate crope --cost --out runs/costs-crope --keep results/costs");
  command->callback([options] {
    if (const int code = ablate(*options); code != exit_success) throw CLI::RuntimeError(code);
  });
}

}  // namespace argand
