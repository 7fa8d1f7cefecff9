#pragma once
/// Tables as people have them: comma-separated values as spreadsheets and pandas write them, tab-separated values, JSON lines, and
/// fastText's lines.
/// (data/files/csv.h is stricter: it knows the one file that it is for.)

#include <cstdint>
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

/// The whole file, which is what its name says: JSON lines, one object each (.jsonl, .ndjson), tab-separated (.tsv, .tab), lines of
/// fastText (has_fasttext_labels) or, with any other name, comma-separated values. `delimiter` is what stands between fields; where
/// it is 0, that of the comma, semicolon, tab and bar which the first rows agree on.
///
/// Comma-separated: a field that begins with a quotation mark goes on to the one that closes it, over line ends too, those inside
/// it doubled; other fields end at the delimiter or at the end of the line. Tab-separated: fields have no tabs and no line ends,
/// and quotation marks are characters as any other. JSON: objects of the same keys, in any order; numbers and truth values are
/// taken as they are written, null as nothing. fastText: `__label__NAME` and a text, which become fields with the keys label and
/// text. Blank lines, byte order marks and "\r" before "\n" are passed over.
///
/// Throws Error, starting with `op` and naming file and line: for what read_text_file() refuses, for a quotation mark that is not
/// closed, for text after one that is, for rows of different numbers of fields, for what is no JSON object, and for
/// a line of fastText without a label, or with several.
Table read_table(std::string_view op, const std::string& path, char delimiter = 0);

}  // namespace argand
