#include "data/corpora/ag_news.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <iostream>

#include "data/files/csv.h"
#include "data/labelled_texts.h"
#include "tests/data/temporary_directory.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(ag_news)

namespace {

using Fields = std::vector<std::string>;

/// The error of read_articles() for a file with this text, without "ag_news: PATH".
std::string refusal(const TemporaryDirectory& directory, std::string_view text, std::int64_t n_classes = 4) {
  const std::string path = directory.file("a.csv", text), start = "ag_news: " + path;
  const std::string error = error_of([&] { read_articles(path, n_classes); });
  BOOST_TEST(error.starts_with(start));
  return error.substr(std::min(start.size(), error.size()));
}

const std::string good = "\"1\",\"a title\",\"a text\"\n";

}  // namespace

BOOST_AUTO_TEST_CASE(csv_fields) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("a.csv", "\"1\",\"a, b\",\"say \"\"no\"\"\"\r\n2,bare,\n\"\",\"\"\"\",\"x\"");
  const std::vector<CsvRecord> records = read_csv("csv", path);
  BOOST_TEST_REQUIRE(records.size() == 3U);
  BOOST_TEST(records[0].fields == (Fields{"1", "a, b", "say \"no\""}), boost::test_tools::per_element());
  BOOST_TEST(records[1].fields == (Fields{"2", "bare", ""}), boost::test_tools::per_element());
  BOOST_TEST(records[2].fields == (Fields{"", "\"", "x"}), boost::test_tools::per_element());
  BOOST_TEST(records[2].line == 3);
}

BOOST_AUTO_TEST_CASE(articles_as_they_are_distributed) {
  const TemporaryDirectory directory;
  const std::string path = directory.file(
      "a.csv",
      "\"3\",\"Oil\",\"He said \"\"no\"\" at #36;10.\"\n\"1\",\"\",\"second\\team of\\\\\"\n\"4\",\"Only a title\",\"\"\n");
  const std::vector<Article> articles = read_articles(path, 4);
  BOOST_TEST_REQUIRE(articles.size() == 3U);
  BOOST_TEST(articles[0].label == 2);
  BOOST_TEST(articles[0].text() == "Oil He said \"no\" at #36;10.");
  BOOST_TEST(articles[1].label == 0);
  BOOST_TEST(articles[1].description == "second\nteam of\n\n");
  BOOST_TEST(articles[2].text() == "Only a title ");
}

BOOST_AUTO_TEST_CASE(malformed_lines_are_named) {
  const TemporaryDirectory directory;
  const auto says = [&](const std::string& line) { return refusal(directory, good + good + line + "\n" + good); };
  BOOST_TEST(says("\"1\",\"open,\"\"text\"\"") == ", line 3, column 2: the quoted field is not closed on this line");
  BOOST_TEST(says("\"1\",\"title\",\"text") == ", line 3, column 3: the quoted field is not closed on this line");
  BOOST_TEST(says("\"1\",\"ti\"tle\",\"text\"") ==
             ", line 3, column 2: text after the closing quotation mark; quotation marks inside a field must be doubled");
  BOOST_TEST(says("1,ti\"tle,text") == ", line 3, column 2: quotation mark in an unquoted field");
  BOOST_TEST(says("\"1\",\"title\"") == ", line 3: got 2 columns, expected \"class\",\"title\",\"description\"");
  BOOST_TEST(says("\"1\"") == ", line 3: got 1 column, expected \"class\",\"title\",\"description\"");
  BOOST_TEST(says("\"1\",\"a\",\"b\",\"c\"") == ", line 3: got 4 columns, expected \"class\",\"title\",\"description\"");
  BOOST_TEST(says("") == ", line 3: the line is empty");
  BOOST_TEST(says("\"9\",\"a\",\"b\"") == ", line 3: class \"9\" is not between 1 and 4");
  for (const char* no_class : {"0", "5", "-1", "1 ", "", "01x", "99999999999999999999999999", "Class Index"})
    BOOST_TEST(says(std::string("\"") + no_class + "\",\"a\",\"b\"") ==
               std::string(", line 3: class \"") + no_class + "\" is not between 1 and 4");
  BOOST_TEST(says("\"1\",\" \",\"\\\"") == ", line 3: title and description have no words");
  BOOST_TEST(says("\"1\",\"a\",\"b\xff\"") ==
             ", line 3: not UTF-8; if it comes from Windows, convert it with `iconv -f WINDOWS-1252 -t UTF-8`");
  BOOST_TEST(says(std::string("\"1\",\"a\",\"b\0\"", 12)) == ", line 3: null byte; is this a text file?");
}

BOOST_AUTO_TEST_CASE(malformed_files_are_named) {
  const TemporaryDirectory directory;
  BOOST_TEST(refusal(directory, "") == " is empty");
  BOOST_TEST(refusal(directory, "\xEF\xBB\xBF" + good) ==
             ", line 1: begins with a byte order mark; save the file as UTF-8 without one");
  BOOST_TEST(refusal(directory, good + "\"1\",\"a\",\"cut of") ==
             ", line 2, column 3: the quoted field is not closed on this line");
  BOOST_TEST(refusal(directory, "\"3\",\"a\",\"b\"\n", 2) == ", line 1: class \"3\" is not between 1 and 2");
  BOOST_TEST(refusal(directory, good + "2,cut,o") == ", line 2: no newline after an unquoted field; the file may be truncated");
  BOOST_TEST(refusal(directory, good + "\"2\",\"cut\",") ==
             ", line 2: no newline after an unquoted field; the file may be truncated");
  BOOST_TEST(error_of([&] { read_articles(directory / "none", 4); }) ==
             "ag_news: cannot open " + directory / "none" + ": No such file or directory");
}

