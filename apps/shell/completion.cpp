#include "apps/shell/completion.h"

#include <fmt/format.h>

namespace argand {
namespace {

struct Place {
  std::string before, path;  ///< such as "argand train" and "argand train lm"
  const CLI::App* command;
};

void gather(const CLI::App& command, const std::string& before, std::vector<Place>& places) {
  const std::string path = before.empty() ? command.get_name() : before + " " + command.get_name();
  places.push_back({before, path, &command});
  for (const CLI::App* sub : command.get_subcommands(nullptr)) gather(*sub, path, places);
}

std::vector<Place> places_of(const CLI::App& program) {
  std::vector<Place> places;
  gather(program, "", places);
  return places;
}

/// The possible next words: subcommands and options.
std::string words_of(const CLI::App& command) {
  std::string words;
  for (const CLI::App* sub : command.get_subcommands(nullptr)) words += sub->get_name() + " ";
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group().empty()) continue;
    for (const std::string& name : option->get_lnames()) words += "--" + name + " ";
  }
  if (!words.empty()) words.pop_back();
  return words;
}

/// The values of an option whose type is a|b|c, separated by spaces; "" if the option is not a choice.
std::string choices_of(const CLI::Option& option) {
  std::string type = option.get_type_name();
  type.erase(std::min(type.size(), type.find_first_of("= [")));
  if (type.find('|') == type.npos || type.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789|-_") != type.npos) return "";
  for (char& c : type) c = c == '|' ? ' ' : c;
  return type;
}

/// Escapes everything that troff interprets: a dot or an apostrophe at the beginning of a line, and backslashes.
std::string in_troff(const std::string& text) {
  std::string out;
  bool line_start = true;
  for (const char c : text) {
    if (line_start && (c == '.' || c == '\'')) out += "\\&";
    out += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
    line_start = c == '\n';
  }
  return out;
}

/// The lines that both shells share: they find the command typed so far, then offer its subcommands and options, or the values of
/// an option with a fixed set of them.
class Cases {
 public:
  explicit Cases(const CLI::App& program) {
    for (const auto& [before, path, command] : places_of(program)) {
      if (command != &program) commands_ += fmt::format("      \"{0}\") at=\"{0}\" ;;\n", path);
      words_ += fmt::format("    \"{}\") next=\"{}\" ;;\n", path, words_of(*command));
      for (const CLI::Option* option : command->get_options())
        for (const std::string& name : option->get_lnames())
          if (const std::string choices = choices_of(*option); !choices.empty())
            values_ += fmt::format("    \"{} --{}\") next=\"{}\" ;;\n", path, name, choices);
    }
  }

  /// Code that sets `next`. `array` holds the words; `first` is the index of the program, `current` that of the word being typed.
  std::string text(std::string_view array, int first, std::string_view current) const {
    return fmt::format(R"(  for ((i = {}; i < {}; i++)); do
    word="${{{}[i]}}"
    [[ $word == -* ]] && break
    case "$at $word" in
{}    esac
  done
  case "$at" in
{}  esac
  case "$at $before" in
{}  esac
)",
                       first + 1, current, array, commands_, words_, values_);
  }

 private:
  std::string commands_, words_, values_;
};

}  // namespace

std::string bash_completion(const CLI::App& program) {
  return fmt::format(R"(# bash completion for argand
_argand() {{
  local at=argand next="" word current="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}" i
{}  COMPREPLY=($(compgen -W "$next" -- "$current"))
  # Do not offer files where subcommands or values are expected.
  [[ $current == -* || $next == [a-z0-9]* ]] || COMPREPLY+=($(compgen -f -- "$current"))
}}
complete -o filenames -F _argand argand
)",
                     Cases(program).text("COMP_WORDS", 0, "COMP_CWORD"));
}

std::string zsh_completion(const CLI::App& program) {
  return fmt::format(R"(#compdef argand
_argand() {{
  local at=argand next="" word before="${{words[CURRENT-1]}}" i
{}  compadd -- ${{=next}}
  # Do not offer files where subcommands or values are expected.
  [[ $PREFIX == -* || $next == [a-z0-9]* ]] || _files
}}
# In a folder of $fpath this file is the function's body; read with `source`, it only defines it.
if [[ $funcstack[1] == _argand ]]; then
  _argand "$@"
else
  (( $+functions[compdef] )) || {{ autoload -Uz compinit && compinit }}
  compdef _argand argand
fi
)",
                     Cases(program).text("words", 1, "CURRENT"));
}

std::string man_page(const CLI::App& program) {
  std::string page = fmt::format(".TH ARGAND 1\n.SH NAME\nargand \\- {}\n", in_troff(program.get_description()));
  page += ".SH SYNOPSIS\n.B argand\n.I COMMAND\n[options]\n";
  for (const auto& [before, path, command] : places_of(program))
    page +=
        fmt::format(".SH {}\n.nf\n{}\n.fi\n", command == &program ? "COMMANDS" : in_troff(path), in_troff(command->help(before)));
  return page;
}

}  // namespace argand
