#pragma once
/// Strict comma-separated values: malformed input is rejected, naming the file and line, and never repaired.

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

/// Reads the whole file, one record per line. A field is either quoted, with any quotation marks inside it doubled, or contains
/// none; only quoted fields may contain commas. A field cannot span lines, so a missing quotation mark is reported on the right
/// line. Lines end in \n or \r\n; the last line may lack its ending only after a closing quotation mark, or truncation would go
/// unnoticed.
///
/// Throws Error("op: ..."), naming the file and line, for what read_text_file() rejects (no file, an empty one, zero bytes, invalid
/// UTF-8), for a byte order mark, for an empty line, and for mismatched quotation marks.
std::vector<CsvRecord> read_csv(std::string_view op, const std::string& path);

}  // namespace argand
