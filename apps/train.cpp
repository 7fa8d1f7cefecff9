/// argand train lm, argand train classify: trains a model, with checkpoints from which training resumes bit for bit.

#include <cmath>
#include <memory>

#include "apps/commands.h"
#include "apps/runs/fitted_weights.h"
#include "apps/runs/run_options.h"
#include "apps/terminal/command_line.h"
#include "apps/terminal/interrupt.h"
#include "apps/terminal/option_names.h"
#include "apps/terminal/progress.h"
#include "core/parallel.h"
#include "core/text/text_layout.h"
#include "data/corpora/topics.h"
#include "data/files/atomic_file.h"
#include "data/files/utf8.h"
#include "train/checkpoints/diagnostics.h"
#include "train/checkpoints/jsonl.h"
#include "train/config/changes.h"
#include "train/loop/nan_report.h"
#include "train/loop/rate_curve.h"
#include "train/loop/training_session.h"
#include "train/start/run_request.h"

namespace argand {
namespace {

struct TrainOptions {
  TrainOptions(CLI::App& command, const std::string& task) : run(command, task), task(task) {}
  RunOptions run;
  Ranks* ranks = &single_process();
  std::string task;  ///< the task, which is also the name of the subcommand
  std::string out, resume;
  bool overwrite = false, trace_nan = false;
  std::int64_t find_lr = 0;  ///< steps of the learning rate search; 0: no search
  std::int64_t print_every = 10;
};

/// Describes the workers, as in "2 threads" or "4 ranks of 1 thread".
std::string workers(const Ranks& ranks) {
  const std::string threads = counted(num_threads(), "thread");
  return ranks.size() == 1 ? threads : fmt::format("{} ranks of {}", ranks.size(), threads);
}

template <RealScalar R>
void announce(TrainingSession<R>& session, const TrainingData& data, const Ranks& ranks) {
  if (const std::string& source = source_of(data); !source.empty()) fmt::print("{}\n", source);
  if (const auto* articles = std::get_if<LabelledCorpus>(&data)) {
    for (const std::string& line : articles->preview) fmt::print("{}\n", line);
    fmt::print("{} articles to train on, {}{} to test on\n", articles->train.size(),
               articles->valid.size() > 0 ? fmt::format("{} to validate on, ", articles->valid.size()) : "", articles->test.size());
  }
  const RunConfig& c = session.run().config();
  const std::int64_t rows = c.training.batch * c.training.accumulate;
  const std::string batch = c.model.task == TextTask::Lm ? fmt::format("{} x {} tokens", rows, c.training.length)
                                                         : fmt::format("{} articles of {} classes", rows, c.model.n_classes);
  fmt::print("{}: {} parameters, {} {}, {} of {} in {}, {}\n", c.model.family().name,
             with_unit(static_cast<double>(count_parameters(session.run().parameters()))), c.model.vocab_size,
             plural_of(c.training.tokens), counted(c.training.steps, "step"), batch, c.training.precision, workers(ranks));
  if (session.fitted_weights())
    for (const std::string& line : lines_of(*session.fitted_weights())) fmt::print("{}\n", line);
}

/// The message about a run that has finished.
std::string why_ended(const RunFolder& folder, const RunConfig& config, const RunState& state) {
  if (!stopped_early(config, state))
    return fmt::format("{} has already taken all its {} steps; continue with a larger --steps N", folder.path(), state.step);
  return fmt::format(
      "stopped early after step {} of {}: {} validation{} in a row without improvement on step {}; continue with `argand train {} "
      "--resume {} --early-stop {}`, 0 for no limit",
      state.step, config.training.steps, state.since_best, state.since_best == 1 ? "" : "s", state.best_step,
      word_of(config.model.task), folder.path(), 2 * config.training.early_stop);
}

[[noreturn]] void report_diverged(std::int64_t step) {
  throw DivergedError(fmt::format(
      "train: the validation loss is not finite after step {}; a lower `lr` or `clip`, or `precision` float64, may help", step));
}

/// Reports why a run that was to be resumed unchanged has already ended.
void report_why_ended(const RunFolder& folder, const RunConfig& config, const RunState& state) {
  bool finite = true;
  for_each_line(folder.log(), [&](const nlohmann::ordered_json& line, std::int64_t) {
    if (line.contains("valid_loss")) finite = line["valid_loss"].is_number();
  });
  if (!finite) report_diverged(state.step);
  fmt::print("{}\n", why_ended(folder, config, state));
}

/// Reports the results after the last step.
template <RealScalar R>
void conclude(TrainingSession<R>& session, const Evaluation& last, const TrainingData& data) {
  const DiagnosticParameters& diagnostics = session.run().config().model.family().diagnostics;
  if (!diagnostics.values.empty()) {
    const std::vector<std::string> table = diagnostics.table(diagnostic_parameters(diagnostics, session.run().parameters()));
    if (!table.empty()) fmt::print("\n{} after the last step:\n", diagnostics.heading);
    for (const std::string& line : table) fmt::print("{}\n", line);
  }
  const RunState& state = session.run().state();
  if (stopped_early(session.run().config(), state)) fmt::print("{}\n", why_ended(session.folder(), session.run().config(), state));
  if (!last.confusion) {
    const auto bits = state.best_bits_per_byte();
    fmt::print("best validation loss {:.4f}, perplexity {:.2f}{}, at step {}; the files are in {}\n", state.best_valid,
               std::exp(state.best_valid), bits ? fmt::format(", {:.3f} bits per byte", *bits) : "", state.best_step,
               session.folder().path());
    return;
  }
  const bool held_out = std::get<LabelledCorpus>(data).valid.size() > 0;
  fmt::print("\nafter the last step, on the {}:\n", counted(last.count, held_out ? "validation article" : "test article"));
  for (const std::string& line : last.confusion->table(classes_of(data))) fmt::print("{}\n", line);
  fmt::print("{}\n", summary(last));
  if (held_out) {
    fmt::print(
        "\nbest.safetensors is from step {}, accuracy {:.1f} %. The test articles were not used: evaluate them with "
        "`argand eval {}`.\n",
        state.best_step, 100 * state.accuracy_of_best(), session.folder().path());
    return;
  }
  if (session.run().config().training.data == "topics")
    fmt::print("best possible accuracy, given how these articles are generated: {:.1f} %\n",
               100 * best_possible_accuracy(first_articles(open_articles("topics").test, last.count)));
  fmt::print(
      "\nbest.safetensors is from step {}, accuracy {:.1f} %. It was chosen on these same test articles, so\n"
      "its accuracy is optimistic; the last step's is not. The files are in {}\n",
      state.best_step, 100 * state.accuracy_of_best(), session.folder().path());
}

/// Reports a step with non-finite values, and throws.
template <RealScalar R>
[[noreturn]] void report(const TrainingSession<R>& session, const NonFiniteStep& step, const RunConfig& config,
                         const TrainingData& data, bool trace_nan) {
  const RunFolder& folder = session.folder();
  if (!trace_nan)
    throw DivergedError(fmt::format("{}; `argand train {} --resume {} --trace-nan` shows the op's inputs and the batch",
                                    step.what(), word_of(config.model.task), folder.path()));
  write_file_atomically(folder.nan_trace(), non_finite_json(step, config, data));
  const std::string what = step.what(),
                    text = non_finite_text(step, data);  // the report begins with `what`; the rest may quote the data
  fmt::print(stderr, "{}{}\n", in_options(what), text.substr(what.size()));
  throw DivergedError(fmt::format("train: stopped before step {} changed the parameters; the full report, with the batch, is in {}",
                                  step.step, folder.readable(folder.nan_trace())));
}

/// Trains to the end or until a signal; returns the exit code.
template <RealScalar R>
int train(TrainingSession<R>& session, const TrainingData& data, const TrainOptions& options) {
  const RunConfig& config = session.run().config();
  const bool is_root = options.ranks->is_root();
  session.run().trace_nan(options.trace_nan);
  const Interrupt interrupt(is_root ? saves_after_this_step : nullptr);
  const auto received = [&] { return interrupt.signal(); };
  if (!is_root) {
    session.advance_all(received, {});
    return exit_success;  // the first rank returns the run's exit code
  }
  announce(session, data, *options.ranks);
  Progress progress({config.model.family().name}, config.training.steps, options.print_every);
  if (config.model.task != TextTask::Lm) progress.hide_perplexity();
  session.run().watch_evaluation([&](std::int64_t done, std::int64_t all) { progress.validating(0, done, all); });
  if (const auto* corpus = std::get_if<Corpus>(&data); corpus != nullptr) {
    session.sample_with(
        [&session, &interrupt, corpus] { return sample_of(session.run(), *corpus, [&] { return interrupt.signal() != 0; }); });
    progress.show_bits_per_byte(bits_per_byte(*corpus));
  }
  std::optional<Evaluation> last;
  const auto show = [&](Advance&& done) {
    progress.update(0, done.step.step, done.step.cross_entropy, done.step.tokens, done.seconds);
    if (done.step.recall)
      progress.note(fmt::format("step {}: rebuilt the approximate index of the knowledge base, Recall@{} {:.3f}", done.step.step,
                                config.model.windows().top_k, *done.step.recall));
    if (done.validation) {
      last = std::move(done.validation);
      progress.note(fmt::format("step {}: {} {}{}", done.step.step, validated_part(data), summary(*last),
                                done.is_best ? ", the best so far" : ""));
    }
    if (done.sample) progress.note(fmt::format("step {}: it writes: {}", done.step.step, on_one_line(*done.sample)));
  };
  int signal = 0;
  try {
    signal = session.advance_all(received, show);
  } catch (const NonFiniteStep& step) {
    progress.finish();
    report(session, step, config, data, options.trace_nan);
  }
  progress.finish();
  if (!session.finished()) {
    session.save();
    fmt::print("stopped by {} after step {}; continue with `argand train {} --resume {}`\n", Interrupt::name(signal),
               session.run().state().step, word_of(config.model.task), session.folder().path());
    return Interrupt::exit_code(signal);
  }
  if (!std::isfinite(last->loss)) report_diverged(session.run().state().step);
  conclude(session, *last, data);
  return exit_success;
}

void require_task(const std::string& wanted, const std::string& task, const char* place) {
  if (task != wanted)
    input_fail(place, "`train {}` trains {}, not models for task {}", wanted, wanted == "lm" ? "language models" : "classifiers",
               task);
}

/// Trains briefly at increasing rates, writes no files, and recommends a rate.
int find_rate(const TrainOptions& options) {
  if (!options.out.empty() || !options.resume.empty()) input_fail("--find-lr", "writes no files; drop --out and --resume");
  if (options.ranks->size() > 1) input_fail("--find-lr", "runs in one process; start it without mpirun");
  const RunConfig asked = options.run.resolve();
  require_task(options.task, word_of(asked.model.task), "--task");
  const NewRun begun = open_new_run(asked);
  with_precision(begun.config, [&]<class R>(R) {
    TrainingRun<R> run(begun.config, begun.data);
    if (begun.weights) run.load_initial_weights(*begun.weights, begun.data);
    fmt::print("{}", in_options(text_of(find_rate<R>(run, {.steps = options.find_lr}))));
  });
  return exit_success;
}

int start(const TrainOptions& options) {
  if (options.out.empty()) input_fail("train " + options.task, "missing --out RUN (to start) or --resume RUN (to continue)");
  const RunConfig asked = options.run.resolve();
  require_task(options.task, word_of(asked.model.task), "--task");
  const RunFolder folder(options.out);
  if (options.ranks->is_root() && !options.overwrite) folder.require_free();
  const NewRun begun = open_new_run(asked);
  const RunConfig& config = begun.config;
  const TrainingData& data = begun.data;
  const InitialWeights* const weights = begun.weights ? &*begun.weights : nullptr;
  return with_precision(config, [&]<class R>(R) {
    TrainingSession<R> session(folder, options.overwrite, config, data, weights, *options.ranks);
    return train(session, data, options);
  });
}

/// A message about the length and the learning rate of an extended run, or "".
std::string schedule_note(const RunConfig& before, const RunConfig& now) {
  const TrainingConfig& t = now.training;
  if (t.steps == before.training.steps) return "";
  const std::string length = fmt::format(", to step {}", t.steps);
  if (t.decay_steps == 0 || t.decay_steps >= t.steps) return length;
  return fmt::format("{}: from step {} on the learning rate stays at {:.4g}, where its cosine ends; --decay-steps {} stretches it",
                     length, t.decay_steps, now.schedule().final, t.steps);
}

/// The changes for a message: ", with --lr 0.0003 instead of 0.001", or "".
std::string changes_of(const RunConfig& before, const RunConfig& now) {
  std::string text;
  for (const auto& [key, was, is] : changes_of_rate(before, now))
    if (key != "decay_steps" ||
        now.training.steps == before.training.steps)  // if the steps changed, schedule_note() reports the end of the decay
      text += fmt::format("{} {} {} instead of {}", text.empty() ? ", with" : " and", option_name(key), is, was);
  return text;
}

int resume(const TrainOptions& options) {
  if (!options.out.empty() || options.overwrite) input_fail("--resume", "continues in its own folder; drop --out and --overwrite");
  if (options.run.has_file()) input_fail("--resume", "the run keeps its configuration; drop --config");
  const Continuation how = continuation(options.run.given());
  const RunFolder folder(options.resume);
  Ranks& ranks = *options.ranks;
  RunLock lock;
  if (ranks.is_root()) lock = RunLock(folder.path());  // before reading anything, as a process still training there would change it
  barrier(ranks);
  const TrainedRun run = open_run(folder.last());
  barrier(ranks);  // the first rank may change the folder only after all have read it
  const Checkpoint& last = run.checkpoint;
  require_task(options.task, word_of(last.config().model.task), "--resume");
  const RunConfig config = last.config().extended(how.changes);
  const RunState& state = last.state();
  if (how.changes.empty() && has_ended(config, state)) {
    if (ranks.is_root()) report_why_ended(folder, config, state);
    return exit_success;
  }
  const TrainingData data = open_data(run, how);
  return with_precision(config, [&]<class R>(R) {
    TrainingSession<R> session(folder, lock, last, data, how.changes.empty() ? nullptr : &config, ranks);
    if (!ranks.is_root()) return train(session, data, options);
    if (const std::int64_t lines = session.damaged_lines(); lines > 0)
      fmt::print(stderr, "argand: log: {} line{} of {} cannot be read and stay{} as {}\n", lines, lines == 1 ? "" : "s",
                 folder.log(), lines == 1 ? "s" : "", lines == 1 ? "it is" : "they are");
    if (session.finished()) {
      fmt::print("{}\n", why_ended(folder, session.run().config(), session.run().state()));
      return static_cast<int>(exit_success);
    }
    fmt::print("resuming after step {}{}{}\n", state.step, changes_of(last.config(), session.run().config()),
               schedule_note(last.config(), session.run().config()));
    return train(session, data, options);
  });
}

CLI::App* add_task(CLI::App* train, const std::string& task, const std::string& what) {
  CLI::App* command = train->add_subcommand(task, what);
  const auto options = std::make_shared<TrainOptions>(*command, task);
  command->add_option("--out", options->out, "folder for the run's files")->type_name("RUN")->group("Run");
  command->add_option("--resume", options->resume, "continue the run in this folder")->type_name("RUN")->group("Run");
  command->add_flag("--overwrite", options->overwrite, "replace the run in --out")->group("Run");
  add_threads(*command, "Run");
  command
      ->add_option("--find-lr", options->find_lr,
                   "train this many steps at rates rising from 1e-6 to 1, write no files, and suggest a rate")
      ->check(CLI::Range(std::int64_t{10}, std::int64_t{1'000'000}).description(""))
      ->expected(0, 1)
      ->default_str("200")
      ->option_text("INT [200]")
      ->group("Run");
  command->add_option("--print-every", options->print_every, "steps between lines when the output is not a terminal")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000'000}).description(""))
      ->type_name("INT")
      ->group("Run");
  command
      ->add_flag("--trace-nan", options->trace_nan,
                 "stop at the first number that is not finite in any op, forward or backward, and show the op, its inputs, its "
                 "place in the model and the batch")
      ->group("Run");
  command->callback([options, command] {
    options->ranks = &all_ranks();
    if (command->count("--threads") == 0) set_num_threads(threads_of(*options->ranks));
    if (options->trace_nan && options->ranks->size() > 1)
      input_fail("--trace-nan", "runs in one process; start it without mpirun, and it stops at the same place");
    flush_subnormals_to_zero(true);
    const int code = options->find_lr > 0 ? find_rate(*options) : options->resume.empty() ? start(*options) : resume(*options);
    finalize_ranks();
    if (code != exit_success) throw CLI::RuntimeError(code);
  });
  return command;
}

}  // namespace

void add_train(CLI::App* command) {
  command->require_subcommand(1);
  add_task(command, "lm", "train a language model, which predicts the next token")
      ->footer(
          "--data is a text file, several, or a folder with train.txt and optionally valid.txt and test.txt, or with any *.txt. A\n"
          "single text is split (--split). Tokens are learned from the training part. --tokens auto takes words for a text that\n"
          "contains <unk>, as WikiText does, characters where there are at most 256 different ones, else pieces by BPE. char and\n"
          "words have an <unk> for what the training text lacks; byte, bpe and unigram can encode everything. Compare models with\n"
          "different tokens by bits per byte.\n"
          "\n"
          "Ctrl-C finishes the step, saves, and says how to continue. A run that was killed continues from its last checkpoint.\n"
          "Either way the final files are the same, byte for byte, as without the interruption.\n"
          "--resume RUN --steps N extends a run. The learning rate falls as planned and then stays where its cosine ends, as with\n"
          "--decay-steps in a new run. --lr, --final-lr, --decay-steps and --clip may change; the log and the report record this.\n"
          "The options for logging, checkpoints and validation may change as well. The newest --keep checkpoints stay, and those\n"
          "of --milestone-every.\n"
          "--init starts a run from the weights of another run or a file, matched by parameter name, and reports what matched. "
          "The\n"
          "sizes are those of that run. So are the tokens, unless --tokens asks for others: bytes and pieces are taken over\n"
          "exactly; words and characters are kept, and new ones in the new text are added.\n"
          "mpirun starts several processes, on one machine or more, that share the batches of every step: --accumulate must be a\n"
          "multiple of their number. Each uses its share of the processors, or --threads. The files are the same, byte for byte,\n"
          "as with one process, and a run may continue with another number of processes (docs/machines.md).\n"
          "--find-lr takes no --out: it trains briefly at rising rates, shows the losses, and suggests a value for --lr.\n"
          "--resume RUN --trace-nan replays a run that a NaN stopped, and shows where the NaN first appeared.\n"
          "\n"
          "Examples:\n"
          "  argand train lm --out runs/first                        ComplexFormer on the built-in corpus\n"
          "  argand train lm --family transformer --position rope --data wikitext-2 --out runs/rope\n"
          "  argand train lm --preset paper --data wikitext-2 --batch 4 --accumulate 2 --out runs/paper\n"
          "  mpirun -n 4 argand train lm --batch 4 --accumulate 4 --out runs/four\n"
          "  argand train lm --data notes.txt --tokens bpe --vocab-size 1000 --out runs/notes\n"
          "  argand train lm --preset shakespeare --data input.txt --out runs/shakespeare\n"
          "  argand train lm --config runs/rope/config.toml --seed 1 --out runs/rope-1\n"
          "  argand train lm --resume runs/rope --steps 1000\n"
          "  argand train lm --init runs/rope --data my-text --lr 3e-4 --steps 200 --out runs/tuned\n"
          "  argand train lm --steps 5000 --early-stop 5 --eval-batches 20 --sample-every 200 --out runs/long");
  add_task(command, "classify", "train a classifier of texts")
      ->footer(
          "Articles are lower-cased and split at whitespace. A batch is padded to its longest article, and articles of similar\n"
          "length are batched together. Articles of more than --max-seq-len words are truncated.\n"
          "--data is a table (.csv, .tsv, .jsonl), with or without a header, whose columns are detected or named; or a folder "
          "with\n"
          "train.csv, and optionally valid.csv and test.csv; or AG News. A single table is split (--split). Without validation\n"
          "data, the test articles are used: either do not report results selected on them, or hold some out (--valid-share).\n"
          "mpirun, Ctrl-C, --resume, --init and the files are as with `argand train lm`. From a language model, --init takes all\n"
          "weights but those of the output layer.\n"
          "\n"
          "Examples:\n"
          "  argand train classify --out runs/topics                 ComplexFormer on the built-in articles\n"
          "  argand train classify --preset qic-paper --data ag_news --out runs/qic\n"
          "  argand train classify --preset qic-paper --data ag_news --family transformer --out runs/news\n"
          "  argand train classify --data ag_news --epochs 2 --train-articles 20000 --out runs/more-news\n"
          "  argand train classify --data reviews.csv --label-column stars --out runs/reviews\n"
          "  argand train classify --resume runs/news\n"
          "  mpirun -n 2 argand train classify --batch 8 --accumulate 2 --data ag_news --out runs/two\n"
          "  argand train classify --init runs/rope --data ag_news --out runs/tuned-news\n"
          "  echo \"Stocks fall as oil climbs\" | argand classify runs/news");
}

}  // namespace argand
