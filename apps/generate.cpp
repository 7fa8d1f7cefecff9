/// argand generate: generates text with a trained model.

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "apps/commands.h"
#include "apps/terminal/command_line.h"
#include "apps/terminal/standard_input.h"
#include "apps/terminal/terminal.h"
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
  std::string run, weights = "f32";
  std::vector<std::string> prompts;
  WritingOptions writing;
  bool json = false, interactive = false;
};

/// Reads standard input to its end, dropping the final newline that echo and editors add.
std::string read_input() {
  std::string text = text_on_standard_input();
  text.pop_back();
  return text;
}

/// Warns about words or characters in the prompt that the model reads as <unk>.
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

Prompt prompt_of(const std::string& text, const Tokenizer& tokens) {
  if (first_invalid_utf8(text)) fail("generate", "the prompt is not UTF-8");
  warn_of_unknown(tokens, text, tokens.encode(text));
  return {text, tokens};
}

std::vector<Prompt> read_prompts(const std::vector<std::string>& given, const Tokenizer& tokens) {
  if (std::count(given.begin(), given.end(), "-") > 1)
    input_fail("--prompt", "standard input can be read only once; - is given twice");
  std::vector<Prompt> prompts;
  for (const std::string& word : given) prompts.push_back(prompt_of(word == "-" ? read_input() : word, tokens));
  return prompts;
}

/// Replaces the escape sequences for newlines, tabs and backslashes.
std::string unescaped(std::string text) {
  for (std::size_t at = text.find('\\'); at != text.npos; at = text.find('\\', at + 1))
    if (const char c = at + 1 < text.size() ? text[at + 1] : ' '; c == 'n' || c == 't' || c == '\\')
      text.replace(at, 2, 1, c == 'n' ? '\n' : c == 't' ? '\t' : '\\');
  return text;
}

/// Writes one text, token by token as it is generated.
template <RealScalar R>
void write_one(Model<R>& model, const OpenRetriever& retriever, const Tokenizer& tokens, const Prompt& prompt,
               const WritingOptions& options) {
  fmt::print("{}", prompt.text);
  WrittenText text = prompt.continuation(tokens);
  StopTextFilter end(options.stop);
  const auto write = [&](std::span<const std::int32_t> next) {
    fmt::print("{}", end.next(text.next(next[0])));
    std::fflush(stdout);
  };
  const Ids ids({1, prompt.tokens.size()}, {prompt.tokens.span().begin(), prompt.tokens.span().end()});
  generate<R>(model, ids, options.tokens, options.sampling, write, retriever.context(), [&] { return end.stopped(); });
  fmt::print("{}\n", end.rest());
}

/// Writes several texts in the order of the prompts, once all are done.
template <RealScalar R>
void write_many(Model<R>& model, const OpenRetriever& retriever, const Tokenizer& tokens, const std::vector<Prompt>& prompts,
                const GenerateOptions& options) {
  const std::vector<Written> texts = written_texts<R>(model, tokens, prompts, options.writing, retriever.context());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const Written& written = texts[i];
    const std::string& prompt = prompts[i / static_cast<std::size_t>(options.writing.samples)].text;
    if (options.json)
      fmt::print("{}\n", nlohmann::ordered_json{{"prompt", prompt},
                                                {"text", valid_utf8(written.text)},
                                                {"tokens", written.tokens},
                                                {"ended_by", written.stopped ? "stop" : "length"}}
                             .dump());
    else
      fmt::print("--- {} of {}\n{}{}\n", i + 1, texts.size(), prompt, written.text);
  }
}

/// Generates continuations of several prompts.
template <RealScalar R>
void write(Model<R>& model, const OpenRetriever& retriever, const Tokenizer& tokens, const std::vector<Prompt>& prompts,
           const GenerateOptions& options) {
  if (prompts.size() == 1 && options.writing.samples == 1 && !options.json)
    write_one<R>(model, retriever, tokens, prompts[0], options.writing);
  else
    write_many<R>(model, retriever, tokens, prompts, options);
  flush_output();
}

/// Treats every line of standard input as a prompt. The seed increases with each line, so that a repeated prompt gets a different
/// continuation.
template <RealScalar R>
void chat(Model<R>& model, const OpenRetriever& retriever, const Tokenizer& tokens, GenerateOptions options) {
  const bool terminal = isatty(STDIN_FILENO) != 0;
  if (terminal) fmt::print(stderr, "one prompt per line; end with Ctrl-D\n");
  const auto ask = [&](std::string& line) {
    if (terminal) fmt::print(stderr, "> ");
    return static_cast<bool>(std::getline(std::cin, line));
  };
  for (std::string line; ask(line); ++options.writing.sampling.seed) try {
      if (line.find_first_not_of(" \t\r") == line.npos) continue;
      write<R>(model, retriever, tokens, {prompt_of(line, tokens)}, options);
    } catch (const Error& error) {
      if (!terminal) throw;
      fmt::print(stderr, "argand: {}\n", error.what());
    }
  if (terminal) fmt::print(stderr, "\n");
  require(!std::cin.bad(), "generate", "cannot read standard input");
}

