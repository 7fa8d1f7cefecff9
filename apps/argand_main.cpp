#include "apps/argand_main.h"

#include <algorithm>
#include <csignal>
#include <span>
#include <string_view>

#include "apps/commands.h"
#include "apps/terminal/command_line.h"
#include "apps/terminal/start.h"
#include "core/error.h"
#include "core/machine/blas.h"
#include "core/machine/cpu.h"
#include "core/machine/level.h"
#include "core/machine/openblas_kernels.h"
#include "core/machine/threads.h"
#include "core/parallel.h"
#include "data/knowledge/hnsw_index.h"
#include "data/tokens/piece_tokens.h"
#include "train/checkpoints/made_by.h"
#include "train/ranks/ranks.h"

namespace argand {
namespace {

struct Command {
  std::string_view name, what;
  void (*add_options)(CLI::App*) = nullptr;
  bool takes_expressions = false;  // -z^2 is an expression, not an option
};

constexpr Command commands[] = {
    {"demo", "check, train and compare two small models in about a minute", add_demo},
    {"train", "train a model", add_train},
    {"sweep", "train with several values of options and find the best", add_sweep},
    {"eval", "measure a trained model: perplexity or accuracy", add_eval},
    {"generate", "generate text with a trained model", add_generate},
    {"classify", "label lines of text with a trained classifier", add_classify},
    {"ablate", "compare the variants of a family, as its paper does", add_ablate},
    {"report", "report on training runs, on one page for a browser", add_report},
    {"audit", "audit a run", add_audit},
    {"retrieval", "measure how well titles retrieve their articles", add_retrieval},
    {"inspect", "show the contents of a checkpoint", add_inspect},
    {"export", "write a checkpoint's tensors for NumPy and PyTorch", add_export},
    {"lab", "differentiate a function of your own, in every framework's convention", add_lab, true},
    {"explain", "explain an op: equation, kind, derivation, singular points, and its check", add_explain},
    {"exercise", "make and grade individual problem sheets", add_exercise},
    {"portrait", "draw a complex function and its gradient field", add_portrait, true},
    {"graph", "draw the tape of an expression or a model", add_graph, true},
    {"gradcheck", "check every gradient against numerical differentiation", add_gradcheck},
    {"parity", "compare losses, gradients and optimizer steps with PyTorch's", add_parity},
    {"completion", "print shell completions or the manual page", add_completion},
};

/// The command that the first word without a dash names; one without a name if there is none.
Command command_of(std::span<char* const> words) {
  const auto word = std::ranges::find_if(words, [](std::string_view w) { return !w.starts_with('-'); });
  const auto* const found = std::ranges::find(commands, word == words.end() ? "" : std::string_view(*word), &Command::name);
  return found == std::end(commands) ? Command{} : *found;
}

/// Adds every command, and the named one's options. All options, which `completion` prints, took two fifths of the time of --help.
void add_commands(CLI::App& program, const Command& named) {
  for (const Command& command : commands) {
    CLI::App* const added = program.add_subcommand(std::string(command.name), std::string(command.what));
    if (command.name == named.name || named.add_options == add_completion) command.add_options(added);
  }
}

std::string version_text(const std::string& version) {
  return fmt::format("argand {}, level {} (this processor: {}), OpenBLAS with {} kernels, {} threads", version,
                     level_name(library_level()), level_name(processor_level()), blas_kernels().running, num_threads());
}

/// The optional parts of this build (docs/guides/requirements.md).
std::string parts_text() {
  const std::string processor = processor_name();
  std::string text = processor.empty() ? "" : fmt::format("\nprocessor      {}", processor);
  const auto add = [&](std::string_view part, bool is_in) {
    text += fmt::format("\n{:<14} {}", part, is_in ? "included" : "not included");
  };
  add("OpenMP", threads::are_openmp());
  add("OpenBLAS", blas_kernels_name() != "plain");
  if (!blas_shares_threads()) text += ", single-threaded: not the OpenMP build";
  add("SentencePiece", have_sentencepiece());
  add("hnswlib", have_hnsw());
  add("MPI", have_mpi());
  return text;
}

}  // namespace

int argand_main(int argc, char** argv, const std::string& version, const std::string& commit) {
  name_program(version, commit);
  const Command command = command_of({argv + 1, argv + argc});
  if (command.name == "train") undo_default_binding();
  try {
    ensure_fast_kernels(argv);
  } catch (const Error& error) {
    fmt::print(stderr, "argand: {}\n", error.what());
    return 2;
  }
  std::signal(SIGXFSZ, SIG_IGN);  // writing beyond a file-size limit must fail with a message, not kill the program
  CLI::App program("Complex-valued backpropagation: train, check and inspect small models.", "argand");
  program.require_subcommand(1);
  const bool verbose = std::any_of(argv, argv + argc, [](const char* word) { return std::string_view(word) == "--verbose"; });
  program.set_version_flag("--version", [&] { return version_text(version) + (verbose ? parts_text() : ""); });
  program.add_flag("--verbose")->description("with --version: also show the optional features");
  program.footer(
      "`argand COMMAND --help` explains a command and shows examples.\n"
      "ARGAND_LEVEL=baseline|v3|v4 in the environment selects the kernels of one x86-64 level (`argand --version` shows those in\n"
      "use), OPENBLAS_CORETYPE=Prescott|Haswell|Zen|SkylakeX those of OpenBLAS.");
  add_commands(program, command);
  const int code = run_program(program, argc, argv, command.takes_expressions, error_of_rank);
  abort_ranks(code);
  return code;
}

}  // namespace argand
