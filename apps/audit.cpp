/// argand audit: checks that a run never reads the tokens it is supposed to predict.

#include <memory>
#include <nlohmann/json.hpp>

#include "apps/commands.h"
#include "apps/terminal/command_line.h"
#include "apps/terminal/counter.h"
#include "apps/terminal/output_file.h"
#include "core/parallel.h"
#include "train/data/corpora.h"
#include "train/retrieval/retrieval_audit.h"

namespace argand {
namespace {

struct AuditOptions {
  std::string run, json;
  bool no_exclusion = false;
};

int audit(const AuditOptions& options) {
  const OutputFile json(options.json);
  const TrainedRun trained = open_run(options.run);
  const RunConfig& config = trained.checkpoint.config();
  if (!config.has_windows())
    fail("audit", "the model in {} has no reflection windows and does not use retrieval", trained.checkpoint.file().path());
  const TrainingData data = open_data(config, trained);
  const auto retriever = Retriever::of(config, data);
  const Task task = make_task(config, data);
  const std::string source = retriever->of_training_text() ? "the training text" : config.knowledge.irw_file;
  return with_precision(config, [&]<class R>(R) {
    const auto model = load_model<R>(trained.checkpoint);
    Counter counter("auditing", task.batches_per_epoch);
    const RetrievalAudit found = audit_retrieval<R>(
        *model, config, *retriever, task, !options.no_exclusion,
        [&](const Leak& leak) {
          fmt::print("step {}, row {}: the window of tokens {} to {} of the training data read passage {}, tokens {} to {} of {}\n",
                     leak.step, leak.row, leak.window_first, leak.window_last - 1, leak.passage, leak.passage_first,
                     leak.passage_last - 1, source);
        },
        [&](std::int64_t done) { counter.update(done); });
    fmt::print("{} batches, {} windows: {} reads of {} pairs of window and passage, {} violations\n", found.batches, found.windows,
               found.reads, found.different, found.leaks);
    if (json)
      json.write(nlohmann::ordered_json{{"checkpoint", trained.checkpoint.file().path()},
                                        {"step", trained.checkpoint.state().step},
                                        {"exclusion", !options.no_exclusion},
                                        {"batches", found.batches},
                                        {"windows", found.windows},
                                        {"reads", found.reads},
                                        {"pairs", found.different},
                                        {"violations", found.leaks}}
                     .dump(1) +
                 "\n");
    return found.leaks == 0 ? exit_success : exit_failure;
  });
}

}  // namespace

void add_audit(CLI::App* command) {
  command->require_subcommand(1);
  CLI::App* retrieval = command->add_subcommand("retrieval", "check that reflection windows never read the tokens to predict");
  const auto options = std::make_shared<AuditOptions>();
  retrieval->add_option("RUN", options->run, "a run's folder (its best checkpoint) or a checkpoint")->required()->type_name("");
  retrieval->add_flag("--no-exclusion", options->no_exclusion, "search without excluding overlapping passages, to test the audit");
  retrieval->add_option("--json", options->json, "also write the final result to a file (- for standard output)")
      ->type_name("FILE");
  add_threads(*retrieval);
  retrieval->footer(
      "Replays all training batches of the first epoch with the current model. Every passage that any token reads is compared\n"
      "with the window that its row reads and predicts, by their positions in the text, independently of the search and its\n"
      "exclusions. Passages from another file must not share 16 consecutive tokens with the window. Prints every violation; the\n"
      "exit code is 1 if there is one.\n"
      "\n"
      "Examples:\n"
      "  argand audit retrieval runs/crat\n"
      "  argand audit retrieval runs/crat --no-exclusion | tail -1");
  retrieval->callback([options] {
    flush_subnormals_to_zero(true);
    if (const int code = audit(*options); code != exit_success) throw CLI::RuntimeError(code);
  });
}

}  // namespace argand
