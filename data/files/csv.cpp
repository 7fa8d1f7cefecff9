#include "data/files/csv.h"

#include "core/error.h"
#include "data/files/text_file.h"

namespace argand {
namespace {

/// Reads fields from the front of a line.
class Line {
 public:
  Line(std::string_view op, const std::string& path, std::int64_t number, std::string_view text)
      : op_(op), path_(path), number_(number), rest_(text) {}

  std::vector<std::string> fields() {
    std::vector<std::string> fields;
    do {
      column_ = fields.size() + 1;
      fields.push_back(rest_.starts_with('"') ? quoted() : bare());
    } while (take(','));
    return fields;
  }

 private:
  template <class... Args>
  [[noreturn]] void refuse(fmt::format_string<Args...> why, Args&&... args) const {
    fail(op_, "{}, line {}, column {}: {}", path_, number_, column_, fmt::format(why, std::forward<Args>(args)...));
  }

  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  std::string quoted() {
    std::string field;
    take('"');
    for (;;) {
      const std::size_t quote = rest_.find('"');
      if (quote == rest_.npos) refuse("the quoted field is not closed on this line");
      field += rest_.substr(0, quote);
      rest_.remove_prefix(quote + 1);
      if (!take('"')) break;
      field += '"';
    }
    if (!rest_.empty() && rest_.front() != ',')
      refuse("text after the closing quotation mark; quotation marks inside a field must be doubled");
    return field;
  }

  std::string bare() {
    const std::string_view field = rest_.substr(0, rest_.find(','));
    if (field.find('"') != field.npos) refuse("quotation mark in an unquoted field");
    rest_.remove_prefix(field.size());
    return std::string(field);
  }

  std::string_view op_;
  const std::string& path_;
  std::int64_t number_;
  std::size_t column_ = 1;
  std::string_view rest_;
};

}  // namespace

std::vector<CsvRecord> read_csv(std::string_view op, const std::string& path) {
  const std::string text = read_text_file(op, path);
  require(!text.starts_with("\xEF\xBB\xBF"), op, "{}, line 1: begins with a byte order mark; save the file as UTF-8 without one",
          path);
  std::vector<CsvRecord> records;
  std::int64_t number = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const bool ends = rest.find('\n') != rest.npos;
    std::string_view line = take_line(rest);
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    require(!line.empty(), op, "{}, line {}: the line is empty", path, number);
    records.push_back({number, Line(op, path, number, line).fields()});
    require(ends || line.ends_with('"'), op, "{}, line {}: no newline after an unquoted field; the file may be truncated", path,
            number);
  }
  return records;
}

}  // namespace argand
