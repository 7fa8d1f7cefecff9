#pragma once
/// Shell completions and the manual page, generated from the command tree.

#include <CLI/CLI.hpp>
#include <string>

namespace argand {

/// A script for bash: `source <(argand completion bash)`, or a file in share/bash-completion/completions. `program` must have all
/// its subcommands.
std::string bash_completion(const CLI::App& program);
/// A script for zsh, to be sourced in the same way, or the file `_argand` in a folder of $fpath.
std::string zsh_completion(const CLI::App& program);
/// A section 1 man page in troff: the --help text of every command.
std::string man_page(const CLI::App& program);

}  // namespace argand
