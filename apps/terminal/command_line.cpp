#include "apps/terminal/command_line.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <new>
#include <system_error>

#include "apps/terminal/option_names.h"
#include "apps/terminal/other_words.h"
#include "core/parallel.h"
#include "core/text/keys.h"
#include "nn/config.h"

namespace argand {
namespace {

/// The full name of the subcommand that was parsed last: "train lm" rather than "argand".
const CLI::App* innermost(const CLI::App* app) {
  while (!app->get_subcommands().empty()) app = app->get_subcommands().back();
  return app;
}

/// The prefix of a message: "train lm: ", or "" for the program itself.
std::string place(const CLI::App* app) {
  std::string path;
  for (; app->get_parent() != nullptr; app = app->get_parent()) path = app->get_name() + (path.empty() ? "" : " ") + path;
  return path.empty() ? "" : path + ": ";
}

std::vector<std::string> option_names(const CLI::App* app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app->get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

std::vector<std::string> subcommand_names(const CLI::App* app) {
  std::vector<std::string> names;
  for (const CLI::App* sub : app->get_subcommands(nullptr)) names.push_back(sub->get_name());
  return names;
}

/// CLI11's message, except that an unknown word, as the likely cause, takes precedence and gets a suggestion.
std::string explain(const CLI::App& program, const CLI::ParseError& error) {
  const CLI::App* app = innermost(&program);
  const std::vector<std::string> unknown = program.remaining(true), commands = subcommand_names(app);
  if (!unknown.empty() && !commands.empty() && !unknown.front().starts_with('-'))
    return fmt::format("{}unknown command \"{}\"{}", place(app), unknown.front(),
                       app == &program ? hint_for_command(unknown.front(), commands) : did_you_mean(unknown.front(), commands));
  const auto option = std::find_if(unknown.begin(), unknown.end(), [](const std::string& w) { return w.starts_with("--"); });
  if (option != unknown.end()) {
    const std::string name = option->substr(0, option->find('='));
    const std::vector<std::string> known = option_names(app);
    const std::string other = hint_for(name, known);
    return fmt::format("{}unknown option {}{}", place(app), name, other.empty() ? did_you_mean(name, known) : other);
  }
  if (!unknown.empty()) return fmt::format("{}\"{}\" is not expected here", place(app), unknown.front());
  if (!commands.empty()) return fmt::format("{}choose a command: {}", place(app), CLI::detail::join(commands, ", "));
  std::string text = error.what();
  std::replace(text.begin(), text.end(), '\n', ' ');
  constexpr std::string_view once = ": At Most 1 required but received ";
  if (const auto at = text.find(once); at != text.npos)
    text = fmt::format("{} is given {} times; give it once", text.substr(0, at), text.substr(at + once.size()));
  return place(app) + text;
}

int report(const std::string& text, ExitCode code) {
  fmt::print(stderr, "argand: {}\n", text);
  return code;
}

/// Success, unless some output was lost.
int success_if_printed() {
  errno = 0;
  std::cout.flush();
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return exit_success;
  return report(fmt::format("cannot write to standard output: {}", errno != 0 ? std::strerror(errno) : "some of it is lost"),
                exit_failure);
}

/// -h is the only one-letter option, so -z^2 is an expression; a leading space makes CLI11 treat it as one. (CLI11 itself treats
/// words such as -1 as numbers.)
std::string as_expression(const std::string& word) {
  const bool minus = word.size() > 1 && word[0] == '-' && word[1] != '-' && word != "-h" && (word[1] < '0' || word[1] > '9');
  return minus ? " " + word : word;
}

/// Turns "at: ..." into "--at: ..." if the chosen command has that option.
std::string with_option_name(const CLI::App& program, const std::string& text) {
  const bool is_option = innermost(&program)->get_option_no_throw("--" + text.substr(0, text.find(':'))) != nullptr;
  return is_option ? "--" + text : text;
}

}  // namespace

void add_threads(CLI::App& command, const std::string& group, const std::string& help) {
  command
      .add_option_function<int>(
          "--threads", [](int n) { set_num_threads(n); }, help)
      ->check(CLI::Range(1, 1024).description(""))
      ->type_name("INT")
      ->default_str("all processors")
      ->group(group);
}

CLI::Option* add_choice(CLI::App& command, const char* name, std::string& value, const char* help,
                        const std::vector<std::string>& choices) {
  return command.add_option(name, value, help)
      ->check(CLI::IsMember(choices).description(""))
      ->type_name(CLI::detail::join(choices, "|"));
}

void add_weights(CLI::App& command, std::string& format) {
  add_choice(command, "--weights", format, "how real weight matrices are read; f32 by default", {"f32", "bf16", "int8"});
}

int run_program(CLI::App& program, int argc, const char* const* argv, bool takes_expressions,
                const std::function<std::string(const std::string&)>& reworded) {
  const auto report = [&](const std::string& text, ExitCode code) {
    return argand::report(reworded ? reworded(text) : text, code);
  };
  try {
    std::vector<std::string> words(argv + 1, argv + argc);
    if (takes_expressions) std::transform(words.begin(), words.end(), words.begin(), as_expression);
    std::reverse(words.begin(), words.end());  // CLI11 expects them in reverse order
    program.parse(std::move(words));
    return success_if_printed();
  } catch (const CLI::Success& help) {  // --help and --version
    program.exit(help);
    return success_if_printed();
  } catch (const CLI::RuntimeError& ended) {  // a subcommand that has already reported its errors
    return ended.get_exit_code();
  } catch (const CLI::ParseError& error) {
    return report(explain(program, error) + " (see --help)", exit_usage);
  } catch (const InputError& error) {
    return report(with_option_name(program, in_options(error)), exit_usage);
  } catch (const ConfigError& error) {
    return report(in_options(error), exit_usage);
  } catch (const DivergedError& error) {
    return report(in_options(error), exit_diverged);
  } catch (const std::system_error& error) {
    if (std::ferror(stdout) == 0) return report(error.what(), exit_failure);
    return report(fmt::format("cannot write to standard output: {}", error.code().message()), exit_failure);
  } catch (const std::bad_alloc&) {
    return report("out of memory; reduce --batch, --length, --d-model or --n-layers", exit_failure);
  } catch (const std::exception& error) {
    return report(in_options(error), exit_failure);
  }
}

}  // namespace argand
