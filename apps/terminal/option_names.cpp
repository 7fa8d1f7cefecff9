#include "apps/terminal/option_names.h"

#include <algorithm>

#include "apps/terminal/command_line.h"

namespace argand {
namespace {

bool is_field(std::string_view word) {
  return !word.empty() && word.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string_view::npos;
}

}  // namespace

std::string option_name(std::string_view field) {
  std::string name = "--" + std::string(field);
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

std::string in_options(std::string text) {
  for (std::size_t open = text.find('`'); open != std::string::npos; open = text.find('`', open)) {
    const std::size_t close = text.find('`', open + 1);
    if (close == std::string::npos) break;
    const std::string word = text.substr(open + 1, close - open - 1);
    if (is_field(word)) text.replace(open, close + 1 - open, option_name(word));
    open = is_field(word) ? open + word.size() : close + 1;
  }
  return text;
}

std::string in_options(const std::exception& error) {
  std::string text = error.what();
  if (const auto* config = dynamic_cast<const ConfigError*>(&error); config != nullptr && !config->field().empty())
    if (const std::string& field = config->field(); text.starts_with(field + ": "))
      text.replace(0, field.size(), option_name(field));
  return in_options(std::move(text));
}

Setting key_and_value(std::string_view option, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos)
    input_fail(option, "\"{}\" must have the form KEY=VALUE, such as {} d_model=64", text, option);
  return {text.substr(0, equals), text.substr(equals + 1), fmt::format("{} {}", option, text)};
}

}  // namespace argand
