/// Fuzzes labelled tables in all three formats: tables are rectangular, and every row of an accepted table has a valid label.

#include "data/files/table.h"
#include "data/corpora/labelled_table.h"
#include "tests/fuzz/fuzz.h"

#include <unistd.h>

#include <filesystem>

using namespace argand;

namespace {

/// A folder with one link to the file for each filename extension.
struct Links {
  explicit Links(const std::string& path) {
    expect(mkdtemp(folder.data()) != nullptr, "mkdtemp makes a folder");
    for (const char* ending : {"csv", "tsv", "jsonl"}) std::filesystem::create_symlink(path, folder + "/a." + ending);
  }
  ~Links() { std::filesystem::remove_all(folder); }
  std::string folder = (std::filesystem::temp_directory_path() / "argand-fuzz-XXXXXX").string();
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static MemoryFile file;
  static const Links links(file.path());
  file.contents(text_of(data, size));
  for (const char* ending : {"csv", "tsv", "jsonl"}) {
    const std::string path = links.folder + "/a." + ending;
    accepts([&] {
      const Table table = read_table("table", path);
      expect(!table.rows.empty(), "the table has rows");
      for (const TableRow& row : table.rows)
        expect(row.fields.size() == table.columns() && row.line >= 1, "the table is rectangular");
    });
    for (const TableColumns& columns : {TableColumns{}, TableColumns{.text = "1", .label = "2"}})
      accepts([&] {
        const LabelledTable table = read_labelled_table(path, columns);
        const std::vector<std::string> classes = classes_in(table);
        const std::vector<Article> articles = as_articles(table, classes);
        expect(static_cast<std::int64_t>(articles.size()) == table.size(), "there is one article per row");
        for (const Article& article : articles)
          expect(article.label >= 0 && article.label < static_cast<std::int64_t>(classes.size()), "the label is in range");
      });
  }
  return 0;
}