const std::string four_lines =
    "\"1\",\"a\",\"say \"\"no\"\"\"\n\"2\",\"\",\"\"\"b\"\" c, d\"\n\"3\",\"e\",\"\"\n\"4\",\"f\",\"g\"\n";

BOOST_AUTO_TEST_CASE(a_quotation_mark_that_is_missing_is_found_on_its_line) {
  const TemporaryDirectory directory;
  std::size_t tried = 0;
  for (std::size_t at = four_lines.find('"'); at != four_lines.npos; at = four_lines.find('"', at + 1), ++tried) {
    std::string text = four_lines;
    text.erase(at, 1);
    const auto line = 1 + std::count(four_lines.begin(), four_lines.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    BOOST_TEST(refusal(directory, text).starts_with(fmt::format(", line {}, column ", line)), text);
  }
  BOOST_TEST(tried == 32U);
}

BOOST_AUTO_TEST_CASE(a_truncated_file_is_an_error) {
  const TemporaryDirectory directory;
  const std::vector<Article> whole = read_articles(directory.file("whole.csv", four_lines), 4);
  for (std::size_t length = 1; length < four_lines.size(); ++length) {
    // A cut goes unnoticed only between the two halves of a doubled quotation mark.
    if (four_lines[length - 1] == '"' && four_lines[length] == '"') continue;
    const std::string path = directory.file("cut.csv", four_lines.substr(0, length));
    std::vector<Article> articles;
    const std::string error = error_of([&] { articles = read_articles(path, 4); });
    if (!error.empty()) BOOST_TEST(error.starts_with("ag_news: " + path + ", line "), error);
    for (std::size_t i = 0; i < articles.size(); ++i) BOOST_TEST(articles[i].text() == whole[i].text());
    if (error.empty()) BOOST_TEST((four_lines[length - 1] == '\n' || four_lines[length] == '\n'));
  }
}

BOOST_AUTO_TEST_CASE(the_files_of_a_folder) {
  const TemporaryDirectory directory;
  const auto error = [&] { return error_of([&] { load_ag_news(directory.path()); }); };
  BOOST_TEST(error_of([&] { load_ag_news(directory / "none"); }) ==
             "ag_news: " + directory / "none" +
                 " is not a folder; expected one with train.csv (or train_sample.csv), test.csv and classes.txt");
  BOOST_TEST(error() == "ag_news: no train.csv or train_sample.csv in " + directory.path());
  directory.file("train_sample.csv", good + good);
  BOOST_TEST(error() == "ag_news: cannot open " + directory / "classes.txt" + ": No such file or directory");
  directory.file("classes.txt", "World\n\nSports\n");
  BOOST_TEST(error() == "ag_news: " + directory / "classes.txt" + ", line 2: the name is empty");
  directory.file("classes.txt", "World\nSports\nWorld\n");
  BOOST_TEST(error() == "ag_news: " + directory / "classes.txt" + ", line 3: \"World\" is also on line 1");
  directory.file("classes.txt", "World\nSp\torts\n");
  BOOST_TEST(error() == "ag_news: " + directory / "classes.txt" + ", line 2: the name contains a tab");
  directory.file("classes.txt", "World\n");
  BOOST_TEST(error() == "ag_news: " + directory / "classes.txt" + ": only one class; classification needs at least two");
  directory.file("classes.txt", "World\r\nSci/Tech");
  BOOST_TEST(error() == "ag_news: cannot open " + directory / "test.csv" + ": No such file or directory");
  directory.file("test.csv", good);
  const ArticleSets sample = load_ag_news(directory.path());
  BOOST_TEST(sample.classes == (Fields{"World", "Sci/Tech"}), boost::test_tools::per_element());
  BOOST_TEST(sample.train.size() == 2U);
  BOOST_TEST(sample.test.size() == 1U);
  directory.file("train.csv", good + good + good);
  BOOST_TEST(load_ag_news(directory.path()).train.size() == 3U);  // the whole set is stored before the sample is taken
}

BOOST_AUTO_TEST_CASE(the_real_ag_news) {
  const char* data = std::getenv("ARGAND_DATA");
  if (data == nullptr || !std::filesystem::exists(std::string(data) + "/ag_news/train_sample.csv")) {
    std::cout << "skipped: AG News (set ARGAND_DATA to a directory that holds ag_news/)\n";
    return;
  }
  const ArticleSets sets = load_ag_news(std::string(data) + "/ag_news");
  BOOST_TEST(sets.classes == (Fields{"World", "Sports", "Business", "Sci/Tech"}), boost::test_tools::per_element());
  BOOST_TEST(sets.test.size() == 7600U);
  // The counts were made with Python's csv.reader over the first 4 000 and 1 000 articles.
  std::vector<int> train(4), test(4);
  for (std::size_t i = 0; i < 4000; ++i) ++train[static_cast<std::size_t>(sets.train.at(i).label)];
  for (std::size_t i = 0; i < 1000; ++i) ++test[static_cast<std::size_t>(sets.test.at(i).label)];
  BOOST_TEST(train == (std::vector<int>{965, 1042, 1001, 992}), boost::test_tools::per_element());
  BOOST_TEST(test == (std::vector<int>{268, 274, 205, 253}), boost::test_tools::per_element());
  const LabelledCorpus corpus = make_labelled_corpus(sets, 5000, 4000, 1000);
  BOOST_TEST(corpus.tokens->size() == 5002);
  BOOST_TEST(corpus.tokens->words().word(2) == "the");
  BOOST_TEST(corpus.train.size() == 4000);
  BOOST_TEST(corpus.test.size() == 1000);
}

BOOST_AUTO_TEST_SUITE_END()
