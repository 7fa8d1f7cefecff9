/// argand generate: a trained model writes.

#include <memory>
#include <set>

#include "apps/commands.h"
#include "apps/inference/generation.h"
#include "apps/runs/run_files.h"
#include "apps/terminal/command_line.h"
#include "apps/training/corpora.h"
#include "apps/training/library.h"
#include "core/parallel.h"
#include "data/files/text_file.h"
#include "data/files/utf8.h"

namespace argand {
namespace {

struct GenerateOptions {
  std::string run, prompt;
  std::int64_t tokens = 50;
  SamplingOptions sampling;
};

/// Standard input to its end, without the line end that echo and editors put there.
std::string read_input() {
  std::string text = text_on_standard_input();
  text.pop_back();
  return text;
}

/// Says which words or characters of the prompt the model reads as <unk>.
void warn_of_unknown(const Tokenizer& tokens, std::string_view prompt, const TokenText& read) {
  std::set<std::string> unknown;
  for (std::int64_t i = 0; i < read.ids.size(); ++i) {
    const std::string_view piece = prompt.substr(0, read.bytes[static_cast<std::size_t>(i)]);
    prompt.remove_prefix(piece.size());
    std::string_view rest = piece;
    const std::string_view word = tokens.kind() == "words" ? take_word(rest) : piece;
    if (read.ids[i] == tokens.unknown() && word != "<unk>") unknown.emplace(word);
  }
  if (unknown.empty()) return;
  std::string list;
  for (const std::string& word : unknown)
    list += (list.empty() ? "" : ", ") + (first_invalid_utf8(word) ? in_quotes(word) : '"' + on_one_line(word) + '"');
  fmt::print(stderr, "argand: the model does not know {} and reads <unk> instead\n", list);
}

void generate_text(const GenerateOptions& options) {
  options.sampling.validate();
  const TrainedRun trained = open_run(options.run);
  if (!trained.classes.empty())
    fail("generate", "{} is a classifier and writes no text; `argand classify` lets it label some",
         trained.checkpoint.file().path());
  const std::string given = options.prompt == "-" ? read_input() : options.prompt;
  if (first_invalid_utf8(given)) fail("generate", "the prompt is not UTF-8");
  const TokenText read = trained.tokens->encode(given);
  warn_of_unknown(*trained.tokens, given, read);
  const Ids& encoded = read.ids;
  const Ids prompt({1, encoded.size()}, {encoded.span().begin(), encoded.span().end()});
  with_precision(trained.checkpoint.config(), [&]<class R>(R) {
    const auto model = load_model<R>(trained.checkpoint);
    const OpenLibrary library(trained, *model);
    fmt::print("{}", given);
    WrittenText text(*trained.tokens, given.empty() || given.ends_with('\n'));
    const auto write = [&](std::span<const std::int32_t> next) {
      fmt::print("{}", text.next(next[0]));
      std::fflush(stdout);
    };
    generate<R>(*model, prompt, options.tokens, options.sampling, write, library.context());
    fmt::print("\n");
  });
}

}  // namespace

void add_generate(CLI::App& program) {
  CLI::App* command = program.add_subcommand("generate", "let a trained model write");
  const auto options = std::make_shared<GenerateOptions>();
  command->add_option("RUN", options->run, "a run's folder (its best checkpoint) or a checkpoint")->required()->type_name("");
  command->add_option("--prompt", options->prompt, "the text to begin with; - reads it from standard input")
      ->required()
      ->type_name("TEXT");
  command->add_option("--tokens", options->tokens, "how many tokens to write: words, characters, pieces, as the run has them")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1'000'000'000}).description(""))
      ->type_name("INT")
      ->capture_default_str();
  command->add_option("--temperature", options->sampling.temperature, "below 1 sharper, above 1 wilder; 0: always the likeliest")
      ->type_name("NUMBER")
      ->capture_default_str();
  command->add_option("--top-k", options->sampling.top_k, "only the k likeliest words (0: all)")
      ->type_name("INT")
      ->capture_default_str();
  command->add_option("--top-p", options->sampling.top_p, "only the likeliest words that together have probability p")
      ->type_name("NUMBER")
      ->capture_default_str();
  command->add_option("--seed", options->sampling.seed, "the same seed writes the same text")
      ->type_name("INT")
      ->capture_default_str();
  add_threads(*command);
  command->footer(
      "Examples:\n"
      "  argand generate runs/first --prompt \"the\"\n"
      "  argand generate runs/shakespeare --prompt - --tokens 500 < beginning.txt\n"
      "  argand generate runs/rope --prompt \"The game was\" --tokens 200 --temperature 0.8 --top-p 0.9 --seed 7");
  command->callback([options] {
    flush_subnormals_to_zero(true);
    generate_text(*options);
  });
}

}  // namespace argand
