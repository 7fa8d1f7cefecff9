#pragma once
/// Tables in common formats: comma-separated values as spreadsheets and pandas write them, tab-separated values, JSON lines, and
/// fastText's line format. (data/files/csv.h is stricter: it reads one specific format.)

#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace argand {

struct TableRow {
  std::int64_t line = 0;  ///< the row's first line, counted from 1
  std::vector<std::string> fields;
};

struct Table {
  std::vector<std::string> keys;  ///< JSON lines: the objects' keys; otherwise empty, since a header counts as a row
  std::vector<TableRow> rows;     ///< all with the same number of fields
  char delimiter = 0;             ///< between fields; 0 if the format has none

  std::size_t columns() const { return rows.empty() ? 0 : rows.front().fields.size(); }
};

/// Whether the file's first line starts with `__label__`, as in fastText's files.
bool has_fasttext_labels(const std::string& path);
/// Whether the file has fastText labels or a table's extension: .csv, .tsv, .tab, .jsonl, .ndjson.
bool is_table(const std::string& path);

/// Reads a table row by row, keeping little more than one row in memory. The file name decides the format: JSON lines, one object
/// each (.jsonl, .ndjson), tab-separated (.tsv, .tab), fastText's lines (has_fasttext_labels) or, for any other name,
/// comma-separated values. `delimiter` separates fields; if 0, it is the comma, semicolon, tab or bar on which the first rows
/// agree.
///
/// Comma-separated: a field that starts with a quotation mark extends to the closing one, even across line breaks, with any
/// quotation marks inside it doubled; other fields end at the delimiter or the end of the line. Tab-separated: fields have no tabs
/// or line breaks, and quotation marks are ordinary characters. JSON: all objects have the same keys, in any order; numbers and
/// booleans are kept as text, and null becomes an empty field. fastText: `__label__NAME` and a text become fields with the keys
/// label and text. Blank lines, byte order marks and "\r" before "\n" are skipped.
///
/// All functions throw Error("op: ..."), naming the file and line, for an unreadable file, zero bytes, invalid UTF-8, an unclosed
/// quoted field, text after a closing quotation mark, rows with different numbers of fields, anything but a JSON object, and a
/// fastText line without a label or with several.
class TableRows {
 public:
  TableRows(std::string_view op, const std::string& path, char delimiter = 0);
  /// Reads a text that is already in memory and validated (require_text); `path` decides the format and is named in errors.
  TableRows(std::string_view op, const std::string& path, std::string text, char delimiter);

  /// The next row; empty at the end.
  std::optional<TableRow> next();
  /// The row that next() returned last, verbatim, without its line break.
  const std::string& source() const { return source_; }
  /// As in Table; available once the first row has been read.
  const std::vector<std::string>& keys() const { return keys_; }
  char delimiter() const { return delimiter_; }
  bool is_json() const { return form_ == Form::Objects; }

 private:
  enum class Form { Values, Objects, LabelledLines };
  void begin(char delimiter);
  bool read_more();
  std::string_view rest() const { return std::string_view(text_).substr(at_); }

  std::string op_, path_;
  std::ifstream file_;  ///< good() until its end has been read
  std::string text_, source_;
  std::size_t at_ = 0, columns_ = 0;
  std::int64_t line_ = 1, first_line_ = 0;
  Form form_ = Form::Values;
  bool quoted_ = true;
  char delimiter_ = 0;
  std::vector<std::string> keys_;
};

/// Reads all rows of a file (see TableRows). Throws Error for anything that read_text_file() rejects, and for a table without rows.
Table read_table(std::string_view op, const std::string& path, char delimiter = 0);

/// Formats a row for TableRows to read, including its line break. Fields are quoted if necessary, but never in tab-separated rows.
/// Throws Error("op: ...") for a tab or a line break in a field that cannot contain one.
std::string table_line(std::string_view op, const std::vector<std::string>& fields, char delimiter);

}  // namespace argand
