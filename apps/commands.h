#pragma once
/// The commands of `argand`, one file each. To add one: write add_NAME in apps/NAME.cpp, declare it here, list it in
/// argand_main.cpp.

#include <CLI/CLI.hpp>

namespace argand {

/// Each adds to its command the options, a callback that does the work, and examples in the footer. Callbacks throw InputError for
/// mistakes in what the user typed and Error for everything else.
void add_demo(CLI::App* command);
void add_train(CLI::App* command);
void add_sweep(CLI::App* command);
void add_eval(CLI::App* command);
void add_generate(CLI::App* command);
void add_classify(CLI::App* command);
void add_ablate(CLI::App* command);
void add_report(CLI::App* command);
void add_audit(CLI::App* command);
void add_retrieval(CLI::App* command);
void add_inspect(CLI::App* command);
void add_export(CLI::App* command);
void add_lab(CLI::App* command);
void add_explain(CLI::App* command);
void add_exercise(CLI::App* command);
void add_portrait(CLI::App* command);
void add_graph(CLI::App* command);
void add_gradcheck(CLI::App* command);
void add_parity(CLI::App* command);
void add_completion(CLI::App* command);

}  // namespace argand
