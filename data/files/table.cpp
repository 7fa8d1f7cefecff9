#include "data/files/table.h"

#include <algorithm>
#include <filesystem>
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

std::string_view without_bom(std::string_view text) { return text.starts_with("\xEF\xBB\xBF") ? text.substr(3) : text; }

/// Reads rows from the front of a text and counts its lines.
class TableReader {
 public:
  TableReader(std::string_view op, const std::string& path, std::string_view text, std::int64_t line)
      : op_(op), path_(path), rest_(text), line_(line) {}

  std::string_view rest() const { return rest_; }
  std::int64_t line() const { return line_; }

  /// Returns false at the end of the text.
  bool skip_blank_lines() {
    while (!rest_.empty() && at_line_end()) take_line_end();
    return !rest_.empty();
  }

  TableRow values(char separator, bool quoted) {
    TableRow row{line_, {}};
    do row.fields.push_back(quoted && rest_.starts_with('"') ? quoted_field(separator) : bare_field(separator));
    while (take(separator));
    take_line_end();
    return row;
  }

  /// `keys` holds the keys of the first object; if empty, it is set from this object.
  TableRow object(std::vector<std::string>& keys, std::int64_t first_line) {
    const std::string_view text = take_line(rest_);
    if (nested_too_deeply(text)) refuse(line_, fmt::format("nested more than {} levels deep", deepest_json));
    const auto json = try_parse_json(text);
    if (!json.is_object()) refuse(line_, "not a JSON object");
    if (keys.empty())
      for (const auto& entry : json.items()) keys.push_back(entry.key());
    TableRow row{line_, {}};
    for (const std::string& key : keys) {
      if (!json.contains(key)) refuse(line_, fmt::format("the key {} from line {} is missing", in_quotes(key), first_line));
      const auto& value = json[key];
      row.fields.push_back(value.is_null() ? "" : value.is_string() ? value.get<std::string>() : value.dump());
    }
    ++line_;
    return row;
  }

  TableRow labelled_line() {
    std::string_view text = take_line(rest_);
    if (text.ends_with('\r')) text.remove_suffix(1);
    const std::string_view label = take_word(text);
    if (!label.starts_with(fasttext_label)) refuse(line_, "does not begin with __label__NAME, as the first line does");
    std::string_view rest = text;
    if (take_word(rest).starts_with(fasttext_label)) refuse(line_, "more than one label; a classifier learns one per text");
    if (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
    return {line_++, {std::string(label.substr(fasttext_label.size())), std::string(text)}};
  }

 private:
  [[noreturn]] void refuse(std::int64_t line, const std::string& why) const { fail(op_, "{}, line {}: {}", path_, line, why); }

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
      if (quote == rest_.npos) {
        rest_ = {};
        refuse(begun, "a quoted field is not closed");
      }
      field += rest_.substr(0, quote);
      line_ += std::count(rest_.begin(), rest_.begin() + static_cast<std::ptrdiff_t>(quote), '\n');
      rest_.remove_prefix(quote + 1);
      if (!take('"')) break;
      field += '"';
    }
    if (!at_line_end() && !rest_.starts_with(separator))
      refuse(line_, "text after the closing quotation mark; quotation marks inside a field must be doubled");
    return field;
  }

  std::string_view op_;
  const std::string& path_;
  std::string_view rest_;
  std::int64_t line_;
};

/// The first of comma, semicolon, tab and bar that splits the first rows into the same number of fields, at least two; else a
/// comma. `whole` means that the text is complete.
char delimiter_of(std::string_view op, const std::string& path, std::string_view text, bool whole) {
  constexpr int rows = 50;
  const auto agree_on = [&](char delimiter) {
    TableReader reader(op, path, text, 1);
    std::size_t columns = 0;
    for (int i = 0; i < rows && reader.skip_blank_lines(); ++i) {
      const std::size_t fields = reader.values(delimiter, true).fields.size();
      if (reader.rest().empty() && !whole) break;  // the row may be incomplete
      if (i > 0 && fields != columns) return false;
      columns = fields;
    }
    return columns >= 2;
  };
  for (const char delimiter : {',', ';', '\t', '|'}) try {
      if (agree_on(delimiter)) return delimiter;
    } catch (const Error&) {
    }
  return ',';
}

constexpr std::size_t block = 1 << 16;

}  // namespace

bool has_fasttext_labels(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string line;
  std::getline(file, line);
  return without_bom(line).starts_with(fasttext_label);
}

bool is_table(const std::string& path) {
  const std::string ending = ending_of(path);
  return ending == ".csv" || has_tabs(ending) || is_json(ending) || has_fasttext_labels(path);
}

