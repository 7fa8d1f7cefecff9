#pragma once
/// Tables as people have them: comma-separated values as spreadsheets and pandas write them, tab-separated values, JSON lines.
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

  std::size_t columns() const { return rows.empty() ? 0 : rows.front().fields.size(); }
};

/// Whether the name ends as that of a table: .csv, .tsv, .tab, .jsonl, .ndjson.
bool is_table_name(std::string_view path);

/// The whole file, which is what its name says: JSON lines, one object each (.jsonl, .ndjson), tab-separated (.tsv, .tab) or, with
/// any other name, comma-separated values.
///
/// Comma-separated: a field that begins with a quotation mark goes on to the one that closes it, over line ends too, those inside
/// it doubled; other fields end at a comma or at the end of the line. Tab-separated: fields have no tabs and no line ends, and
/// quotation marks are characters as any other. JSON: objects of the same keys, in any order; numbers and truth values are taken as
/// they are written, null as nothing. Blank lines, byte order marks and "\r" before "\n" are passed over.
///
/// Throws Error, starting with `op` and naming file and line: for what read_text_file() refuses, for a quotation mark that is not
/// closed, for text after one that is, for rows of different numbers of fields, and for what is no JSON object.
Table read_table(std::string_view op, const std::string& path);

}  // namespace argand
