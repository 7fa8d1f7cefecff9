/// argand generate: a trained model writes.

#include <algorithm>
#include <memory>
#include <set>

#include "apps/commands.h"
#include "apps/terminal/command_line.h"
#include "apps/terminal/standard_input.h"
#include "core/parallel.h"
#include "data/files/text_file.h"
#include "data/files/utf8.h"
#include "train/checkpoints/trained_run.h"
#include "train/data/corpora.h"
#include "train/data/retriever.h"
#include "train/generation/generation.h"

namespace argand {
namespace {

struct GenerateOptions {
  std::string run;
  std::vector<std::string> prompts;
  std::int64_t tokens = 50, samples = 1;
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

std::vector<Prompt> read_prompts(const std::vector<std::string>& given, const Tokenizer& tokens) {
  if (std::count(given.begin(), given.end(), "-") > 1)
    usage_fail("--prompt", "standard input can be read but once: - stands there twice");
  std::vector<Prompt> prompts;
  for (const std::string& word : given) {
    const std::string text = word == "-" ? read_input() : word;
    if (first_invalid_utf8(text)) fail("generate", "the prompt is not UTF-8");
    warn_of_unknown(tokens, text, tokens.encode(text));
    prompts.emplace_back(text, tokens);
  }
  return prompts;
}

/// One text, word by word as it comes.
template <RealScalar R>
void write_one(Model<R>& model, const OpenRetriever& retriever, const Tokenizer& tokens, const Prompt& prompt,
               const GenerateOptions& options) {
  fmt::print("{}", prompt.text);
  WrittenText text = prompt.continuation(tokens);
  const auto write = [&](std::span<const std::int32_t> next) {
    fmt::print("{}", text.next(next[0]));
    std::fflush(stdout);
  };
  const Ids ids({1, prompt.tokens.size()}, {prompt.tokens.span().begin(), prompt.tokens.span().end()});
  generate<R>(model, ids, options.tokens, options.sampling, write, retriever.context());
  fmt::print("\n");
}

/// Several texts, in the order of the prompts, when all are done.
template <RealScalar R>
void write_many(Model<R>& model, const OpenRetriever& retriever, const Tokenizer& tokens, const std::vector<Prompt>& prompts,
                const GenerateOptions& options) {
  const std::vector<std::string> texts =
      written_texts<R>(model, tokens, prompts, options.samples, options.tokens, options.sampling, retriever.context());
  for (std::size_t i = 0; i < texts.size(); ++i) fmt::print("--- {} of {}\n{}\n", i + 1, texts.size(), texts[i]);
}

void generate_text(const GenerateOptions& options) {
  options.sampling.validate();
  const TrainedRun trained = open_run(options.run);
  if (!trained.classes.empty())
    fail("generate", "{} is a classifier and writes no text; `argand classify` lets it label some",
         trained.checkpoint.file().path());
  const std::vector<Prompt> prompts = read_prompts(options.prompts, *trained.tokens);
  with_precision(trained.checkpoint.config(), [&]<class R>(R) {
    const auto model = load_model<R>(trained.checkpoint);
    const OpenRetriever retriever(trained, *model);
    if (prompts.size() == 1 && options.samples == 1)
      write_one<R>(*model, retriever, *trained.tokens, prompts[0], options);
    else
      write_many<R>(*model, retriever, *trained.tokens, prompts, options);
  });
}

}  // namespace

void add_generate(CLI::App& program) {
  CLI::App* command = program.add_subcommand("generate", "let a trained model write");
  const auto options = std::make_shared<GenerateOptions>();
  command->add_option("RUN", options->run, "a run's folder (its best checkpoint) or a checkpoint")->required()->type_name("");
  command
      ->add_option(
          "--prompt", options->prompts,
          "the text to begin with; - reads it from standard input; several, each after a --prompt, are gone on with together")
      ->required()
      ->allow_extra_args(false)
      ->type_name("TEXT");
  command->add_option("--samples", options->samples, "how many texts to write after each prompt; several at a time are cheap")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{100'000}).description(""))
      ->type_name("INT")
      ->capture_default_str();
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
      "  argand generate runs/first --prompt \"the\" --prompt \"a\" --samples 5\n"
      "  argand generate runs/rope --prompt \"The game was\" --tokens 200 --temperature 0.8 --top-p 0.9 --seed 7");
  command->callback([options] {
    flush_subnormals_to_zero(true);
    generate_text(*options);
  });
}

}  // namespace argand
