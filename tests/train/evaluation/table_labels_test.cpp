#include "train/evaluation/table_labels.h"

#include <boost/test/unit_test.hpp>

#include "tests/data/temporary_directory.h"
#include "tests/error_text.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(table_labels)

namespace {

/// A classifier that guesses "long" for texts with a space.
std::vector<Guess> by_length(const std::string& text) {
  if (text.empty()) return {};
  const bool is_long = text.find(' ') != text.npos;
  return {{is_long ? "long" : "short, or so", 0.75}, {is_long ? "short, or so" : "long", 0.25}};
}

std::string labelled(const std::string& name, std::string_view text, const LabelledForm& form = {}, const TableColumns& wanted = {},
                     const std::string& usual = "") {
  const TemporaryDirectory directory;
  std::string out;
  label_rows(directory.file(name, text), wanted, usual, form, by_length, [&](const std::string& line) { out += line; });
  return out;
}

}  // namespace

BOOST_AUTO_TEST_CASE(rows_stay_as_they_are_with_columns_behind_them) {
  BOOST_TEST(labelled("a.csv", "id;review\r\n1;\"a; b\"\r\n2;x\r\n3;\r\n", {.top = 2}) ==
             "id;review;predicted;probability;predicted_2;probability_2\n"
             "1;\"a; b\";long;0.750000;short, or so;0.250000\n"
             "2;x;short, or so;0.750000;long;0.250000\n"
             "3;;;;;\n");
  BOOST_TEST(labelled("a.csv", "1,one text\n2,another one\n") ==
             "1,one text,long,0.750000\n2,another one,long,0.750000\n");  // the table has no header, so none is written
  BOOST_TEST(labelled("a.tsv", "note\tn\nx\t1\ny z\t2\n", {}, {.text = "note"}) ==
             "note\tn\tpredicted\tprobability\nx\t1\tshort, or so\t0.750000\ny z\t2\tlong\t0.750000\n");
  BOOST_TEST(labelled("a.csv", "a,b\nx y,z\n", {}, {.header = true}, "b") ==
             // The text column is the one that the run was trained on.
             "a,b,predicted,probability\nx y,z,\"short, or so\",0.750000\n");
}

BOOST_AUTO_TEST_CASE(json_lines_keep_every_character) {
  const std::string row = "{ \"n\": 1.50, \"text\": \"x\", \"big\": 123456789012345678901 }";
  const std::string added = "\"predicted\":\"short, or so\",\"probability\":0.75,\"probabilities\":{\"short, or so\":0.75}}\n";
  BOOST_TEST(labelled("a.jsonl", row + "\n") == row.substr(0, row.size() - 1) + "," + added);
  BOOST_TEST(labelled("a.csv", "id,text\n1,x\n2,y\n", {.json = true}) ==
             "{\"id\":\"1\",\"text\":\"x\"," + added + "{\"id\":\"2\",\"text\":\"y\"," + added);
  BOOST_TEST(labelled("a.jsonl", "{\"text\":null,\"n\":1}\n") ==
             "{\"text\":null,\"n\":1,\"predicted\":null,\"probability\":null,\"probabilities\":{}}\n");
  BOOST_TEST(labelled("a.jsonl", row + "\n", form_of("x.csv")) ==
             "n,text,big,predicted,probability\n1.5,x,1.2345678901234568e+20,\"short, or so\",0.750000\n");
}

BOOST_AUTO_TEST_CASE(invalid_tables_are_named) {
  const auto error = [](const char* name, const char* text, const LabelledForm& form = {}, const TableColumns& wanted = {}) {
    const std::string whole = error_of([&] { labelled(name, text, form, wanted); });
    return whole.substr(whole.rfind(name) + std::string_view(name).size());
  };
  BOOST_TEST(error("a.csv", "text,predicted\nx y,2\n") == " already has a column \"predicted\"; rename it");
  BOOST_TEST(error("a.csv", "text,n\nx y,2\nx\n") == ", line 3: 1 field, but line 1 has 2");
  BOOST_TEST(error("a.csv", "text,n\nx y,2\n", {}, {.text = "note"}) ==
             " has no column \"note\" (`text_column`); columns: \"text\", \"n\"");
  const std::string tab = error_of([] { labelled("a.csv", "text,n\n\"x\ty\",2\n", form_of("b.tsv")); });
  BOOST_TEST(tab.ends_with(" contains a tab or newline, which a tab-separated table cannot store"), tab);
}

BOOST_AUTO_TEST_SUITE_END()
