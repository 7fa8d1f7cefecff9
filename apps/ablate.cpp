/// argand ablate: the tables of the families' papers, at a size for a CPU.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

#include "apps/ablation/ablation.h"
#include "apps/ablation/probe_tables.h"
#include "apps/ablation/probes.h"
#include "apps/ablation/repetition.h"
#include "apps/ablation/result_tables.h"
#include "apps/commands.h"
#include "apps/sweep/rate_search.h"
#include "apps/terminal/command_line.h"
#include "apps/terminal/interrupt.h"
#include "apps/terminal/option_names.h"
#include "core/parallel.h"
#include "core/text/text_layout.h"
#include "data/files/atomic_file.h"
#include "train/ablation/experiment_file.h"
#include "train/ablation/result_file.h"

namespace argand {
namespace {

struct AblateOptions {
  std::string what, data, out, keep, check, against, judge;
  std::vector<std::string> rows, settings;
  std::int64_t seeds = 0, steps = 0, epochs = 0, jobs = 0;
  bool quick = false, table = false, cost = false, probe = false, search = false, repeat = false, json = false;

  bool results() const { return what.ends_with(".json"); }  ///< whether `what` is a file of kept results
};

/// Prints the tables of the requested rows, compared with the requested reference or the first row.
void show(const ResultTable& runs, const AblateOptions& options) {
  const std::size_t colon = options.against.rfind(':');
  const bool elsewhere = colon != std::string::npos;
  const std::string other = options.against.substr(elsewhere ? colon + 1 : 0);
  ResultTable shown = options.results() ? with_rows(runs, options.rows, options.what) : runs;
  shown.costs = shown.costs || options.cost;
  if (elsewhere) {
    shown = against_row(shown, read_result_file(options.against.substr(0, colon)), other, "--against");
  } else if (!other.empty()) {
    std::vector<std::string> names;
    for (const AblationRow& row : shown.table.rows)
      if (row.name != other) names.push_back(row.name);
    if (names.empty()) input_fail("--against", "{} would be compared with itself", other);
    shown = against_row(with_rows(shown, names, options.what), runs, other, "--against");
  }
  fmt::print("{}{}", options.results() || options.json ? "" : "\n", options.json ? json_of(shown) : markdown_of(shown));
}

/// Checks that the page has every table of the file, or of each file in the folder.
int check(const AblateOptions& options) {
  namespace fs = std::filesystem;
  std::vector<std::string> files = {options.what};
  if (fs::is_directory(options.what)) {
    files.clear();
    for (const auto& entry : fs::directory_iterator(options.what))
      if (entry.path().extension() == ".json") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    if (files.empty()) input_fail("--check", "{} contains no file NAME.json", options.what);
  } else if (!options.results()) {
    input_fail("--check", "compares kept results with a page: argand ablate FILE.json --check PAGE.md, or a folder of such files");
  }
  std::ifstream stream(options.check, std::ios::binary);
  const std::string page(std::istreambuf_iterator<char>(stream), {});
  if (!stream.good()) input_fail("--check", "cannot read {}", options.check);
  std::size_t tables = 0, faults = 0;
  for (const std::string& file : files) {
    const ResultTable runs = read_result_file(file);
    tables += tables_of(runs).size();
    for (const std::string& line : missing_in_page(runs, page)) ++faults, fmt::print("{}: {}\n", file, line);
  }
  fmt::print("{} of {}, made again: {}\n", counted(static_cast<std::int64_t>(tables), "table"), counted(std::ssize(files), "file"),
             faults == 0 ? options.check + " has them all"
                         : fmt::format("{} not in {}", counted(static_cast<std::int64_t>(faults), "line"), options.check));
  return faults == 0 ? exit_success : exit_failure;
}

/// Adds the finished runs of OUT to a file.
int keep(const AblationTable& whole, const AblateOptions& options, const std::string& out) {
  if (!options.keep.ends_with(".json")) input_fail("--keep", "must be a file NAME.json");
  shared_by_rows(whole, out, "keep");
  ResultTable runs = read_result_folder(with_rows(whole, options.rows, out), out);
  runs.costs = options.cost;
  std::size_t count = 0;
  for (const SeedResults& row : runs.results) count += row.size();
  if (count == 0) input_fail("--keep", "no run in {} has ended", out);
  if (std::filesystem::exists(options.keep))
    runs = joined(read_result_file(options.keep), std::move(runs), "--keep");
  else
    reduce(runs);
  write_file_atomically(options.keep, result_text(runs));
  fmt::print("{} of {} kept in {}\n", counted(static_cast<std::int64_t>(count), "run"), out, options.keep);
  return exit_success;
}

/// Has a judge score the texts of the runs, and prints the results.
int judge(const AblationTable& whole, const AblateOptions& options, const std::string& out) {
  shared_by_rows(whole, out, "judge");
  const AblationTable table = with_rows_in(whole, out);
  if (judge_texts(table, out, open_run(options.judge)) == 0)
    input_fail("--judge", "no run in {} has generated texts; use --probe first", out);
  const ResultTable runs = read_result_folder(table, out);
  write_tables(runs, out);
  fmt::print("{}", probe_tables(runs));
  return exit_success;
}

/// Trains the missing runs. Returns the program's exit code.
int train(Ablation& ablation, const AblationTable& table, const AblationOptions& run) {
  ablation.check();
  fmt::print("{} x {}, {} at a time with {} each; the runs are in {}\n", counted(std::ssize(table.rows), "row"),
             counted(run.seeds, "seed"), run.jobs, counted(run.threads, "thread"), run.out);
  std::fflush(stdout);
  return ablation.run();
}

/// Trains kept rows again and compares the new results with the kept ones.
int repeat(const AblateOptions& options) {
  const std::string& file = options.what;
  if (!options.results()) input_fail("--repeat", "trains kept rows again: argand ablate FILE.json --repeat");
  if (options.steps > 0 || options.epochs > 0 || options.quick || options.cost || options.search || !options.settings.empty())
    input_fail("--repeat",
               "uses the recipe of {}, so it cannot be combined with --steps, --epochs, --set, --quick, --cost or --search", file);
  if (options.probe || options.json || !options.judge.empty() || !options.keep.empty() || !options.against.empty())
    input_fail("--repeat", "retrains rows, so it cannot be combined with --probe, --judge, --keep, --against or --json");
  AblationOptions run;
  run.out = options.out.empty() ? "runs/repeat-" + std::filesystem::path(file).stem().string() : options.out;
  run.seeds = std::max<std::int64_t>(1, options.seeds);
  const ResultTable all = read_result_file(file);
  ResultTable kept, now;
  if (options.table) {
    now = run.out.ends_with(".json") ? read_result_file(run.out)
                                     : read_result_folder(with_rows(all.table, options.rows, "", file), run.out);
    std::vector<std::string> names;
    for (std::size_t row = 0; row < now.table.rows.size(); ++row)
      if (!now.results[row].empty()) names.push_back(now.table.rows[row].name);
    if (names.empty()) input_fail("--table", "none of these rows was trained in {}", run.out);
    kept = rows_to_repeat(all, names, 0, file);
  } else {
    kept = rows_to_repeat(all, options.rows, run.seeds, file);
    const Recipe recipe = recipe_of(kept, options.data);
    run.shared = recipe.shared;
    run.jobs = options.jobs > 0 ? options.jobs : std::min<std::int64_t>(num_threads(), std::ssize(kept.table.rows) * run.seeds);
    run.threads = std::max<std::int64_t>(1, num_threads() / run.jobs);
    Ablation ablation(recipe.table, run);
    if (const int code = train(ablation, recipe.table, run); code != 0) return code;
    now = ablation.results();
  }
  const Repetition repetition(kept, now);
  if (!options.table) write_file_atomically(run.out + "/repeated.md", repetition.markdown());
  fmt::print("{}{}", options.table ? "" : "\n", repetition.markdown());
  return repetition.all_land() ? exit_success : exit_failure;
}

int ablate(const AblateOptions& options) {
  if (!options.check.empty()) return check(options);
  if (options.repeat) return repeat(options);
  if (options.results() && options.keep.empty()) {
    if (options.steps > 0 || options.epochs > 0 || options.seeds > 0 || options.jobs > 0 || options.quick || options.probe ||
        options.search || !options.data.empty() || !options.out.empty() || !options.settings.empty() || !options.judge.empty())
      input_fail(options.what, "contains results of finished runs; add --repeat to train its rows again");
    show(read_result_file(options.what), options);
    return exit_success;
  }
  const bool is_file = options.what.ends_with(".toml");
  const Experiment experiment = is_file             ? read_experiment(options.what)
                                : options.results() ? Experiment{read_result_file(options.what).table, {}, {}}
                                                    : Experiment{ablation_table(options.what), {}, {}};
  const AblationTable& whole = experiment.table;
  const std::string name = std::filesystem::path(options.what).stem().string();
  const std::string out = !options.out.empty()             ? options.out
                          : options.cost && !options.table ? "runs/costs-" + name
                                                           : "runs/ablate-" + name;
  if (!options.keep.empty()) return keep(whole, options, out);
  if (whole.task != "lm" && (options.probe || !options.judge.empty()))
    input_fail(options.probe ? "--probe" : "--judge", "is for language models only");
  if (options.probe && (options.table || options.cost || !options.judge.empty()))
    input_fail("--probe", "trains and probes, so it cannot be combined with --table, --cost or --judge");
  if (!options.judge.empty()) return judge(whole, options, out);
  if ((options.json || !options.against.empty()) && !options.table)
    input_fail(options.json ? "--json" : "--against", "requires --table, or a file of results");
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
  if (options.search && experiment.rates.empty()) input_fail("--search", "{} lists no learning rates to choose from", options.what);
  if (!options.cost)
    if (const int signal = set_rates(table, experiment.rates, run, options.search); signal != 0)
      return Interrupt::exit_code(signal);
  Ablation ablation(table, run);
  if (!options.table)
    if (const int code = train(ablation, table, run); code != 0) return code;
  show(ablation.results(), options);
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
  command
      ->add_option("FAMILY", options->what,
                   ablation_families() + ", or a file of rows and claims, NAME.toml, or of kept results, NAME.json")
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
  command->add_flag("--table", options->table, "train nothing; print the tables of the finished runs");
  command
      ->add_option("--against", options->against,
                   "with --table or NAME.json: compare with this row instead of the first; FILE.json:ROW for that of another file")
      ->type_name("ROW");
  command->add_flag("--json", options->json, "with --table or NAME.json: print one JSON object, the numbers and the tables");
  command->add_flag("--cost", options->cost,
                    "train a few steps of each row and print their costs: FLOPs, time, memory and generation time; with --table, "
                    "of the runs in --out");
  command
      ->add_option("--keep", options->keep,
                   "add the finished runs of --out to this file: what tables and figures need of them, one line per run; with "
                   "--cost as costs")
      ->type_name("NAME.json");
  command
      ->add_option("--check", options->check,
                   "check that this page contains every table of NAME.json, or of all such files in a folder")
      ->type_name("PAGE.md");
  command->add_flag("--repeat", options->repeat,
                    "train rows of NAME.json again with the same recipe and seeds, and check whether the results agree");
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
      "--judge RUN scores these texts with another model, preferably a larger one of another family. All these tables\n"
      "are in OUT/probes.md.\n"
      "--cost also times generation once, as `argand eval --latency` does: latency.json.\n"
      "NAME.json alone prints its tables; --keep adds rows to those in the file if family, task, source,\n"
      "requested settings and logged steps are the same. --repeat writes its table to OUT/repeated.md, and fails if a row's\n"
      "result does not agree.\n"
      "A file NAME.toml has its own rows and rates, and claims, which get a verdict each (experiments/README.md); with --search\n"
      "each row first finds its best learning rate, in OUT/search/ROW, and then trains with it.\n"
      "Every token of the text is scored. --set eval_protocol=full-blocks measures as earlier versions did, to continue their\n"
      "tables. --set preset=NAME also sets that preset's length.\n"
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
      "  argand ablate crope --out runs/crope-modes --keep crope-modes.json\n"
      "  argand ablate crope-modes.json --rows all,half_all --against qk\n"
      "  argand ablate crope-modes.json --repeat --rows qk --data wikitext-2\n"
      "  argand ablate bench/results/tables --check docs/guides/results-tables.md");
  command->callback([options] {
    if (const int code = ablate(*options); code != exit_success) throw CLI::RuntimeError(code);
  });
}

}  // namespace argand
