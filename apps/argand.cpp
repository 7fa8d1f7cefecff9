/// The program `argand`: one subcommand a file, see commands.h.

#include <csignal>

#include "apps/command_line.h"
#include "apps/commands.h"
#include "core/blas.h"
#include "core/parallel.h"

using namespace argand;

int main(int argc, char** argv) {
  restart_with_fast_blas(argv);
  std::signal(SIGXFSZ, SIG_IGN);  // a file-size limit shall fail the write, with a message, not kill the program
  CLI::App program("Complex-valued backpropagation: train, check and look into small models.", "argand");
  program.require_subcommand(1);
  program.set_version_flag("--version", [] {
    return fmt::format("argand {}, OpenBLAS with {} kernels, {} threads", ARGAND_VERSION, blas_kernels().running, num_threads());
  });
  program.footer("`argand COMMAND --help` explains a command and shows examples.");
  add_demo(program);
  add_train(program);
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
  return run_program(program, argc, argv);
}
