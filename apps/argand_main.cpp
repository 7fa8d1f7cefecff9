#include "apps/argand_main.h"

#include <csignal>
#include <string_view>

#include "apps/commands.h"
#include "apps/terminal/command_line.h"
#include "apps/terminal/start.h"
#include "core/error.h"
#include "core/machine/level.h"
#include "core/machine/openblas_kernels.h"
#include "core/parallel.h"
#include "train/checkpoints/made_by.h"
#include "train/ranks/ranks.h"

namespace argand {

int argand_main(int argc, char** argv, const std::string& version, const std::string& commit) {
  name_program(version, commit);
  if (argc > 1 && std::string_view(argv[1]) == "train") undo_default_binding();
  try {
    start_with_the_right_kernels(argv);
  } catch (const Error& error) {
    fmt::print(stderr, "argand: {}\n", error.what());
    return 2;
  }
  std::signal(SIGXFSZ, SIG_IGN);  // a file-size limit must fail the write, with a message, not kill the program
  CLI::App program("Complex-valued backpropagation: train, check and look into small models.", "argand");
  program.require_subcommand(1);
  program.set_version_flag("--version", [version] {
    return fmt::format("argand {}, level {} (this processor: {}), OpenBLAS with {} kernels, {} threads", version,
                       level_name(library_level()), level_name(processor_level()), blas_kernels().running, num_threads());
  });
  program.footer(
      "`argand COMMAND --help` explains a command and shows examples.\n"
      "ARGAND_LEVEL=baseline|v3|v4 in the environment forces the kernels of one level of x86-64 (argand --version names those that "
      "run), OPENBLAS_CORETYPE=Prescott|Haswell|Zen|SkylakeX those of OpenBLAS.");
  add_demo(program);
  add_train(program);
  add_sweep(program);
  add_eval(program);
  add_generate(program);
  add_classify(program);
  add_ablate(program);
  add_report(program);
  add_audit(program);
  add_retrieval(program);
  add_inspect(program);
  add_export(program);
  add_lab(program);
  add_explain(program);
  add_portrait(program);
  add_graph(program);
  add_gradcheck(program);
  add_parity(program);
  const int code = run_program(program, argc, argv, {"lab", "portrait", "graph"}, error_of_rank);
  abort_ranks(code);
  return code;
}

}  // namespace argand
