#include "data/files/table.h"

#include <fmt/format.h>

#include <boost/test/unit_test.hpp>

#include "tests/data/temporary_directory.h"
#include "tests/error_text.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(table_rows)

namespace {

std::vector<TableRow> rows_of(TableRows rows) {
  std::vector<TableRow> all;
  while (std::optional<TableRow> row = rows.next()) all.push_back(std::move(*row));
  return all;
}

}  // namespace

// Lengths around powers of two make blocks end inside fields, inside quoted text and inside "\r\n".
BOOST_AUTO_TEST_CASE(a_file_read_in_blocks_has_the_rows_of_one_read_whole) {
  const TemporaryDirectory directory;
  for (const char* name : {"a.csv", "a.tsv", "a.jsonl"})
    for (const std::size_t length : {0U, 1U, 37U, 65529U, 65531U, 65532U, 65533U, 65536U, 200000U}) {
      std::string text;
      for (int i = 0; text.size() < 1'500'000; ++i) {
        const std::string word(i % 3 == 0 ? length : static_cast<std::size_t>(i % 50), 'x');
        if (std::string(name) == "a.csv")
          text += fmt::format("{},\"a\"\"{}\r\n,b\"\r\n", i, word);
        else if (std::string(name) == "a.tsv")
          text += fmt::format("{}\t\"{}\r\n", i, word);
        else
          text += fmt::format("{{\"i\": {}, \"text\": \"é{}\"}}\r\n", i, word);
      }
      const std::string path = directory.file(name, text);
      const std::vector<TableRow> streamed = rows_of(TableRows("test", path)), whole = rows_of(TableRows("test", path, text, 0));
      BOOST_TEST_REQUIRE(streamed.size() == whole.size(), name << " " << length);
      for (std::size_t i = 0; i < whole.size(); ++i)
        BOOST_TEST_REQUIRE((streamed[i].line == whole[i].line && streamed[i].fields == whole[i].fields), name << " " << length);
    }
}

BOOST_AUTO_TEST_CASE(a_mistake_far_into_a_file_has_its_line) {
  const TemporaryDirectory directory;
  std::string text;
  for (int i = 1; i <= 200'000; ++i) text += fmt::format("{},some text\n", i);
  const auto error = [&](const std::string& last) {
    const std::string path = directory.file("a.csv", text + last);
    return error_of([&] { rows_of(TableRows("test", path)); }).substr(6 + path.size());
  };
  BOOST_TEST(error("1,\"open\n") == ", line 200001: a quoted field is not closed");
  BOOST_TEST(error("1,\"a\"b\n1,c\n1,d\n") ==
             ", line 200001: text after the closing quotation mark; quotation marks inside a field must be doubled");
  BOOST_TEST(error("1\n") == ", line 200001: 1 field, but line 1 has 2");
  BOOST_TEST(error("1,\xFF\n") ==
             ", line 200001: not UTF-8; if it comes from Windows, convert it with `iconv -f WINDOWS-1252 -t UTF-8`");
  BOOST_TEST(error(std::string("1,a\0\n", 5)) == ", line 200001: null byte; is this a text file?");
}

BOOST_AUTO_TEST_CASE(a_line_reads_as_it_was_written) {
  const TemporaryDirectory directory;
  const std::vector<std::string> fields = {"", "a,b", "say \"x\"", "two\nlines\r\n", " blank ", "é;|"};
  for (const char delimiter : {',', ';', '|'}) {
    const std::string line = table_line("test", fields, delimiter);
    BOOST_TEST(rows_of(TableRows("test", directory.file("a.csv", line), delimiter)).at(0).fields == fields,
               boost::test_tools::per_element());
  }
  BOOST_TEST(table_line("test", {""}, ',') == "\"\"\n");  // readers would skip a blank line
  BOOST_TEST(table_line("test", {"a\"", "b"}, '\t') == "a\"\tb\n");
  BOOST_TEST(error_of([] { table_line("test", {"a\tb"}, '\t'); }).starts_with("test: \"a"));
}

BOOST_AUTO_TEST_SUITE_END()
