#include "apps/runs/run_options.h"

#include <algorithm>
#include <concepts>

#include "apps/terminal/command_line.h"
#include "apps/terminal/option_names.h"
#include "train/config/presets.h"
#include "train/start/run_request.h"

namespace argand {
namespace {

template <class T>
constexpr const char* type_word() {
  if constexpr (std::same_as<T, std::string>) return "TEXT";
  if constexpr (std::same_as<T, std::int64_t>) return "INT";
  if constexpr (std::same_as<T, double>) return "NUMBER";
  if constexpr (std::same_as<T, bool>) return "BOOL";
  return "INT,...";
}

}  // namespace

RunOptions::RunOptions(CLI::App& command, std::string task) : task_(std::move(task)) {
  const auto of_task = value_of_word<TextTask>("task", task_);
  const auto add = [&](const std::string& key, const std::string& type, const std::string& shown, const std::string& help,
                       const std::string& group) {
    const std::string name = option_name(key);
    if (CLI::Option* same =
            command.get_option_no_throw(name)) {  // another family has added it already, possibly with another help text
      if (same->get_type_name().find(type) == std::string::npos) same->type_name(same->get_type_name() + "|" + type);
      return;
    }
    const auto give = [this, key, name](const std::string& text) { given_.push_back({key, text, name}); };
    const auto give_all = [give](const std::vector<std::string>& texts) { give(CLI::detail::join(texts, ",")); };
    CLI::Option* option = key == "data" ? command.add_option_function<std::vector<std::string>>(name, give_all, help)
                                        : command.add_option_function<std::string>(name, give, help);
    option->type_name(type)->default_str(shown)->group(group);
    if (type != type_word<bool>()) return;
    // --qk-norm without a value means --qk-norm true: for a missing value, CLI11 uses the text shown as the default.
    option->expected(0, 1)->default_str("true")->option_text(fmt::format("{} [{}]", type, shown));
  };
  command.add_option("--config", file_, "file of `key = value` lines, overridden by the command line")
      ->type_name("FILE")
      ->group("Run");
  add("preset", preset_choices(task_), "small", "sizes and recipe to start from", "Run");
  const auto families_of = families_by_key(of_task);
  const auto group_of = [&](const char* group) {
    return [&add, &families_of, group]<class T>(const char* key, T& value, const char* choices, const char* help) {
      std::string shown = toml_line(key, value).substr(std::string_view(key).size() + 3);
      std::erase(shown, '"');
      const std::vector<std::string>& owners = families_of.at(key);
      const bool common = owners.size() == families().size();
      add(key, *choices == '\0' ? type_word<T>() : choices, shown, help,
          common ? group : fmt::format("{}, only for {}", group, CLI::detail::join(owners, ", ")));
    };
  };
  RunConfig shown = RunConfig::resolve({}, {}, task_);
  shown.training.visit(group_of("Training"), of_task);
  shown.optimizer.visit(group_of("Optimizer"));
  shown.model.visit(group_of("Model"));
  for_each_family(of_task, [&](RunConfig& config) {
    config.model.visit(group_of("Model"));
    if (config.model.family().uses_retrieval) config.knowledge.visit(group_of("Knowledge"));
  });
  for (const auto& [before, now] : renamed_keys) {
    const std::string old = option_name(before), name = option_name(now);
    if (command.get_option_no_throw(name) == nullptr) continue;
    const auto give = [this, key = std::string(now), old, name](const std::string& text) {
      fmt::print(stderr, "argand: {} is now called {}\n", old, name);
      given_.push_back({key, text, old});
    };
    command.add_option_function<std::string>(old, give)->group("");  // not shown by --help
  }
}

RunConfig RunOptions::resolve(const Settings& given) const {
  return resolve_with_init(file_.empty() ? Settings{} : read_settings(file_), given, task_);
}

}  // namespace argand
