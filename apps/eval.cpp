/// argand eval: the perplexity of a trained language model, the accuracy of a trained classifier.

#include <chrono>
#include <memory>

#include "apps/command_line.h"
#include "apps/commands.h"
#include "apps/corpora.h"
#include "apps/eval_generation.h"
#include "apps/evaluation.h"
#include "apps/library.h"
#include "apps/run_files.h"
#include "apps/terminal.h"
#include "core/parallel.h"

namespace argand {
namespace {

struct EvalOptions {
  std::string run, data, split = "test";
  bool generate = false;
  GenerationEvalOptions generation;
};

/// The part of the text in the run's ids.
Ids tokens_of(const TrainedRun& trained, const std::string& data, const std::string& split) {
  const Corpus corpus = open_corpus(data);
  const Ids& part = split == "train" ? corpus.train : split == "valid" ? corpus.valid : corpus.test;
  return translate(part, corpus.vocabulary, trained.vocabulary);
}

EvaluationSet part_of_text(const TrainedRun& trained, const std::string& data, const std::string& split) {
  const TrainingConfig& t = trained.checkpoint.config().training;
  return evaluation_set(tokens_of(trained, data, split), t.batch, t.length);
}

EvaluationSet part_of_articles(const TrainedRun& trained, const std::string& data, const std::string& split) {
  const RunConfig& c = trained.checkpoint.config();
  if (split == "valid") usage_fail("--split", "articles come in two parts, train and test");
  const ArticleSets sets = open_articles(data);
  if (sets.classes != trained.classes)
    fail("eval", "the classes of {} are not those of {}", data, trained.checkpoint.file().path());
  const LabelledTexts part = split == "train"
                                 ? LabelledTexts(first_articles(sets.train, c.training.train_articles), trained.vocabulary)
                                 : LabelledTexts(first_articles(sets.test, c.training.test_articles), trained.vocabulary);
  return evaluation_set(part, c.training.batch, c.model.max_seq_len);
}

void eval(const EvalOptions& options) {
  const TrainedRun trained = open_run(options.run);
  const RunConfig& config = trained.checkpoint.config();
  const bool lm = config.model.task == "lm";
  const std::string data = options.data.empty() ? config.training.data : options.data;
  if (options.generate) {
    if (!lm) usage_fail("--generate", "{} is a classifier: it does not write", options.run);
    return eval_generation(trained, tokens_of(trained, data, options.split), options.generation);
  }
  const EvaluationSet part = lm ? part_of_text(trained, data, options.split) : part_of_articles(trained, data, options.split);
  const bool trained_on = options.split == "train" && data == config.training.data;
  with_precision(config, [&]<class R>(R) {
    const auto model = load_model<R>(trained.checkpoint);
    const OpenLibrary library(trained, *model);
    const auto context_of = [&](const Batch& batch) { return trained_on ? library.training_context(batch) : library.context(); };
    const auto start = std::chrono::steady_clock::now();
    const Evaluation evaluation = evaluate<R>(*model, part, context_of);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const char* unit = lm ? "tokens" : "articles";
    fmt::print("{} at step {}, {} part, {} {}: {} ({} {}/s)\n", trained.checkpoint.file().path(), trained.checkpoint.state().step,
               options.split, evaluation.count, unit, summary(evaluation),
               with_unit(static_cast<double>(evaluation.count) / seconds), unit);
    if (!evaluation.confusion) return;
    for (const std::string& line : evaluation.confusion->table(trained.classes)) fmt::print("{}\n", line);
  });
}

void add_generation_options(CLI::App& command, EvalOptions& options) {
  GenerationEvalOptions& g = options.generation;
  const auto add = [&](const char* name, auto& value, const char* help, const char* type) {
    command.add_option(name, value, help)->type_name(type)->capture_default_str()->group("Generated text");
  };
  command.add_flag("--generate", options.generate, "evaluate what the model writes after prompts from the text")
      ->group("Generated text");
  add("--judge", g.judge, "the run whose model says how likely the texts are", "RUN");
  add("--prompts", g.prompts, "texts to write", "INT");
  add("--prompt-length", g.prompt_length, "words of the text before each", "INT");
  add("--tokens", g.tokens, "words to write after each prompt", "INT");
  add("--top-p", g.sampling.top_p, "only the likeliest words that together have probability p", "NUMBER");
  add("--temperature", g.sampling.temperature, "below 1 sharper, above 1 wilder; 0: always the likeliest", "NUMBER");
  add("--seed", g.sampling.seed, "the same seed writes the same texts", "INT");
}

}  // namespace

void add_eval(CLI::App& program) {
  CLI::App* command = program.add_subcommand("eval", "perplexity or accuracy of a trained model");
  const auto options = std::make_shared<EvalOptions>();
  command->add_option("RUN", options->run, "a run's folder (its best checkpoint) or a checkpoint")->required()->type_name("");
  command->add_option("--data", options->data, "folder of the data; that of the training by default")->type_name("DIR");
  command->add_option("--split", options->split, "part of the data; articles have no valid part")
      ->check(CLI::IsMember({"train", "valid", "test"}).description(""))
      ->type_name("train|valid|test")
      ->capture_default_str();
  add_generation_options(*command, *options);
  command->footer(
      "Language models: the text is read from its beginning in blocks of batch x length tokens, each window on its own; what does\n"
      "not fill a block is left out. Classifiers: as many articles of each part as in training, every one of them; the table "
      "shows\n"
      "for each class which share of its articles was found (its accuracy), which share of those labelled so is right (its\n"
      "precision), and the confusion matrix. Words that the model does not know count as <unk>.\n\n"
      "Examples:\n"
      "  argand eval runs/first\n"
      "  argand eval runs/rope/step-300.safetensors --split valid\n"
      "  argand eval runs/rope --data wikitext-2\n"
      "  argand eval runs/news/last.safetensors --split train\n"
      "  argand eval runs/first --generate --judge runs/rope          what it writes: perplexity, Dist-1, Dist-2, Rep-4");
  command->callback([options] {
    flush_subnormals_to_zero(true);
    eval(*options);
  });
}

}  // namespace argand
