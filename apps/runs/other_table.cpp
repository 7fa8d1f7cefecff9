#include "apps/runs/other_table.h"

#include "apps/terminal/command_line.h"

namespace argand {

bool OtherTable::any() const { return !(text_column + label_column + delimiter + header).empty(); }

void OtherTable::apply_to(TrainingConfig& training) const {
  if (!text_column.empty()) training.text_column = text_column;
  if (!label_column.empty()) training.label_column = label_column;
  if (!delimiter.empty()) training.delimiter = delimiter;
  if (!header.empty()) training.header = header;
}

void add_options(CLI::App& command, OtherTable& table, bool has_labels) {
  const char* const group = has_labels ? "Another table" : "A table";
  const auto add_column = [&](const char* name, std::string& value, const char* help) {
    command.add_option(name, value, help)->type_name("TEXT")->group(group);
  };
  add_column("--text-column", table.text_column, "column with the texts, by name or number; as in training by default");
  if (has_labels)
    add_column("--label-column", table.label_column, "column with the labels, by name or number; as in training by default");
  add_choice(command, "--delimiter", table.delimiter, "delimiter between fields", {"auto", "comma", "semicolon", "tab", "bar"})
      ->group(group);
  add_choice(command, "--header", table.header, "whether the first row names the columns", {"auto", "yes", "no"})->group(group);
}

}  // namespace argand
