/// argand classify: labels lines of text as they arrive.

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/commands.h"
#include "apps/runs/other_table.h"
#include "apps/terminal/command_line.h"
#include "apps/terminal/interrupt.h"
#include "apps/terminal/terminal.h"
#include "core/parallel.h"
#include "core/text/text_layout.h"
#include "data/files/atomic_file.h"
#include "data/files/utf8.h"
#include "data/labelled_texts.h"
#include "train/checkpoints/trained_run.h"
#include "train/data/corpora.h"
#include "train/data/retriever.h"
#include "train/evaluation/table_labels.h"

namespace argand {
namespace {

struct ClassifyOptions {
  std::string run, table, out;
  OtherTable columns;
  std::int64_t top = 1;
  bool json = false;
};

std::string as_text(const std::vector<Guess>& guesses) {
  std::string line;
  for (const Guess& guess : guesses) line += fmt::format("{}{}\t{:.4f}", line.empty() ? "" : "\t", guess.label, guess.probability);
  return line;
}

/// The labels, sorted by probability; null for a line without words.
std::string as_json(const std::vector<Guess>& guesses) {
  nlohmann::ordered_json json;
  json["label"] = nullptr;
  json["probabilities"] = nlohmann::ordered_json::object();
  if (!guesses.empty()) json["label"] = guesses.front().label;
  for (const Guess& guess : guesses) json["probabilities"][guess.label] = guess.probability;
  return json.dump();
}

/// Labels the lines of standard input one by one.
void label_lines(const ClassifyOptions& options, std::size_t top, const GuessLabels& guess) {
  if (isatty(STDIN_FILENO) != 0) fmt::print(stderr, "reading lines from the terminal; end with Ctrl-D\n");
  std::int64_t number = 0;
  for (std::string line; std::getline(std::cin, line);) {
    ++number;
    require(line.find('\0') == line.npos, "classify", "standard input, line {}: null byte; is this a text file?", number);
    require(!first_invalid_utf8(line), "classify", "standard input, line {}: not UTF-8", number);
    std::vector<Guess> best = guess(line);
    best.resize(std::min(best.size(), top));
    fmt::print("{}\n", options.json ? as_json(best) : as_text(best));
    flush_output();
  }
  require(!std::cin.bad(), "classify", "cannot read standard input");
}

/// Labels the rows of a table and writes a new one. Returns 0, or the signal that stopped it, in which case nothing is written.
int label_table(const ClassifyOptions& options, const RunConfig& config, std::size_t top, const GuessLabels& guess) {
  const std::string file = options.out == "-" ? "" : options.out;
  LabelledForm form = form_of(file);
  if (options.json) form.json = true;
  form.top = top;
  std::optional<AtomicFile> out;
  if (!file.empty()) out.emplace(file);
  struct Stopped {};
  const Interrupt interrupt(nullptr);
  const auto write = [&](const std::string& line) {
    if (interrupt.signal() != 0) throw Stopped();
    if (out) return out->write(line);
    fmt::print("{}", line);
    if (std::ferror(stdout) != 0) flush_output();
  };
  TrainingConfig reading;
  options.columns.apply_to(reading);
  LabelledRows done;
  try {
    done = label_rows(options.table, columns_of(reading), config.training.text_column, form, guess, write);
  } catch (const Stopped&) {
    return interrupt.signal();
  }
  if (out) {
    out->commit();
    fmt::print("{}: {} labelled\n", file, counted(done.rows, "row"));
  }
  if (done.without_words > 0) fmt::print(stderr, "argand: {} without words, not labelled\n", counted(done.without_words, "row"));
  return 0;
}

int classify(const ClassifyOptions& options) {
  if (options.table.empty() && !options.out.empty())
    input_fail("--out", "requires --table; without it, labels go to standard output");
  const TrainedRun trained = open_run(options.run);
  if (trained.classes.empty())
    fail("classify", "{} is a language model; train a classifier with `argand train classify`", trained.checkpoint.file().path());
  const auto top = std::min(static_cast<std::size_t>(options.top), trained.classes.size());
  return with_precision(trained.checkpoint.config(), [&]<class R>(R) {
    const auto model = load_model<R>(trained.checkpoint);
    const OpenRetriever retriever(trained, *model);
    const GuessLabels guess = [&](const std::string& text) {
      std::vector<Vocabulary::Id> words = classifier_ids(trained.words(), text);
      return words.empty() ? std::vector<Guess>() : guesses<R>(*model, std::move(words), trained.classes, retriever.context());
    };
    if (!options.table.empty()) return label_table(options, trained.checkpoint.config(), top, guess);
    label_lines(options, top, guess);
    return 0;
  });
}

}  // namespace

void add_classify(CLI::App* command) {
  const auto options = std::make_shared<ClassifyOptions>();
  command->add_option("RUN", options->run, "a run's folder (its best checkpoint) or a checkpoint")->required()->type_name("");
  command->add_option("--top", options->top, "number of labels per line, the most likely first")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000}).description(""))
      ->type_name("INT")
      ->capture_default_str();
  command->add_flag("--json", options->json, "print a JSON object for each line or row instead of columns");
  command->add_option("--table", options->table, "label the texts of a table (.csv, .tsv, .jsonl) instead of standard input")
      ->type_name("FILE")
      ->group("A table");
  command->add_option("--out", options->out, "write the labelled table to this file (.csv, .tsv or .jsonl)")
      ->type_name("FILE")
      ->group("A table");
  add_options(*command, options->columns, false);
  add_threads(*command);
  command->footer(
      "Labels standard input line by line: prints each line's label and its probability at once, separated by a tab. A line\n"
      "without words gives an empty line. Text is lower-cased and split at whitespace, as in training; words that the\n"
      "model does not know become <unk>.\n"
      "With --table every row keeps its columns and gets `predicted` and `probability`, with --top also `predicted_2` and so on;\n"
      "as JSON, `probabilities`. The text column is found as in training. --out is written completely or not at all.\n"
      "\n"
      "Examples:\n"
      "  echo \"Stocks fall as oil climbs\" | argand classify runs/news\n"
      "  argand classify runs/news --top 2 < headlines.txt | paste - headlines.txt\n"
      "  argand classify runs/news --json < headlines.txt\n"
      "  argand classify runs/reviews --table new-reviews.csv --out labelled.csv --top 2");
  command->callback([options] {
    flush_subnormals_to_zero(true);
    if (const int signal = classify(*options); signal != 0) throw CLI::RuntimeError(Interrupt::exit_code(signal));
  });
}

}  // namespace argand
