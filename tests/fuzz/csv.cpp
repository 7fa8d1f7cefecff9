/// Fuzzes CSV files: fields that are read, quoted and read again are unchanged, and articles have valid labels.

#include "data/files/csv.h"
#include "data/corpora/ag_news.h"
#include "tests/fuzz/fuzz.h"

using namespace argand;

namespace {

std::string quoted(const std::string& field) {
  std::string text = "\"";
  for (const char c : field) text += c == '"' ? "\"\"" : std::string(1, c);
  return text + '"';
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static MemoryFile file;
  file.contents(text_of(data, size));
  accepts([] {
    for (const Article& article : read_articles(file.path(), 4))
      expect(article.label >= 0 && article.label < 4, "the label is in range");
  });
  accepts([] {
    const std::vector<CsvRecord> records = read_csv("csv", file.path());
    std::string text;
    for (const CsvRecord& record : records) {
      expect(!record.fields.empty(), "a record has fields");
      for (const std::string& field : record.fields) text += (&field == &record.fields.front() ? "" : ",") + quoted(field);
      text += '\n';
    }
    file.contents(text);
    const std::vector<CsvRecord> again = read_csv("csv", file.path());
    expect(again.size() == records.size(), "rereading gives as many records");
    for (std::size_t i = 0; i < again.size(); ++i) expect(again[i].fields == records[i].fields, "rereading gives the same fields");
  });
  return 0;
}
