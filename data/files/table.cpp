#include "data/files/table.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/machine/json_depth.h"
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

/// Takes rows off a text, and counts its lines.
class TableReader {
 public:
  TableReader(std::string_view op, const std::string& path, std::string_view text) : op_(op), path_(path), rest_(text) {
    if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);
  }

  Table values(char separator, bool quoted) {
    Table table;
    while (skip_blank_lines()) {
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
      const auto json = nlohmann::ordered_json::parse(text, nullptr, false);
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

}  // namespace

bool is_table_name(std::string_view path) {
  const std::string ending = ending_of(path);
  return ending == ".csv" || has_tabs(ending) || is_json(ending);
}

Table read_table(std::string_view op, const std::string& path) {
  const std::string text = read_text_file(op, path), ending = ending_of(path);
  TableReader reader(op, path, text);
  Table table = is_json(ending) ? reader.objects() : reader.values(has_tabs(ending) ? '\t' : ',', !has_tabs(ending));
  require(!table.rows.empty(), op, "{} has no rows", path);
  return table;
}

}  // namespace argand
