#include "apps/shell/completion.h"

#include <fmt/format.h>

namespace argand {
namespace {

struct Place {
  std::string path;  ///< "argand train lm"
  const CLI::App* command;
};

void gather(const CLI::App& command, const std::string& before, std::vector<Place>& places) {
  const std::string path = before.empty() ? command.get_name() : before + " " + command.get_name();
  places.push_back({path, &command});
  for (const CLI::App* sub : command.get_subcommands(nullptr)) gather(*sub, path, places);
}

std::vector<Place> places_of(const CLI::App& program) {
  std::vector<Place> places;
  gather(program, "", places);
  return places;
}

/// What may come next: subcommands and options.
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

/// The words of an option's value, a|b|c, separated by blanks; "" if it is not a choice.
std::string choices_of(const CLI::Option& option) {
  std::string type = option.get_type_name();
  type.erase(std::min(type.size(), type.find_first_of("= [")));
  if (type.find('|') == type.npos || type.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789|-_") != type.npos) return "";
  for (char& c : type) c = c == '|' ? ' ' : c;
  return type;
}

/// Escapes what troff interprets: a dot or an apostrophe at the beginning of a line, and backslashes.
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

}  // namespace

std::string bash_completion(const CLI::App& program) {
  std::string commands, values;
  for (const auto& [path, command] : places_of(program)) {
    commands += fmt::format("    \"{}\") words=\"{}\" ;;\n", path, words_of(*command));
    for (const CLI::Option* option : command->get_options())
      for (const std::string& name : option->get_lnames())
        if (const std::string choices = choices_of(*option); !choices.empty())
          values += fmt::format("    \"{} --{}\") words=\"{}\" ;;\n", path, name, choices);
  }
  return fmt::format(R"(# bash completion for argand
_argand() {{
  local at=argand words="" word current="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}" i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="${{COMP_WORDS[i]}}"
    [[ $word == -* ]] && break
    case "$at $word" in
{}    esac
  done
  case "$at" in
{}  esac
  case "$at $before" in
{}  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [[ $current == -* ]] || COMPREPLY+=($(compgen -f -- "$current"))
}}
complete -o filenames -F _argand argand
)",
                     [&] {
                       std::string known;
                       for (const auto& place : places_of(program))
                         if (place.path != program.get_name()) known += fmt::format("      \"{0}\") at=\"{0}\" ;;\n", place.path);
                       return known;
                     }(),
                     commands, values);
}

std::string zsh_completion(const CLI::App& program) {
  return "autoload -U +X compinit bashcompinit && compinit && bashcompinit\n" + bash_completion(program);
}

std::string man_page(const CLI::App& program) {
  std::string page = fmt::format(".TH ARGAND 1\n.SH NAME\nargand \\- {}\n", in_troff(program.get_description()));
  page += ".SH SYNOPSIS\n.B argand\n.I COMMAND\n[options]\n";
  for (const auto& [path, command] : places_of(program))
    page += fmt::format(".SH {}\n.nf\n{}\n.fi\n", command == &program ? "COMMANDS" : in_troff(path), in_troff(command->help()));
  return page;
}

}  // namespace argand
