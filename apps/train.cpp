/// argand train lm: trains a language model, with checkpoints, from which it goes on bit for bit.

#include <cmath>
#include <memory>

#include "apps/command_line.h"
#include "apps/commands.h"
#include "apps/corpora.h"
#include "apps/interrupt.h"
#include "apps/progress.h"
#include "apps/training_session.h"
#include "core/parallel.h"

namespace argand {
namespace {

struct TrainOptions {
  explicit TrainOptions(CLI::App& command) : run(command) {}
  RunOptions run;
  std::string out, resume;
  bool overwrite = false;
  int threads = 0;
  std::int64_t print_every = 10;
};

template <RealScalar R>
void announce(TrainingSession<R>& session) {
  const RunConfig& c = session.run().config();
  fmt::print("{}: {} parameters, {} words, {} steps of {} x {} tokens in {}, {} threads\n", c.model.family,
             with_unit(static_cast<double>(count_parameters(session.run().parameters()))), c.model.vocab_size, c.training.steps,
             c.training.batch * c.training.accumulate, c.training.length, c.training.precision, num_threads());
}

/// Runs to the end or to a signal; returns the exit code.
template <RealScalar R>
int train(TrainingSession<R>& session, std::int64_t print_every) {
  const TrainingConfig& t = session.run().config().training;
  const std::string folder = session.folder().path();
  announce(session);
  const Interrupt interrupt;
  Progress progress({session.run().config().model.family}, t.steps, print_every);
  while (!session.finished() && interrupt.signal() == 0) {
    const Advance done = session.advance();
    progress.update(0, done.step.step, done.step.cross_entropy, done.step.tokens, done.seconds);
    if (done.validation)
      progress.note(fmt::format("step {}: validation loss {:.4f}, perplexity {:.2f}{}", done.step.step, *done.validation,
                                std::exp(*done.validation), done.is_best ? ", the best so far" : ""));
  }
  progress.finish();
  if (!session.finished()) {
    session.save();
    fmt::print("stopped by {} after step {}; `argand train lm --resume {}` goes on from there\n", interrupt.name(),
               session.run().state().step, folder);
    return interrupt.exit_code();
  }
  const RunState& state = session.run().state();
  fmt::print("best validation loss {:.4f}, perplexity {:.2f}, at step {}; the files are in {}\n", state.best_valid,
             std::exp(state.best_valid), state.best_step, folder);
  return exit_success;
}

int start(const TrainOptions& options) {
  if (options.out.empty()) usage_fail("train lm", "where shall the run go? --out RUN, or --resume RUN to go on with one");
  const RunConfig config = options.run.resolve();
  if (config.model.task != "lm")
    usage_fail("--task", "`train lm` trains language models, not models of the task {}", config.model.task);
  const RunFolder folder(options.out);
  if (!options.overwrite) folder.require_free();
  const Corpus corpus = open_corpus(config.training.data);
  return with_precision(config, [&]<class R>(R) {
    TrainingSession<R> session(folder, options.overwrite, config, corpus);
    return train(session, options.print_every);
  });
}

int resume(const TrainOptions& options) {
  if (!options.out.empty() || options.overwrite) usage_fail("--resume", "goes on in its own folder; drop --out and --overwrite");
  if (options.run.has_file()) usage_fail("--resume", "the run keeps its configuration; drop --config");
  std::string data;
  for (const Setting& s : options.run.given()) {
    if (s.key != "data")
      usage_fail("--resume", "the run keeps its configuration; drop {} (only --data may say where the data are now)", s.place);
    data = s.text;
  }
  const RunFolder folder(options.resume);
  const Checkpoint last(folder.last());
  if (last.state().step == last.config().training.steps) {
    fmt::print("{} has all its {} steps already\n", folder.path(), last.state().step);
    return exit_success;
  }
  const Corpus corpus = open_corpus(data.empty() ? last.config().training.data : data);
  return with_precision(last.config(), [&]<class R>(R) {
    TrainingSession<R> session(folder, last, corpus);
    fmt::print("going on after step {}\n", last.state().step);
    return train(session, options.print_every);
  });
}

}  // namespace

void add_train(CLI::App& program) {
  CLI::App* command = program.add_subcommand("train", "train a model");
  command->require_subcommand(1);
  CLI::App* lm = command->add_subcommand("lm", "train a language model: it predicts the next word");
  const auto options = std::make_shared<TrainOptions>(*lm);
  lm->add_option("--out", options->out, "folder for the run's files")->type_name("RUN")->group("Run");
  lm->add_option("--resume", options->resume, "go on with the run in this folder")->type_name("RUN")->group("Run");
  lm->add_flag("--overwrite", options->overwrite, "replace the run that is in --out")->group("Run");
  lm->add_option("--threads", options->threads, "threads; all processors by default")
      ->check(CLI::Range(1, 1024).description(""))
      ->type_name("INT")
      ->group("Run");
  lm->add_option("--print-every", options->print_every, "steps between lines where the output is no terminal")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000'000}).description(""))
      ->type_name("INT")
      ->group("Run");
  lm->footer(
      "Ctrl-C ends the step, saves, and says how to go on. A run that was killed goes on from its last checkpoint; either way\n"
      "it ends in the same files, byte for byte, as if never stopped.\n\n"
      "Examples:\n"
      "  argand train lm --out runs/first                        ComplexFormer on the built-in corpus\n"
      "  argand train lm --family transformer --position rope --data wikitext-2 --out runs/rope\n"
      "  argand train lm --preset paper --data wikitext-2 --batch 4 --accumulate 2 --out runs/paper\n"
      "  argand train lm --config runs/rope/config.toml --seed 1 --out runs/rope-1\n"
      "  argand train lm --resume runs/rope");
  lm->callback([options] {
    if (options->threads > 0) set_num_threads(options->threads);
    flush_subnormals_to_zero(true);
    const int code = options->resume.empty() ? start(*options) : resume(*options);
    if (code != exit_success) throw CLI::RuntimeError(code);
  });
}

}  // namespace argand