TableRows::TableRows(std::string_view op, const std::string& path, char delimiter) : op_(op), path_(path) {
  require_name(op, path);
  std::error_code ignored;
  require(!std::filesystem::is_directory(path, ignored), op, "{} is a folder, not a table", path);
  file_.open(path, std::ios::binary);
  require(file_.good(), op, "cannot read {}", path);
  while (text_.size() < 16 * block && read_more()) {
  }
  begin(delimiter);
}

TableRows::TableRows(std::string_view op, const std::string& path, std::string text, char delimiter)
    : op_(op), path_(path), text_(std::move(text)) {
  file_.setstate(std::ios::eofbit);
  begin(delimiter);
}

void TableRows::begin(char delimiter) {
  const std::string ending = ending_of(path_);
  at_ = text_.size() - without_bom(text_).size();
  if (::argand::is_json(ending)) {
    form_ = Form::Objects;
  } else if (rest().starts_with(fasttext_label)) {
    form_ = Form::LabelledLines;
    keys_ = {"label", "text"};
  } else {
    quoted_ = !has_tabs(ending);
    delimiter_ = delimiter != 0 ? delimiter : has_tabs(ending) ? '\t' : delimiter_of(op_, path_, rest(), !file_.good());
  }
}

bool TableRows::read_more() {
  if (!file_.good()) return false;
  text_.erase(0, at_);
  at_ = 0;
  // Doubles the buffered text, so that even a very long field is rescanned only a few times.
  const std::size_t before = text_.size(), more = std::max(block, before);
  text_.resize(before + more);
  file_.read(text_.data() + before, static_cast<std::streamsize>(more));
  require(!file_.bad(), op_, "cannot read {}", path_);
  text_.resize(before + static_cast<std::size_t>(file_.gcount()));
  return text_.size() > before;
}

std::optional<TableRow> TableRows::next() {
  for (;;) {
    TableReader reader(op_, path_, rest(), line_);
    TableRow row;
    std::string_view source;
    try {
      if (reader.skip_blank_lines()) {
        source = reader.rest();
        row = form_ == Form::Objects         ? reader.object(keys_, first_line_)
              : form_ == Form::LabelledLines ? reader.labelled_line()
                                             : reader.values(delimiter_, quoted_);
      }
    } catch (const Error&) {
      if (columns_ == 0 && form_ == Form::Objects) keys_.clear();
      if (reader.rest().size() <= 2 && read_more()) continue;  // the row may be incomplete, even between "\r" and "\n"
      throw;
    }
    if (reader.rest().empty() && read_more()) {  // the row may continue in the next block
      if (columns_ == 0 && form_ == Form::Objects) keys_.clear();
      continue;
    }
    if (source.empty()) return std::nullopt;
    source.remove_suffix(reader.rest().size());
    at_ = text_.size() - reader.rest().size();
    line_ = reader.line();
    while (source.ends_with('\n') || source.ends_with('\r')) source.remove_suffix(1);
    source_ = source;
    if (file_.is_open()) require_text(op_, source, path_, row.line);
    if (columns_ == 0) columns_ = row.fields.size(), first_line_ = row.line;
    require(row.fields.size() == columns_, op_, "{}, line {}: {} field{}, but line {} has {}", path_, row.line, row.fields.size(),
            row.fields.size() == 1 ? "" : "s", first_line_, columns_);
    return row;
  }
}

Table read_table(std::string_view op, const std::string& path, char delimiter) {
  TableRows rows(op, path, read_text_file(op, path), delimiter);
  Table table;
  while (std::optional<TableRow> row = rows.next()) table.rows.push_back(std::move(*row));
  table.keys = rows.keys();
  table.delimiter = rows.delimiter();
  require(!table.rows.empty(), op, "{} has no rows", path);
  return table;
}

std::string table_line(std::string_view op, const std::vector<std::string>& fields, char delimiter) {
  std::string line;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::string& field = fields[i];
    if (i > 0) line += delimiter;
    const bool plain =
        field.find_first_of(std::string{delimiter, '"', '\n', '\r'}) == field.npos && (fields.size() > 1 || !field.empty());
    if (delimiter == '\t') {
      require(field.find_first_of("\t\n\r") == field.npos, op,
              "{} contains a tab or newline, which a tab-separated table cannot store", in_quotes(field));
      line += field;
    } else if (plain) {
      line += field;
    } else {
      line += '"';
      for (const char c : field) line += c == '"' ? std::string("\"\"") : std::string(1, c);
      line += '"';
    }
  }
  return line + "\n";
}

}  // namespace argand
