/// argand eval: the perplexity of a trained language model, or the accuracy of a trained classifier.

#include <chrono>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/commands.h"
#include "apps/runs/generation_table.h"
#include "apps/runs/other_table.h"
#include "apps/runs/retrieved_table.h"
#include "apps/terminal/command_line.h"
#include "apps/terminal/counter.h"
#include "apps/terminal/option_names.h"
#include "apps/terminal/output_file.h"
#include "apps/terminal/standard_input.h"
#include "apps/terminal/terminal.h"
#include "core/parallel.h"
#include "core/text/text_layout.h"
#include "data/corpora/text_parts.h"
#include "data/files/table.h"
#include "train/checkpoints/made_by.h"
#include "train/checkpoints/trained_run.h"
#include "train/data/corpora.h"
#include "train/data/retriever.h"
#include "train/evaluation/evaluation.h"
#include "train/evaluation/evaluation_figures.h"
#include "train/evaluation/generation_quality.h"
#include "train/evaluation/interventions.h"
#include "train/evaluation/latency.h"
#include "train/evaluation/position_loss.h"
#include "train/generation/generation.h"

namespace argand {
namespace {

struct EvalOptions {
  OtherTable table;
  std::string run, data, split, protocol, json, retrieved_by, weights = "f32";
  std::optional<std::int64_t> stride, batch, positions;
  std::vector<std::string> set;
  bool generate = false, exchange_passages = false, latency = false, each = false;
  GenerationEvalOptions generation;
};

/// The data at the location that the run recorded must be unchanged; other data must be given with --data. Runs with a file of
/// passages are not checked, because the file is part of the fingerprint but is not read here.
void require_unchanged_data(const TrainedRun& trained, const TrainingData& data) {
  const RunConfig& config = trained.checkpoint.config();
  const std::string& then = trained.checkpoint.state().made_from.data;
  if (then.empty() || !config.knowledge.irw_file.empty()) return;
  require(fingerprint_of(data) == then, "eval",
          "the data in {} do not match the training data of {}: the checksums differ; to use them anyway, pass --data {}",
          config.training.data, trained.checkpoint.file().path(), config.training.data);
}

/// A text in the run's tokens, and which part of the data it is.
struct Part {
  TokenText tokens;
  std::string name;
};

/// The text selected by --data and --split. A different text in a single file is evaluated as a whole unless a part is requested.
Part part_of_text(const TrainedRun& trained, const EvalOptions& options) {
  RunConfig config = trained.checkpoint.config();
  if (options.data == "-") {
    if (!options.split.empty()) input_fail("--split", "standard input is evaluated as a whole");
    return {trained.tokens->encode(text_on_standard_input()), "standard input"};
  }
  const bool own = options.data.empty() || with_absolute_paths(options.data) == with_absolute_paths(config.training.data);
  if (!own && options.data != "grammar" && options.split.empty())
    if (const TextFiles files = find_text(options.data); !files.has_parts())
      return {trained.tokens->encode(read_text(files.train)), "all of " + options.data};
  if (!own) config.training.data = options.data;
  TrainingData opened = open_corpus(config, trained.tokens);
  if (options.data.empty()) require_unchanged_data(trained, opened);
  Corpus& corpus = std::get<Corpus>(opened);
  const std::string split = !options.split.empty() ? options.split : corpus.test.size() > 0 ? "test" : "valid";
  if (split == "test" && corpus.test.size() == 0) input_fail("--split", "no test split in {}; use --split valid", corpus.source);
  const std::string name = split + " part";
  if (split == "train") return {{std::move(corpus.train), std::move(corpus.bytes.train), std::move(corpus.unknown.train)}, name};
  if (split == "valid") return {{std::move(corpus.valid), std::move(corpus.bytes.valid), std::move(corpus.unknown.valid)}, name};
  return {{std::move(corpus.test), std::move(corpus.bytes.test), std::move(corpus.unknown.test)}, name};
}

/// The articles selected by --data and --split; sets `name` to the part's name. A different table is evaluated as a whole unless
/// a part is requested.
LabelledTexts part_of_articles(const TrainedRun& trained, const EvalOptions& options, std::string& name) {
  RunConfig config = trained.checkpoint.config();
  const bool own = options.data.empty() || with_absolute_paths(options.data) == with_absolute_paths(config.training.data);
  if (own && options.table.any())
    input_fail("--data", "required with options for a table, because the run's own table is read as in training");
  options.table.apply_to(config.training);
  if (!own && options.split.empty() && is_table(options.data)) {
    name = "all of " + options.data;
    return LabelledTexts(open_table(config, options.data, trained.classes), trained.words());
  }
  if (!own) config.training.data = options.data;
  const ArticleSets sets = open_articles(config, options.data.empty() ? std::vector<std::string>() : trained.classes);
  if (options.data.empty()) require_unchanged_data(trained, labelled_corpus(config, sets));
  if (sets.classes != trained.classes)
    fail("eval", "the classes in {} do not match those of {}", config.training.data, trained.checkpoint.file().path());
  const std::string split = !options.split.empty() ? options.split : sets.test.empty() ? "valid" : "test";
  const std::vector<Article>& part = split == "train" ? sets.train : split == "valid" ? sets.valid : sets.test;
  if (part.empty()) input_fail("--split", "{} has no {} split", config.training.data, split == "valid" ? "validation" : "test");
  name = split + " part";
  return LabelledTexts(part, trained.words());
}

/// Rejects options that choose which tokens are scored when they would have no effect.
void require_no_protocol(const EvalOptions& options, std::string_view why) {
  if (!options.protocol.empty()) input_fail("--protocol", "{}", why);
  if (options.stride) input_fail("--stride", "{}", why);
}

/// Rejects options that would have no effect with the option `mode`, such as "--latency"; --set is allowed with --positions.
void require_alone(const EvalOptions& options, std::string_view mode, std::string_view reason) {
  const std::string why = fmt::format("cannot be combined with {}, which {}", mode, reason);
  require_no_protocol(options, why);
  if (options.batch) input_fail("--batch", "{}", why);
  if (options.positions && mode != "--positions") input_fail("--positions", "{}", why);
  if (!options.set.empty() && mode != "--positions") input_fail("--set", "{}", why);
  if (options.weights != "f32" && mode == "--generate") input_fail("--weights", "{}", why);
  if (options.latency && mode != "--latency") input_fail("--latency", "{}", why);
  if (options.exchange_passages) input_fail("--exchange-passages", "{}", why);
  if (!options.retrieved_by.empty()) input_fail("--retrieved-by", "{}", why);
  if (options.each) input_fail("--each", "{}", why);
}

void require_exchange(const RunConfig& config, bool trained_on) {
  if (!config.has_windows())
    input_fail("--exchange-passages", "the model does not use retrieval, so there are no passages to exchange");
  if (trained_on)
    input_fail("--exchange-passages",
               "windows of the training text must not read passages that overlap them; choose another split");
}

/// Describes which tokens the protocol scores, as in ", each once in windows of 128, 64 apart".
std::string protocol_text(const TextProtocol& protocol) {
  if (protocol.name == "full-blocks") return fmt::format(" of full blocks of {} x {}", protocol.batch, protocol.length);
  const std::string apart = protocol.stride ? fmt::format(", {} apart", *protocol.stride) : "";
  return fmt::format(", each once in windows of {}{}", protocol.length, apart);
}

/// The contexts for the batches of a part. If `trained_on`, windows must not read passages that overlap the batch itself. The
/// retriever must outlive the result.
ContextOf contexts_of(const OpenRetriever& retriever, bool trained_on) {
  return [&retriever, trained_on](const Batch& b) { return trained_on ? retriever.training_context(b) : retriever.context(); };
}

/// The settings from --set.
Settings set_of(const EvalOptions& options) {
  Settings settings;
  for (const std::string& text : options.set) settings.push_back(key_and_value("--set", text));
  return settings;
}

/// What --set and --weights change, as in ", with delta=0 and int8 weights (774144 parameters)".
std::string interventions(const EvalOptions& options, std::int64_t rounded) {
  std::vector<std::string> changes = options.set;
  if (options.weights != "f32") changes.push_back(fmt::format("{} weights ({} parameters)", options.weights, rounded));
  return changes.empty() ? "" : ", with " + CLI::detail::join(changes, " and ");
}

/// Prints the loss by position in windows of `options.positions` tokens.
Figures eval_positions(const TrainedRun& trained, const Part& part, const EvalOptions& options, bool trained_on) {
  const std::int64_t length = *options.positions;
  const auto [spans, rounded] = with_precision(trained.checkpoint.config(), [&]<class R>(R) {
    const auto model = load_longer_model<R>(trained.checkpoint, length);
    intervene<R>(*model, set_of(options));
    const OpenRetriever retriever(trained, *model);
    const auto copies = quantized<R>(*model, weight_format(options.weights));
    Counter counter("evaluating", 1);
    auto by_position = loss_by_position<R>(*model, part.tokens.ids, length, contexts_of(retriever, trained_on),
                                           [&](double share) { counter.show(share, fmt::format("windows of {} tokens", length)); });
    counter.clear();
    return std::pair(std::move(by_position), copies->numbers());
  });
  const std::int64_t trained_length = trained.checkpoint.config().training.length;
  fmt::print("{} at step {}{}, {}, windows of {} tokens; it was trained on windows of {}\n\n", trained.checkpoint.file().path(),
             trained.checkpoint.state().step, interventions(options, rounded), part.name, length, trained_length);
  fmt::print("{:>15}{:>12}{:>10}{:>13}\n", "tokens before", "scored", "loss", "perplexity");
  Figures found = Figures::array();
  for (const auto& [first, last, evaluation] : spans) {
    fmt::print("{:>15}{:>12}{:>10.4f}{:>13.2f}\n", first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last),
               evaluation.count, evaluation.loss, std::exp(evaluation.loss));
    found.push_back({{"first", first}, {"last", last}, {"count", evaluation.count}, {"loss", evaluation.loss}});
  }
  return {{"length", length}, {"trained_length", trained_length}, {"rounded_parameters", rounded}, {"positions", found}};
}

/// Prints the time the model takes to generate a token.
Figures eval_latency(const TrainedRun& trained, const Part& part, const EvalOptions& options) {
  const Latency time = with_precision(trained.checkpoint.config(), [&]<class R>(R) {
    const auto model = load_model<R>(trained.checkpoint);
    const OpenRetriever retriever(trained, *model);
    return measure_latency<R>(*model, part.tokens.ids, retriever.context(), weight_format(options.weights));
  });
  const auto ms = [](double seconds) { return 1e3 * seconds; };
  fmt::print(
      "{} at step {}{} takes {:.2f} ms per token (median of {} texts; {:.2f} to {:.2f}), {:.2f} ms to the first token; prompts of "
      "{} tokens, {} written, {}. Reading {:.1f} MB of parameters once takes {:.2f} ms.\n",
      trained.checkpoint.file().path(), trained.checkpoint.state().step, interventions(options, time.rounded), ms(time.per_token),
      time.texts, ms(time.fastest), ms(time.slowest), ms(time.to_first_token), time.prompt_length, time.tokens,
      counted(num_threads(), "thread"), time.parameter_bytes / 1e6, ms(time.to_read_parameters));
  return {{"texts", time.texts},
          {"prompt_length", time.prompt_length},
          {"tokens", time.tokens},
          {"milliseconds_to_first_token", ms(time.to_first_token)},
          {"milliseconds_per_token", ms(time.per_token)},
          {"fastest", ms(time.fastest)},
          {"slowest", ms(time.slowest)},
          {"rounded_parameters", time.rounded},
          {"milliseconds_to_read_parameters", ms(time.to_read_parameters)},
          {"made_by", made_by()}};
}

/// Writes the --json file: what was evaluated, and the results.
void write_json(const OutputFile& json, const EvalOptions& options, const TrainedRun& trained, const std::string& part,
                const Figures& figures) {
  if (!json) return;
  Figures all = {{"checkpoint", trained.checkpoint.file().path()}, {"step", trained.checkpoint.state().step}, {"part", part}};
  if (!options.set.empty()) all["set"] = options.set;
  if (options.weights != "f32") all["weights"] = options.weights;
  all.update(figures);
  json.write(all.dump(1, ' ', false, Figures::error_handler_t::replace) + "\n");
}

void eval(const EvalOptions& options) {
  const OutputFile json(options.json);
  const TrainedRun trained = open_run(options.run);
  const RunConfig& config = trained.checkpoint.config();
  const bool lm = config.model.task == TextTask::Lm;
  const std::string data = options.data.empty() ? config.training.data : options.data;
  const bool trained_on = options.split == "train" && with_absolute_paths(data) == with_absolute_paths(config.training.data);
  if (!lm) require_no_protocol(options, "is for language models only");
  const auto alone = [&](const char* mode, const char* reason) {
    if (!lm) input_fail(mode, "is for language models, and {} is a classifier", options.run);
    require_alone(options, mode, reason);
    return part_of_text(trained, options);
  };
  if (options.generate) {
    const Part part = alone("--generate", "writes texts and scores every token of them");
    return write_json(json, options, trained, part.name, eval_texts(trained, part.tokens.ids, options.generation));
  }
  if (options.latency) {
    const Part part = alone("--latency", "times one text at a time");
    return write_json(json, options, trained, part.name, eval_latency(trained, part, options));
  }
  if (options.positions) {
    if (*options.positions < 1) input_fail("--positions", "must be at least 1, got {}", *options.positions);
    const Part part = alone("--positions", "has its own windows");
    return write_json(json, options, trained, part.name, eval_positions(trained, part, options, trained_on));
  }
  const std::int64_t batch = options.batch.value_or(config.training.batch);
  if (batch < 1) input_fail("--batch", "must be at least 1, got {}", batch);
  const TextProtocol protocol{.name = options.protocol.empty() ? TextProtocol().name : options.protocol,
                              .batch = batch,
                              .length = config.training.length,
                              .stride = options.stride};
  std::string name;
  EvaluationSet part;
  if (lm) {
    Part text = part_of_text(trained, options);
    part = evaluation_set(text.tokens.ids, protocol, std::move(text.tokens.bytes), std::move(text.tokens.unknown));
    name = text.name;
  } else {
    part = evaluation_set(part_of_articles(trained, options, name), batch, config.model.max_seq_len);
  }
  if (!options.retrieved_by.empty()) {
    if (!lm || trained_on) input_fail("--retrieved-by", "requires a language model, and text that it was not trained on");
    if (options.exchange_passages || options.each || !options.set.empty() || options.weights != "f32")
      input_fail("--retrieved-by", "cannot be combined with --exchange-passages, --each, --set or --weights");
    return write_json(json, options, trained, name, eval_retrieved(trained, part, options.retrieved_by));
  }
  if (options.exchange_passages) require_exchange(config, trained_on);
  with_precision(config, [&]<class R>(R) {
    const auto model = load_model<R>(trained.checkpoint);
    intervene<R>(*model, set_of(options));
    const OpenRetriever retriever(trained, *model);
    const auto copies = quantized<R>(*model, weight_format(options.weights));
    const auto start = std::chrono::steady_clock::now();
    Counter counter("evaluating", part.size);
    const Evaluation evaluation = evaluate<R>(*model, part, contexts_of(retriever, trained_on),
                                              [&](std::int64_t done, std::int64_t) { counter.update(done); });
    counter.clear();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const char* unit = lm ? "tokens" : "articles";
    fmt::print("{} at step {}{}, {}, {} {}{}: {} ({} {}/s)\n", trained.checkpoint.file().path(), trained.checkpoint.state().step,
               interventions(options, copies->numbers()), name, evaluation.count, unit, lm ? protocol_text(protocol) : "",
               summary(evaluation), with_unit(static_cast<double>(evaluation.count) / seconds), unit);
    Figures figures = figures_of(evaluation, trained.classes);
    figures["rounded_parameters"] = copies->numbers();
    if (options.each) figures["each"] = figures_of_batches(evaluation);
    if (options.exchange_passages) {
      retriever.store->exchange_passages(static_cast<std::uint64_t>(config.training.seed));
      const Evaluation exchanged =
          evaluate<R>(*model, part, contexts_of(retriever, false), [&](std::int64_t done, std::int64_t) { counter.update(done); });
      counter.clear();
      fmt::print("with other passages in place of the retrieved ones: {}\n", summary(exchanged));
      figures["exchanged"] = figures_of(exchanged, trained.classes);
    }
    write_json(json, options, trained, name, figures);
    if (!evaluation.confusion) return;
    for (const std::string& line : evaluation.confusion->table(trained.classes)) fmt::print("{}\n", line);
  });
}

void add_generation_options(CLI::App& command, EvalOptions& options) {
  GenerationEvalOptions& g = options.generation;
  CLI::Option* generate = command.add_flag("--generate", options.generate, "evaluate texts generated after prompts from the data")
                              ->group("Generated text");
  const auto add = [&](const char* name, auto& value, const char* help, const char* type) {
    command.add_option(name, value, help)->type_name(type)->capture_default_str()->group("Generated text")->needs(generate);
  };
  add("--judge", g.judge, "the run whose model scores the texts", "RUN");
  add("--prompts", g.prompts, "number of texts", "INT");
  add("--prompt-length", g.prompt_length, "tokens of each prompt", "INT");
  add("--tokens", g.tokens, "tokens to generate after each prompt", "INT");
  add("--top-p", g.sampling.top_p, "nucleus sampling: only the most likely tokens with total probability p", "NUMBER");
  add("--temperature", g.sampling.temperature, "below 1 sharper, above 1 flatter; 0: always the most likely", "NUMBER");
  add("--seed", g.sampling.seed, "random seed", "INT");
}

}  // namespace

