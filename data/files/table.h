#pragma once
/// Tables as people have them: comma-separated values as spreadsheets and pandas write them, tab-separated values, JSON lines, and
/// fastText's lines.
/// (data/files/csv.h is stricter: it knows the one file that it is for.)

#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace argand {

struct TableRow {
  std::int64_t line = 0;  ///< where it begins, counted from 1
  std::vector<std::string> fields;
};

struct Table {
  std::vector<std::string> keys;  ///< of JSON lines: what its objects call their values; otherwise empty, a header being a row
  std::vector<TableRow> rows;     ///< all of the same number of fields
  char delimiter = 0;             ///< between fields; 0 where there is none

  std::size_t columns() const { return rows.empty() ? 0 : rows.front().fields.size(); }
};

/// Whether the file's first line begins as fastText's do, with `__label__`.
bool has_fasttext_labels(const std::string& path);
/// Whether that is so, or the name ends as that of a table: .csv, .tsv, .tab, .jsonl, .ndjson.
bool is_table(const std::string& path);

/// Takes the rows off a table one by one, of which it holds little more than one. The table is what its file's name says: JSON
/// lines, one object each (.jsonl, .ndjson), tab-separated (.tsv, .tab), lines of fastText (has_fasttext_labels) or, with any other
/// name, comma-separated values. `delimiter` is delimiter of the fields; where it is 0, that of the comma, semicolon, tab and
/// bar which the first rows agree on.
///
/// Comma-separated: a field that begins with a quotation mark goes on to the one that closes it, over line ends too, those inside
/// it doubled; other fields end at the delimiter or at the end of the line. Tab-separated: fields have no tabs and no line ends,
/// and quotation marks are characters as any other. JSON: objects of the same keys, in any order; numbers and truth values are
/// taken as they are written, null as nothing. fastText: `__label__NAME` and a text, which become fields with the keys label and
/// text. Blank lines, byte order marks and "\r" before "\n" are passed over.
///
/// All throw Error, starting with `op` and naming file and line: for a file that cannot be read, zero bytes, what is not UTF-8, a
/// quotation mark that is not closed, text after one that is, rows of different numbers of fields, what is not a JSON object, and a
/// line of fastText without a label, or with several.
class TableRows {
 public:
  TableRows(std::string_view op, const std::string& path, char delimiter = 0);
  /// Of a text that was read and checked already (require_text); `path` says what it is, and names it in errors.
  TableRows(std::string_view op, const std::string& path, std::string text, char delimiter);

  /// The next row; nothing at the end.
  std::optional<TableRow> next();
  /// The row that next() returned last, verbatim, without its line end.
  const std::string& source() const { return source_; }
  /// As a Table's, known from the first row on.
  const std::vector<std::string>& keys() const { return keys_; }
  char delimiter() const { return delimiter_; }
  bool is_json() const { return form_ == Form::Objects; }

 private:
  enum class Form { Values, Objects, LabelledLines };
  void begin(char delimiter);
  bool read_more();
  std::string_view rest() const { return std::string_view(text_).substr(at_); }

  std::string op_, path_;
  std::ifstream file_;  ///< whose end has not been read while it is good
  std::string text_, source_;
  std::size_t at_ = 0, columns_ = 0;
  std::int64_t line_ = 1, first_line_ = 0;
  Form form_ = Form::Values;
  bool quoted_ = true;
  char delimiter_ = 0;
  std::vector<std::string> keys_;
};

/// All rows of a file (TableRows). Throws Error for what read_text_file() refuses, and for a table without rows.
Table read_table(std::string_view op, const std::string& path, char delimiter = 0);

/// A row as TableRows reads it, with its line end: fields in quotation marks where they need them; with tabs between them none
/// does. Throws Error, starting with `op`, for a tab or a line end in a field that cannot have one.
std::string table_line(std::string_view op, const std::vector<std::string>& fields, char delimiter);

}  // namespace argand