void generate_text(GenerateOptions options) {
  options.writing.sampling.validate();
  if (options.interactive && !options.prompts.empty())
    input_fail("--interactive", "reads the prompts from standard input; drop --prompt");
  if (!options.interactive && options.prompts.empty())
    input_fail("generate", "missing --prompt TEXT (the text to begin with) or --interactive");
  for (std::string& stop : options.writing.stop) {
    stop = unescaped(stop);
    if (stop.empty()) input_fail("--stop", "must not be empty");
  }
  const TrainedRun trained = open_run(options.run);
  if (!trained.classes.empty())
    fail("generate", "{} is a classifier and does not generate text; use `argand classify`", trained.checkpoint.file().path());
  const std::vector<Prompt> prompts = read_prompts(options.prompts, *trained.tokens);
  with_precision(trained.checkpoint.config(), [&]<class R>(R) {
    const auto model = load_model<R>(trained.checkpoint);
    const OpenRetriever retriever(trained, *model);
    const auto copies = quantized<R>(*model, weight_format(options.weights));
    if (options.interactive)
      chat<R>(*model, retriever, *trained.tokens, options);
    else
      write<R>(*model, retriever, *trained.tokens, prompts, options);
  });
}

}  // namespace

void add_generate(CLI::App* command) {
  const auto options = std::make_shared<GenerateOptions>();
  command->add_option("RUN", options->run, "a run's folder (its best checkpoint) or a checkpoint")->required()->type_name("");
  command
      ->add_option("--prompt", options->prompts,
                   "the text to continue; - reads it from standard input; repeat --prompt for several, generated together")
      ->allow_extra_args(false)
      ->type_name("TEXT");
  const auto add = [&](const char* name, auto& value, const char* help, const char* type) {
    return command->add_option(name, value, help)->type_name(type)->capture_default_str();
  };
  SamplingOptions& sampling = options->writing.sampling;
  add("--samples", options->writing.samples, "number of texts per prompt; batching several is cheap", "INT")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{100'000}).description(""));
  add("--tokens", options->writing.tokens, "number of tokens to generate, in the run's unit: words, characters or pieces", "INT")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1'000'000'000}).description(""));
  add("--temperature", sampling.temperature, "below 1 sharper, above 1 flatter; 0: always the most likely token", "NUMBER");
  add("--top-k", sampling.top_k, "sample only from the k most likely tokens (0: all)", "INT");
  add("--top-p", sampling.top_p, "sample only from the most likely tokens with total probability p", "NUMBER");
  add("--min-p", sampling.min_p, "sample only tokens at least this fraction as likely as the most likely one", "NUMBER");
  add("--repetition-penalty", sampling.repetition_penalty, "above 1: tokens already in the text become less likely (1: off)",
      "NUMBER");
  command->add_option("--stop", options->writing.stop, "stop before this text, where \\n is a line break; may be repeated")
      ->allow_extra_args(false)
      ->type_name("TEXT");
  command->add_flag("--json", options->json, "print one JSON object per text, one per line");
  command->add_flag("--interactive", options->interactive, "read prompts from standard input, one per line");
  add("--seed", sampling.seed, "random seed", "INT");
  add_weights(*command, options->weights);
  add_threads(*command);
  command->footer(
      "Examples:\n"
      "  argand generate runs/first --prompt \"the\"\n"
      "  argand generate runs/shakespeare --prompt - --tokens 500 < beginning.txt\n"
      "  argand generate runs/first --prompt \"the\" --prompt \"a\" --samples 5 --weights int8\n"
      "  argand generate runs/shakespeare --prompt \"ROMEO:\" --tokens 500 --stop '\\n\\n' --json\n"
      "  argand generate runs/shakespeare --interactive --min-p 0.05 --repetition-penalty 1.1\n"
      "  argand generate runs/rope --prompt \"The game was\" --tokens 200 --temperature 0.8 --top-p 0.9 --seed 7");
  command->callback([options] {
    flush_subnormals_to_zero(true);
    generate_text(*options);
  });
}

}  // namespace argand
