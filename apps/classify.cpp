/// argand classify: labels lines of text as they come.

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/commands.h"
#include "apps/terminal/command_line.h"
#include "core/parallel.h"
#include "data/files/utf8.h"
#include "data/labelled_texts.h"
#include "train/checkpoints/trained_run.h"
#include "train/data/retriever.h"
#include "train/evaluation/classification.h"

namespace argand {
namespace {

struct ClassifyOptions {
  std::string run;
  std::int64_t top = 1;
  bool json = false;
};

std::string as_text(const std::vector<Guess>& guesses) {
  std::string line;
  for (const Guess& guess : guesses) line += fmt::format("{}{}\t{:.4f}", line.empty() ? "" : "\t", guess.label, guess.probability);
  return line;
}

/// Labels in the order of their probabilities; null for a line without words.
std::string as_json(const std::vector<Guess>& guesses) {
  nlohmann::ordered_json json;
  json["label"] = nullptr;
  json["probabilities"] = nlohmann::ordered_json::object();
  if (!guesses.empty()) json["label"] = guesses.front().label;
  for (const Guess& guess : guesses) json["probabilities"][guess.label] = guess.probability;
  return json.dump();
}

void classify(const ClassifyOptions& options) {
  const TrainedRun trained = open_run(options.run);
  if (trained.classes.empty())
    fail("classify", "{} is a language model and knows no labels; `argand train classify` makes a classifier",
         trained.checkpoint.file().path());
  const auto top = std::min(static_cast<std::size_t>(options.top), trained.classes.size());
  with_precision(trained.checkpoint.config(), [&]<class R>(R) {
    const auto model = load_model<R>(trained.checkpoint);
    const OpenRetriever retriever(trained, *model);
    if (isatty(STDIN_FILENO) != 0) fmt::print(stderr, "reading lines from the terminal; Ctrl-D ends\n");
    std::int64_t number = 0;
    for (std::string line; std::getline(std::cin, line);) {
      ++number;
      require(line.find('\0') == line.npos, "classify", "standard input, line {}: a zero byte; is this a text?", number);
      require(!first_invalid_utf8(line), "classify", "standard input, line {}: not UTF-8", number);
      std::vector<Vocabulary::Id> words = classifier_ids(trained.words(), line);
      std::vector<Guess> best;
      if (!words.empty()) best = guesses<R>(*model, std::move(words), trained.classes, retriever.context());
      best.resize(std::min(best.size(), top));
      fmt::print("{}\n", options.json ? as_json(best) : as_text(best));
      require(std::fflush(stdout) == 0, "classify", "cannot write to standard output");
    }
    require(!std::cin.bad(), "classify", "cannot read standard input");
  });
}

}  // namespace

void add_classify(CLI::App& program) {
  CLI::App* command = program.add_subcommand("classify", "let a trained classifier label lines of text");
  const auto options = std::make_shared<ClassifyOptions>();
  command->add_option("RUN", options->run, "a run's folder (its best checkpoint) or a checkpoint")->required()->type_name("");
  command->add_option("--top", options->top, "how many labels of each line, the likeliest first")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000}).description(""))
      ->type_name("INT")
      ->capture_default_str();
  command->add_flag("--json", options->json, "a JSON object for each line instead of columns");
  add_threads(*command);
  command->footer(
      "Reads standard input to its end. For each line it writes one line at once: the label and its probability, with a tab\n"
      "between them. A line without words gives an empty line. Text is lower-cased and split at whitespace, as in training;\n"
      "words that the model does not know count as <unk>.\n\n"
      "Examples:\n"
      "  echo \"Stocks fall as oil climbs\" | argand classify runs/news\n"
      "  argand classify runs/news --top 2 < headlines.txt | paste - headlines.txt\n"
      "  argand classify runs/news --json < headlines.txt");
  command->callback([options] {
    flush_subnormals_to_zero(true);
    classify(*options);
  });
}

}  // namespace argand
