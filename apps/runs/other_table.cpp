#include "apps/runs/other_table.h"

namespace argand {

bool OtherTable::any() const { return !(text_column + label_column + delimiter + header).empty(); }

void OtherTable::apply_to(TrainingConfig& training) const {
  if (!text_column.empty()) training.text_column = text_column;
  if (!label_column.empty()) training.label_column = label_column;
  if (!delimiter.empty()) training.delimiter = delimiter;
  if (!header.empty()) training.header = header;
}

void add_options(CLI::App& command, OtherTable& table, bool has_labels) {
  const auto add = [&](const char* name, std::string& value, const char* help, const std::vector<std::string>& choices = {}) {
    CLI::Option* option = command.add_option(name, value, help)->group(has_labels ? "Another table" : "A table");
    if (choices.empty()) return option->type_name("TEXT");
    return option->check(CLI::IsMember(choices).description(""))->type_name(CLI::detail::join(choices, "|"));
  };
  add("--text-column", table.text_column, "column with the texts, by name or number; as in training by default");
  if (has_labels) add("--label-column", table.label_column, "column with the labels, by name or number; as in training by default");
  add("--delimiter", table.delimiter, "delimiter between fields", {"auto", "comma", "semicolon", "tab", "bar"});
  add("--header", table.header, "whether the first row names the columns", {"auto", "yes", "no"});
}

}  // namespace argand
