#include "data/corpora/labelled_table.h"

#include <boost/test/unit_test.hpp>

#include "tests/data/temporary_directory.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(labelled_table)

namespace {

using Strings = std::vector<std::string>;

struct Read {
  LabelledTable table;
  Strings classes;
};

Read read(const TemporaryDirectory& directory, const std::string& name, std::string_view text, const TableColumns& columns = {}) {
  const LabelledTable table = read_labelled_table(directory.file(name, text), columns);
  return {table, classes_in(table)};
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_table_with_a_header_is_read_by_its_names) {
  const TemporaryDirectory directory;
  const std::string rows = "7,good,\"It was, all in all, \"\"fine\"\".\nI liked it.\"\r\n8,bad,Never again\r\n";
  const Read found = read(directory, "a.csv", "\xEF\xBB\xBFid,Label,Review\r\n" + rows);
  BOOST_TEST(found.table.labels == (Strings{"good", "bad"}), boost::test_tools::per_element());
  BOOST_TEST(found.table.texts == (Strings{"It was, all in all, \"fine\".\nI liked it.", "Never again"}),
             boost::test_tools::per_element());
  BOOST_TEST((found.table.lines == std::vector<std::int64_t>{2, 4}));
  BOOST_TEST(found.classes == (Strings{"bad", "good"}), boost::test_tools::per_element());
  BOOST_TEST(found.table.columns == "text from column \"Review\", label from \"Label\"");
  const Read other = read(directory, "a.csv", "id,Label,Review\n" + rows, {.text = "Label", .label = "id"});
  BOOST_TEST(other.table.texts == (Strings{"good", "bad"}), boost::test_tools::per_element());
  BOOST_TEST(other.classes == (Strings{"7", "8"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(without_a_header_the_columns_are_found) {
  const TemporaryDirectory directory;
  const Read found = read(directory, "a.tsv", "10\tso \"so\" la la\t1\n2\tnot at all\t2\n10\tfairly well\t3\n");
  BOOST_TEST(found.table.columns == "text from column 2, label from 1");
  BOOST_TEST(found.table.texts[0] == "so \"so\" la la");
  BOOST_TEST(found.classes == (Strings{"2", "10"}), boost::test_tools::per_element());  // numbers are ordered by size
  const Read numbered =
      read(directory, "a.tsv", "10\tso so\t1\n2\tnot at all\t2\n10\tfairly well\t3\n", {.text = "2", .label = "3"});
  BOOST_TEST(numbered.classes == (Strings{"1", "2", "3"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_first_row_that_is_alone_with_its_label_is_a_header) {
  const TemporaryDirectory directory;
  const std::string rows = "ham,See you later\nspam,Win a prize now\nham,On my way\n";
  BOOST_TEST(read(directory, "a.csv", "v1,v2\n" + rows).table.size() == 3);
  BOOST_TEST(read(directory, "a.csv", rows).table.size() == 3);
  BOOST_TEST(read(directory, "a.csv", "eggs,with ham\n" + rows).table.size() == 4);
}

BOOST_AUTO_TEST_CASE(tables_as_they_are_found) {
  const TemporaryDirectory directory;
  const auto understood = [&](const std::string& name, std::string_view text, std::string_view columns, const Strings& classes,
                              std::int64_t rows, const TableColumns& wanted = {}) {
    const Read found = read(directory, name, text, wanted);
    BOOST_TEST(found.table.columns == columns, name);
    BOOST_TEST(found.classes == classes, boost::test_tools::per_element());
    BOOST_TEST(found.table.size() == rows, name);
  };
  // Kaggle's SMS Spam Collection: a header with meaningless names, and columns that are almost empty.
  understood("spam.csv",
             "v1,v2,,,\nham,\"Go until jurong point, crazy..\",,,\nham,Ok lar... Joking wif u oni...,,,\nspam,Free entry,,,\n"
             "ham,\"I said, \",\" no\",,\n",
             "text from column \"v2\", label from \"v1\"", {"ham", "spam"}, 4);
  // Amazon Fine Food Reviews: several columns with few distinct numbers, one of which is the star rating.
  understood("Reviews.csv",
             "Id,ProductId,UserId,ProfileName,HelpfulnessNumerator,HelpfulnessDenominator,Score,Time,Summary,Text\n"
             "1,B001E4KFG0,A3SGXH7AUHU8GW,delmartian,1,1,5,1303862400,Good Quality Dog Food,I have bought several\n"
             "2,B00813GRG4,A1D87F6ZCVE5NK,dll pa,0,0,1,1346976000,Not as Advertised,\"Product arrived labeled as \"\"Jumbo\"\"\"\n",
             "text from column \"Text\", label from \"Score\"", {"1", "5"}, 2);
  // Yelp's reviews as JSON lines, and as CSV without a header.
  understood("yelp.jsonl",
             "{\"review_id\": \"a\", \"user_id\": \"b\", \"stars\": 5.0, \"useful\": 0, \"text\": \"Great\\nplace\"}\n"
             "{\"review_id\": \"c\", \"user_id\": \"d\", \"stars\": 1.0, \"useful\": 0, \"text\": \"Never again\"}\n",
             "text from column \"text\", label from \"stars\"", {"1.0", "5.0"}, 2);
  understood("yelp.csv", "\"1\",\"Unfortunately, the frustration\"\n\"2\",\"Been going to Dr. Goldberg\"\n\"1\",\"I don't know\"\n",
             "text from column 2, label from 1", {"1", "2"}, 3);
  // Tweets about airlines, which contain quotation marks and line breaks; each column's name ends in its meaning.
  understood("Tweets.csv",
             "tweet_id,airline_sentiment,airline_sentiment_confidence,negativereason,airline,tweet_text,tweet_coord\n"
             "570306133677760513,neutral,1.0,,Virgin America,@VirginAmerica What @dhepburn said.,\n"
             "570301130888122368,positive,0.3486,,Virgin America,\"@VirginAmerica plus you've added \"\"experience\"\"\n...\",\n",
             "text from column \"tweet_text\", label from \"airline_sentiment\"", {"neutral", "positive"}, 2);
  // A file from Excel in a country that uses decimal commas.
  understood("excel.csv", "Text;Klasse;Wert\r\nGut, sehr gut;ja;1,5\r\nSchlecht;nein;2\r\n\"Mit; Strichpunkt\";ja;3\r\n",
             "text from column \"Text\", label from \"Klasse\"", {"ja", "nein"}, 3);
  understood("bars.csv", "a|good film\nb|bad, bad film\na|well, well\n", "text from column 2, label from 1", {"a", "b"}, 3);
  understood("tabs.csv", "target\tcontent\n1\tone, two\n0\tthree\n", "text from column \"content\", label from \"target\"",
             {"0", "1"}, 2);
  // The user can correct the detected columns.
  understood("commas.csv", "a;b,c\nd;e,f\n", "text from column 2, label from 1", {"a", "d"}, 2, {.delimiter = ';'});
  understood("header.csv", "label,text\na,one\nb,two\n", "text from column 2, label from 1", {"a", "b", "label"}, 3,
             {.header = false});
  understood("header.csv", "x y,z\na one,b\nc two,d\n", "text from column \"x y\", label from \"z\"", {"b", "d"}, 2,
             {.header = true});
  // Files in fastText's format.
  understood("train.txt", "__label__good a fine film\r\n\n__label__bad dull , dull\n__label__good\tfine\n",
             "text from column \"text\", label from \"label\"", {"bad", "good"}, 3);
  const auto error = [&](std::string_view text) {
    const std::string path = directory.file("lines.txt", text);
    return error_of([&] { read_labelled_table(path, {}); }).substr(path.size() + 8);
  };
  BOOST_TEST(error("__label__a x\nb y\n") == "line 2: does not begin with __label__NAME, as the first line does");
  BOOST_TEST(error("__label__a __label__b x\n") == "line 1: more than one label; a classifier learns one per text");
  BOOST_TEST(error("__label__ x\n") == "line 1: no label in column \"label\"");
  BOOST_TEST(error("__label__a x\n__label__b \n") == "line 2: no words in column \"text\"");
}

BOOST_AUTO_TEST_CASE(the_preview_shows_labels_and_texts) {
  const TemporaryDirectory directory;
  const Read found = read(directory, "a.csv", "label,text\na,one\nb,two\na,\"three\nlines\"\nc," + std::string(70, 'x') + "\n");
  BOOST_TEST(preview_of(found.table) == (Strings{"  rows of each class: a 2, b 1, c 1", "  line 2: a | one", "  line 3: b | two",
                                                 "  line 4: a | three lines",
                                                 "  warning: \"b\" has one row, and so does another label; is that a class?"}),
             boost::test_tools::per_element());
  std::string many = "label,text\n";
  for (int i = 0; i < 30; ++i) many += fmt::format("{},{}\n{},more\n", i, std::string(70, 'x'), i);
  const Strings lines = preview_of(read(directory, "a.csv", many).table);
  BOOST_TEST(lines.size() == 4U);
  BOOST_TEST(lines[0].ends_with(" and 10 more"), lines[0]);
  BOOST_TEST(lines[1] == "  line 2: 0 | " + std::string(60, 'x') + "…");
}

BOOST_AUTO_TEST_CASE(json_lines_are_read_by_their_keys) {
  const TemporaryDirectory directory;
  const Read found = read(directory, "a.jsonl",
                          "{\"text\": \"first \\u00e4\", \"label\": 1, \"more\": {\"a\": []}}\n\n{\"label\": 0, \"text\": "
                          "\"second\", \"more\": null}\r\n");
  BOOST_TEST(found.table.texts == (Strings{"first ä", "second"}), boost::test_tools::per_element());
  BOOST_TEST(found.classes == (Strings{"0", "1"}), boost::test_tools::per_element());
  const std::vector<Article> articles = as_articles(found.table, found.classes);
  BOOST_TEST(articles[0].label == 1);
  BOOST_TEST(articles[1].text() == " second");
}

BOOST_AUTO_TEST_CASE(faults_are_named) {
  const TemporaryDirectory directory;
  const auto error = [&](const std::string& name, std::string_view text, const TableColumns& columns = {}) {
    const std::string why = error_of([&] { read(directory, name, text, columns); });
    const std::string before = "data: " + directory / name;
    return why.starts_with(before) ? why.substr(before.size()) : why;
  };
  BOOST_TEST(error("a.csv", "label,text\na,one\nb,two\n") == "");
  BOOST_TEST(error("a.csv", "label,text\na,one\nb\n") == ", line 3: 1 field, but line 1 has 2");
  BOOST_TEST(error("a.csv", "label,text\na,one\nb,\"two\nc,three\n") == ", line 3: a quoted field is not closed");
  BOOST_TEST(error("a.csv", "label,text\na,\"one\" two\n") ==
             ", line 2: text after the closing quotation mark; quotation marks inside a field must be doubled");
  BOOST_TEST(error("a.csv", "label,text\n ,one\n") == ", line 2: no label in column \"label\"");
  BOOST_TEST(error("a.csv", "label,text\na,one\n,two\n ,three\nb,four\n,five\n") ==
             ", line 3: no label in column \"label\", nor in 2 more rows; remove or complete them");
  BOOST_TEST(error("a.csv", "label,text\na,\nb,\n") ==
             ", line 2: no words in column \"text\", nor in 1 more row; remove or complete them");
  BOOST_TEST(error("a.csv", "label,text\na, \n") == ", line 2: no words in column \"text\"");
  BOOST_TEST(error("a.csv", "label,text\n\"a\nb\",one\n") == ", line 2: control character in the label \"a\\x0ab\"");
  BOOST_TEST(error("a.csv", "label,text\n") == " has a header but no rows");
  BOOST_TEST(error("a.csv", "\n\n") == " has no rows");
  BOOST_TEST(error("a.csv", "one\ntwo\n") == " has only one column, but needs a label and a text. The delimiter is a comma");
  BOOST_TEST(
      error("a.csv", "label,text\na,one\na,two\n") ==
      ": all rows have the label \"a\"; classification needs at least two (text from column \"text\", label from \"label\")");
  BOOST_TEST(error("a.csv", "label,text\na,one\n", {.text = "body"}) ==
             " has no column \"body\" (`text_column`); columns: \"label\", \"text\"");
  BOOST_TEST(error("a.tsv", "a\tone\nb\ttwo\n", {.label = "3"}) ==
             " has no column \"3\" (`label_column`); columns: 2 without names");
  BOOST_TEST(error("a.csv", "label,text\na,one\n", {.text = "text", .label = "text"}) ==
             ": text and label cannot both be column \"text\"; choose two columns");
  BOOST_TEST(error("a.jsonl", "{\"label\": 1, \"text\": \"a\"}\n{\"label\": 2}\n") ==
             ", line 2: the key \"text\" from line 1 is missing");
  BOOST_TEST(error("a.jsonl", "[1, 2]\n") == ", line 1: not a JSON object");
  BOOST_TEST(error("a.jsonl", "{\"label\": 1, \"text\": \"a\n") == ", line 1: not a JSON object");
  BOOST_TEST(error("a.csv", std::string_view("label,text\na,o\0e\n", 17)) == ", line 2: null byte; is this a text file?");
  BOOST_TEST(error("a.csv", "\xff\xfel\0") == " is UTF-16; convert it with `iconv -f UTF-16 -t UTF-8`");
  BOOST_TEST(error("a.csv", "label,text\na,\xff\n") ==
             ", line 2: not UTF-8; if it comes from Windows, convert it with `iconv -f WINDOWS-1252 -t UTF-8`");
  std::string many = "label,text\n";
  for (int i = 0; i < 1001; ++i) many += std::to_string(i) + ",word\n";
  BOOST_TEST(error("a.csv", many) ==
             ": 1001 different labels in 1001 rows, text from column \"text\", label from \"label\"; if the labels are in "
             "another column, set `label_column`");
  const Read found = read(directory, "a.csv", "label,text\na,one\nb,two\n");
  const LabelledTable later = read_labelled_table(directory.file("b.csv", "label,text\nc,three\n"), {});
  BOOST_TEST(error_of([&] { as_articles(later, found.classes); }) ==
             "data: " + directory / "b.csv" + ", line 2: the label \"c\" was not seen in training");
}

BOOST_AUTO_TEST_SUITE_END()
