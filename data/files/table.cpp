#include "data/files/table.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/machine/json.h"
#include "data/files/text_file.h"
#include "data/files/utf8.h"

namespace argand {
namespace {

std::string ending_of(std::string_view path) {
  std::string ending = std::filesystem::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending;
}

bool is_json(const std::string& ending) { return ending == ".jsonl" || ending == ".ndjson"; }
bool has_tabs(const std::string& ending) { return ending == ".tsv" || ending == ".tab"; }

constexpr std::string_view fasttext_label = "__label__";

std::string_view without_mark(std::string_view text) { return text.starts_with("\xEF\xBB\xBF") ? text.substr(3) : text; }

/// Takes rows off a text, and counts its lines.
class TableReader {
 public:
  TableReader(std::string_view op, const std::string& path, std::string_view text)
      : op_(op), path_(path), rest_(without_mark(text)) {}

  /// `most`: rows to read, 0 for all.
  Table values(char separator, bool quoted, std::size_t most = 0) {
    Table table{.keys = {}, .rows = {}, .delimiter = separator};
    while (skip_blank_lines() && (most == 0 || table.rows.size() < most)) {
      TableRow row{line_, {}};
      do row.fields.push_back(quoted && rest_.starts_with('"') ? quoted_field(separator) : bare_field(separator));
      while (take(separator));
      take_line_end();
      add(table, std::move(row));
    }
    return table;
  }

  Table objects() {
    Table table;
    while (skip_blank_lines()) {
      const std::string_view text = take_line(rest_);
      if (nests_too_deep(text)) refuse(line_, fmt::format("nested more than {} levels deep", deepest_json));
      const auto json = json_or_nothing(text);
      if (!json.is_object()) refuse(line_, "not a JSON object");
      if (table.keys.empty())
        for (const auto& entry : json.items()) table.keys.push_back(entry.key());
      TableRow row{line_, {}};
      for (const std::string& key : table.keys) {
        if (!json.contains(key))
          refuse(line_, fmt::format("the key {} of line {} is missing", in_quotes(key), table.rows.front().line));
        const auto& value = json[key];
        row.fields.push_back(value.is_null() ? "" : value.is_string() ? value.get<std::string>() : value.dump());
      }
      ++line_;
      add(table, std::move(row));
    }
    return table;
  }

  Table labelled_lines() {
    Table table{.keys = {"label", "text"}, .rows = {}};
    while (skip_blank_lines()) {
      std::string_view text = take_line(rest_);
      if (text.ends_with('\r')) text.remove_suffix(1);
      const std::string_view label = take_word(text);
      if (!label.starts_with(fasttext_label)) refuse(line_, "no __label__NAME at the beginning, as the first line has");
      std::string_view rest = text;
      if (take_word(rest).starts_with(fasttext_label)) refuse(line_, "several labels; a classifier learns one for each text");
      if (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
      add(table, {line_++, {std::string(label.substr(fasttext_label.size())), std::string(text)}});
    }
    return table;
  }

 private:
  [[noreturn]] void refuse(std::int64_t line, const std::string& why) const { fail(op_, "{}, line {}: {}", path_, line, why); }

  void add(Table& table, TableRow row) const {
    if (!table.rows.empty() && row.fields.size() != table.columns())
      refuse(row.line, fmt::format("{} field{}, line {} has {}", row.fields.size(), row.fields.size() == 1 ? "" : "s",
                                   table.rows.front().line, table.columns()));
    table.rows.push_back(std::move(row));
  }

  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool at_line_end() const { return rest_.empty() || rest_.starts_with('\n') || rest_.starts_with("\r\n"); }

  void take_line_end() {
    take('\r');
    take('\n');
    ++line_;
  }

  bool skip_blank_lines() {
    while (!rest_.empty() && at_line_end()) take_line_end();
    return !rest_.empty();
  }

  std::string bare_field(char separator) {
    std::size_t end = 0;
    while (end < rest_.size() && rest_[end] != separator && rest_[end] != '\n') ++end;
    if (end > 0 && end < rest_.size() && rest_[end] == '\n' && rest_[end - 1] == '\r') --end;
    const std::string_view field = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return std::string(field);
  }

  std::string quoted_field(char separator) {
    const std::int64_t begun = line_;
    std::string field;
    take('"');
    for (;;) {
      const std::size_t quote = rest_.find('"');
      if (quote == rest_.npos) refuse(begun, "a quotation mark is not closed");
      field += rest_.substr(0, quote);
      line_ += std::count(rest_.begin(), rest_.begin() + static_cast<std::ptrdiff_t>(quote), '\n');
      rest_.remove_prefix(quote + 1);
      if (!take('"')) break;
      field += '"';
    }
    if (!at_line_end() && !rest_.starts_with(separator))
      refuse(line_, "text after the closing quotation mark; those inside a field are doubled");
    return field;
  }

  std::string_view op_;
  const std::string& path_;
  std::string_view rest_;
  std::int64_t line_ = 1;
};

/// What stands between the fields of the first rows: a comma, unless these have none, or not equally many, and another has.
char delimiter_of(std::string_view op, const std::string& path, std::string_view text) {
  constexpr std::size_t rows = 50;
  for (const char delimiter : {',', ';', '\t', '|'}) try {
      if (TableReader(op, path, text).values(delimiter, true, rows).columns() >= 2) return delimiter;
    } catch (const Error&) {
    }
  return ',';
}

}  // namespace

bool has_fasttext_labels(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string line;
  std::getline(file, line);
  return without_mark(line).starts_with(fasttext_label);
}

bool is_table(const std::string& path) {
  const std::string ending = ending_of(path);
  return ending == ".csv" || has_tabs(ending) || is_json(ending) || has_fasttext_labels(path);
}

Table read_table(std::string_view op, const std::string& path, char delimiter) {
  const std::string text = read_text_file(op, path), ending = ending_of(path);
  TableReader reader(op, path, text);
  const auto table_of = [&]() -> Table {
    if (is_json(ending)) return reader.objects();
    if (without_mark(text).starts_with(fasttext_label)) return reader.labelled_lines();
    if (delimiter == 0) delimiter = has_tabs(ending) ? '\t' : delimiter_of(op, path, text);
    return reader.values(delimiter, !has_tabs(ending));
  };
  Table table = table_of();
  require(!table.rows.empty(), op, "{} has no rows", path);
  return table;
}

}  // namespace argand
