/// argand completion: prints completion scripts for shells, and the manual page.

#include <fmt/format.h>

#include "apps/commands.h"
#include "apps/shell/completion.h"

namespace argand {

void add_completion(CLI::App* command) {
  command->require_subcommand(1);
  const auto add = [&](const char* name, const char* help, std::string (*text)(const CLI::App&)) {
    command->add_subcommand(name, help)->callback([command, text] { fmt::print("{}", text(*command->get_parent())); });
  };
  add("bash", "complete in bash", bash_completion);
  add("zsh", "complete in zsh", zsh_completion);
  add("man", "the manual page, in troff", man_page);
  command->footer(
      "Examples:\n"
      "  source <(argand completion bash)            for this shell; in ~/.bashrc for all shells\n"
      "  source <(argand completion zsh)             the same in ~/.zshrc\n"
      "  argand completion man > ~/.local/share/man/man1/argand.1");
}

}  // namespace argand
