/// argand ablate: the tables of the families' papers, at a size for a CPU.

#include <algorithm>
#include <memory>

#include "apps/commands.h"
#include "apps/runs/run_config.h"
#include "apps/terminal/command_line.h"
#include "apps/terminal/settings.h"
#include "apps/training/ablation.h"
#include "core/parallel.h"

namespace argand {
namespace {

struct AblateOptions {
  std::string family, data, out;
  std::vector<std::string> rows, settings;
  std::int64_t seeds = 0, steps = 0, epochs = 0, jobs = 0;
  bool quick = false, table = false;
};

/// Only the rows asked for, in the table's order.
void select_rows(AblationTable& table, const std::vector<std::string>& wanted) {
  std::vector<std::string> known;
  for (const AblationRow& row : table.rows) known.push_back(row.name);
  for (const std::string& name : wanted)
    if (std::find(known.begin(), known.end(), name) == known.end())
      usage_fail("--rows", "{} has no row \"{}\", it has {}{}", table.family, name, CLI::detail::join(known, ", "),
                 did_you_mean(name, known));
  if (!wanted.empty())
    std::erase_if(table.rows,
                  [&](const AblationRow& row) { return std::find(wanted.begin(), wanted.end(), row.name) == wanted.end(); });
}

int ablate(const AblateOptions& options) {
  AblationTable table = ablation_table(options.family);
  select_rows(table, options.rows);
  const bool lm = table.task == "lm";
  if (lm && options.epochs > 0) usage_fail("--epochs", "language models count --steps");
  if (!lm && options.steps > 0) usage_fail("--steps", "classifiers count --epochs");
  AblationOptions run;
  run.out = options.out.empty() ? "runs/ablate-" + options.family : options.out;
  run.seeds = options.seeds > 0 ? options.seeds : options.quick ? 1 : 3;
  run.jobs = options.jobs > 0 ? options.jobs : num_threads();
  run.threads = std::max<std::int64_t>(1, num_threads() / run.jobs);
  if (!options.data.empty()) run.shared.push_back({"data", options.data});
  if (lm) {
    const std::int64_t steps = options.steps > 0 ? options.steps : options.quick ? 100 : 500;
    run.shared.push_back({"steps", fmt::format("{}", steps)});
    run.shared.push_back({"warmup", "10%"});
  } else {
    if (options.quick) run.shared.push_back({"train_articles", "1000"});
    run.shared.push_back({"epochs", fmt::format("{}", options.epochs > 0 ? options.epochs : options.quick ? 2 : 5)});
  }
  for (const std::string& setting : options.settings) {
    const Setting s = key_and_value("--set", setting);
    run.shared.push_back({s.key, s.text});
  }
  // Said even where it is the default: a folder must not mix figures of two protocols.
  const auto says_protocol = [](const auto& setting) { return setting.first == "eval_protocol"; };
  if (lm && std::none_of(run.shared.begin(), run.shared.end(), says_protocol))
    run.shared.push_back({"eval_protocol", TrainingConfig().eval_protocol});
  Ablation ablation(table, run);
  if (!options.table) {
    ablation.check();
    fmt::print("{} rows x {} seeds, {} at a time with {} each; the runs are in {}\n", table.rows.size(), run.seeds, run.jobs,
               run.threads == 1 ? "one thread" : fmt::format("{} threads", run.threads), run.out);
    std::fflush(stdout);
    if (const int code = ablation.run(); code != 0) return code;
  }
  fmt::print("\n{}\n{}\n", ablation.table(), table.note);
  return exit_success;
}

}  // namespace

void add_ablate(CLI::App& program) {
  CLI::App* command = program.add_subcommand("ablate", "compare the variants of a family that its paper compares");
  const auto options = std::make_shared<AblateOptions>();
  const auto whole = [&](const char* name, std::int64_t& value, const char* help) {
    command->add_option(name, value, help)
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000'000}).description(""))
        ->type_name("INT");
  };
  command->add_option("FAMILY", options->family, ablation_families())->required()->type_name("");
  command->add_option("--data", options->data, "folder with WikiText-2 (qic: AG News); what is built in by default")
      ->type_name("DIR");
  command->add_option("--out", options->out, "folder of all runs; runs/ablate-FAMILY by default")->type_name("DIR");
  command->add_option("--rows", options->rows, "only these rows")->delimiter(',')->type_name("ROW,...");
  whole("--seeds", options->seeds, "runs of each row (3; with --quick 1)");
  whole("--steps", options->steps, "of each language model (500; with --quick 100)");
  whole("--epochs", options->epochs, "of each classifier (5; with --quick 2, of 1000 articles)");
  command->add_option("--set", options->settings, "other sizes or rates for every row, with the names of a configuration's keys")
      ->delimiter(',')
      ->type_name("KEY=VALUE,...");
  whole("--jobs", options->jobs, "runs at a time; by default one a processor, each with one thread");
  command->add_flag("--quick", options->quick, "a first impression in minutes");
  command->add_flag("--table", options->table, "train nothing, print the table of what has been trained");
  add_threads(*command, "Options", "threads that the runs share");
  command->footer(
      "Every row is a training run of its own in OUT/ROW/seed-S, which all other commands read. If it is stopped by Ctrl-C or\n"
      "killed, the same command takes it up again; more --seeds add to what is there. The table is also in OUT/table.md: mean\n"
      "± sample standard deviation over the seeds, after the last step, on the validation part of the text or the test\n"
      "articles. Every token of the text counts. --set eval_protocol=full-blocks measures as argand once did, and continues\n"
      "tables of that time.\n\n"
      "Examples:\n"
      "  argand ablate complexformer --quick\n"
      "  argand ablate crope --data wikitext-2 --out runs/crope-modes\n"
      "  argand ablate crat --data wikitext-2 --set d_model=64,d_ff=256,length=64 --jobs 2\n"
      "  argand ablate qic --data ag_news --rows learned,standard --seeds 5");
  command->callback([options] {
    if (const int code = ablate(*options); code != exit_success) throw CLI::RuntimeError(code);
  });
}

}  // namespace argand
