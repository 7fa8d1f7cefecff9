#include "apps/argand_main.h"

#include <algorithm>
#include <csignal>
#include <iterator>
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
  std::string_view name;
  void (*add)(CLI::App&);
};

constexpr Command commands[] = {
    {"demo", add_demo},         {"train", add_train},         {"sweep", add_sweep},       {"eval", add_eval},
    {"generate", add_generate}, {"classify", add_classify},   {"ablate", add_ablate},     {"report", add_report},
    {"audit", add_audit},       {"retrieval", add_retrieval}, {"inspect", add_inspect},   {"export", add_export},
    {"lab", add_lab},           {"explain", add_explain},     {"exercise", add_exercise}, {"portrait", add_portrait},
    {"graph", add_graph},       {"gradcheck", add_gradcheck}, {"parity", add_parity},     {"completion", add_completion},
};

constexpr std::string_view of_all = "completion";  // this command needs the options of all other commands

/// Adds only the command named on the command line, if any: adding all of them took a quarter of the startup time.
void add_commands(CLI::App& program, std::string_view named) {
  const auto is_named = [&](const Command& command) { return command.name == named; };
  const bool one = named != of_all && std::any_of(std::begin(commands), std::end(commands), is_named);
  for (const Command& command : commands)
    if (!one || is_named(command)) command.add(program);
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
  if (argc > 1 && std::string_view(argv[1]) == "train") undo_default_binding();
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
  add_commands(program, argc > 1 ? argv[1] : "");
  const int code = run_program(program, argc, argv, {"lab", "portrait", "graph"}, error_of_rank);
  abort_ranks(code);
  return code;
}

}  // namespace argand
