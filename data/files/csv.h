#pragma once
/// Comma-separated values, strictly: what is not well formed is refused, naming file and line, never repaired.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace argand {

/// One line of the file.
struct CsvRecord {
  std::int64_t line = 0;  ///< counted from 1
  std::vector<std::string> fields;
};

/// The whole file, one record a line. A field is either in quotation marks, with those inside it doubled, or without any; commas
/// stand in quoted fields only. A field does not go on over the end of a line, so that a quotation mark that is missing is found
/// on its own line. Lines end in \n or \r\n; the last one may lack it after a closing quotation mark, but for which nobody could
/// tell whether something is missing.
///
/// Throws Error, starting with `op` and naming file and line: for what read_text_file() refuses (no file, an empty one, zero bytes,
/// bytes that are not UTF-8), for a byte order mark, for an empty line, and for quotation marks that do not match.
std::vector<CsvRecord> read_csv(std::string_view op, const std::string& path);

}  // namespace argand
