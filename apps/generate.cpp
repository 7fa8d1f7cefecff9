/// argand generate: a trained model writes.

#include <memory>

#include "apps/commands.h"
#include "apps/inference/generation.h"
#include "apps/runs/run_files.h"
#include "apps/terminal/command_line.h"
#include "apps/training/library.h"
#include "core/parallel.h"

namespace argand {
namespace {

struct GenerateOptions {
  std::string run, prompt;
  std::int64_t tokens = 50;
  SamplingOptions sampling;
};

void generate_text(const GenerateOptions& options) {
  options.sampling.validate();
  const TrainedRun trained = open_run(options.run);
  if (!trained.classes.empty())
    fail("generate", "{} is a classifier and writes no text; `argand classify` lets it label some",
         trained.checkpoint.file().path());
  const Vocabulary& words = trained.vocabulary;
  const Ids encoded = words.encode(options.prompt);
  const Ids prompt({1, encoded.size()}, {encoded.span().begin(), encoded.span().end()});
  with_precision(trained.checkpoint.config(), [&]<class R>(R) {
    const auto model = load_model<R>(trained.checkpoint);
    const OpenLibrary library(trained, *model);
    fmt::print("{}", options.prompt);
    WrittenText text(words);
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
  command->add_option("--prompt", options->prompt, "the words to begin with")->required()->type_name("TEXT");
  command->add_option("--tokens", options->tokens, "how many words to write")
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
      "  argand generate runs/rope --prompt \"The game was\" --tokens 200 --temperature 0.8 --top-p 0.9 --seed 7");
  command->callback([options] {
    flush_subnormals_to_zero(true);
    generate_text(*options);
  });
}

}  // namespace argand