void add_eval(CLI::App* command) {
  const auto options = std::make_shared<EvalOptions>();
  command->add_option("RUN", options->run, "a run's folder (its best checkpoint) or a checkpoint")->required()->type_name("");
  command->add_option("--data", options->data, "other data, named as in training; -: standard input, a text")->type_name("DATA");
  add_options(*command, options->table);
  add_choice(*command, "--split", options->split, "part of the data, test by default", {"train", "valid", "test"});
  add_choice(*command, "--protocol", options->protocol, "which tokens of a text to score; every-token by default",
             {"every-token", "full-blocks"});
  command->add_option("--stride", options->stride, "tokens scored per window; the whole window by default")->type_name("INT");
  command->add_option("--batch", options->batch, "windows or articles per batch; as in training by default")->type_name("INT");
  command->add_option("--positions", options->positions, "loss by position in windows of this length, beyond training's too")
      ->type_name("INT");
  command
      ->add_option("--set", options->set,
                   "set every element of the parameters named NAME to VALUE, to measure what they contribute")
      ->delimiter(',')
      ->type_name("NAME=VALUE,...");
  command->add_flag("--exchange-passages", options->exchange_passages,
                    "with retrieval: also measure with other passages in place of the retrieved ones");
  command->add_option("--retrieved-by", options->retrieved_by, "separate losses for tokens in passages that this run retrieves")
      ->type_name("RUN");
  add_weights(*command, options->weights);
  command->add_flag("--latency", options->latency, "time generation: milliseconds per token of a text generated alone");
  command
      ->add_option("--json", options->json,
                   "also write the figures to a file (- for standard output); with --generate also the texts")
      ->type_name("FILE");
  command->add_flag("--each", options->each, "add the loss of each batch to --json; with --batch 1: of each window or article")
      ->needs("--json");
  add_generation_options(*command, *options);
  add_threads(*command);
  command->footer(
      "Language models: every token of the text is scored once, except the first, which has no context. The text is read in\n"
      "windows as long as in training, independently of each other, so the first tokens of a window have little context.\n"
      "--stride S moves the windows by S tokens and scores the last S of each. These have at least length - S tokens of context,\n"
      "and evaluation takes length / S times as long. The batch size changes only the time.\n"
      "Perplexity is per token, whatever the tokens are. Compare models with different tokens by bits per byte. A text that is\n"
      "not the run's own is evaluated as a whole, unless --split selects a part.\n"
      "--positions L reads windows of L tokens side by side and reports the loss by position. The last rows show how a model\n"
      "handles positions beyond its training length, which learned positions do not reach.\n"
      "--set delta=0 measures what a learned parameter contributes: every parameter whose name ends in `delta`, in all\n"
      "layers, is set to that number before the evaluation. `argand inspect` lists the names.\n"
      "--weights int8 measures what rounding costs, with the arithmetic of `argand generate --weights int8`.\n"
      "--exchange-passages measures what retrieval contributes: the search is unchanged, but each passage found is replaced by\n"
      "another one, always the same. A model that uses the content of the passages does worse.\n"
      "--retrieved-by RUN splits the tokens by whether they occur in the passages that RUN's model retrieves for them, and by\n"
      "whether they occur earlier in the window. Models with and without retrieval can be compared on the same tokens.\n"
      "--latency times texts written one at a time (first tokens separately) and, as a lower bound, one read of all parameters.\n"
      "--protocol full-blocks reads blocks of batch x length and leaves out an incomplete last one, so the perplexity depends\n"
      "on --batch. Runs whose config.toml has no eval_protocol were validated this way.\n"
      "\n"
      "Classifiers: all articles of the part are labelled, or as many as in training. The table shows the confusion matrix and,\n"
      "for each class, the share of its articles that are labelled correctly (its accuracy) and the share of the articles with\n"
      "this label that belong to the class (its precision). Words that the model does not know become <unk>.\n"
      "\n"
      "Examples:\n"
      "  argand eval runs/first\n"
      "  argand eval runs/rope --data wikitext-2 --stride 32\n"
      "  argand eval runs/rope --positions 1024\n"
      "  argand eval runs/crat --exchange-passages\n"
      "  argand eval runs/transformer --retrieved-by runs/crat\n"
      "  argand eval runs/first --each --batch 1 --json windows.json\n"
      "  argand eval runs/news/last.safetensors --split train\n"
      "  argand eval runs/first --generate --judge runs/rope          what it writes: perplexity, Dist-1, Dist-2, Rep-4");
  command->callback([options] {
    flush_subnormals_to_zero(true);
    eval(*options);
  });
}

}  // namespace argand
