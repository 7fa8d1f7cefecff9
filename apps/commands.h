#pragma once
/// The subcommands of `argand`, one file each. To add one: write add_NAME in apps/NAME.cpp, declare it here, list it in
/// argand_main.cpp.

#include <CLI/CLI.hpp>

namespace argand {

/// Each adds its subcommand with options, a callback that does the work, and examples in the footer. Callbacks throw InputError for
/// mistakes in what the user typed and Error for everything else.
void add_demo(CLI::App& program);
void add_train(CLI::App& program);
void add_sweep(CLI::App& program);
void add_eval(CLI::App& program);
void add_generate(CLI::App& program);
void add_classify(CLI::App& program);
void add_ablate(CLI::App& program);
void add_report(CLI::App& program);
void add_audit(CLI::App& program);
void add_retrieval(CLI::App& program);
void add_inspect(CLI::App& program);
void add_export(CLI::App& program);
void add_lab(CLI::App& program);
void add_explain(CLI::App& program);
void add_exercise(CLI::App& program);
void add_portrait(CLI::App& program);
void add_graph(CLI::App& program);
void add_gradcheck(CLI::App& program);
void add_parity(CLI::App& program);
void add_completion(CLI::App& program);

}  // namespace argand
