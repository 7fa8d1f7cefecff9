/// argand eval: the perplexity of a trained model.

#include <chrono>
#include <cmath>
#include <memory>

#include "apps/command_line.h"
#include "apps/commands.h"
#include "apps/corpora.h"
#include "apps/run_files.h"
#include "apps/terminal.h"
#include "apps/training_run.h"
#include "core/parallel.h"

namespace argand {
namespace {

struct EvalOptions {
  std::string run, data, split = "test";
};

void eval(const EvalOptions& options) {
  const TrainedRun trained = open_run(options.run);
  const TrainingConfig& t = trained.checkpoint.config().training;
  const Corpus corpus = open_corpus(options.data.empty() ? t.data : options.data);
  const Ids& part = options.split == "train" ? corpus.train : options.split == "valid" ? corpus.valid : corpus.test;
  const Ids tokens = translate(part, corpus.vocabulary, trained.vocabulary);
  with_precision(trained.checkpoint.config(), [&]<class R>(R) {
    const auto model = load_model<R>(trained.checkpoint);
    const std::int64_t blocks = EvaluationBatches(tokens, t.batch, t.length).size();
    const auto start = std::chrono::steady_clock::now();
    const double loss = evaluate<R>(*model, tokens, t.batch, t.length);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const auto count = static_cast<double>(blocks * t.batch * t.length);
    fmt::print("{} at step {}, {} part, {:.0f} tokens: loss {:.4f} nats a token, perplexity {:.2f} ({} tokens/s)\n",
               trained.checkpoint.file().path(), trained.checkpoint.state().step, options.split, count, loss, std::exp(loss),
               with_unit(count / seconds));
  });
}

}  // namespace

void add_eval(CLI::App& program) {
  CLI::App* command = program.add_subcommand("eval", "perplexity of a trained model");
  const auto options = std::make_shared<EvalOptions>();
  command->add_option("RUN", options->run, "a run's folder (its best checkpoint) or a checkpoint")->required()->type_name("");
  command->add_option("--data", options->data, "folder of the text; that of the training by default")->type_name("DIR");
  command->add_option("--split", options->split, "part of the text")
      ->check(CLI::IsMember({"train", "valid", "test"}).description(""))
      ->type_name("train|valid|test")
      ->capture_default_str();
  command->footer(
      "The text is read from its beginning in blocks of batch x length tokens, each window on its own; what does not fill a\n"
      "block is left out. Words that the model does not know count as <unk>.\n\n"
      "Examples:\n"
      "  argand eval runs/first\n"
      "  argand eval runs/rope/step-300.safetensors --split valid\n"
      "  argand eval runs/rope --data wikitext-2");
  command->callback([options] {
    flush_subnormals_to_zero(true);
    eval(*options);
  });
}

}  // namespace argand
