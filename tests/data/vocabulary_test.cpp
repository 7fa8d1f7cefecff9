#include "data/vocabulary.h"

#include <boost/test/unit_test.hpp>

#include "data/files/text_file.h"
#include "data/files/utf8.h"
#include "tests/data/temporary_directory.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(vocabulary)

BOOST_AUTO_TEST_CASE(ids_are_in_the_order_of_first_occurrence) {
  Vocabulary v;
  BOOST_TEST(v.add("the") == 0);
  BOOST_TEST(v.add("cat") == 1);
  BOOST_TEST(v.add("the") == 0);
  BOOST_TEST(v.size() == 2);
  BOOST_TEST(v.word(1) == "cat");
  BOOST_TEST(v.id("cat") == 1);
  BOOST_TEST(v.decode(v.encode(" the\tcat\n the ").span()) == "the cat the");
  BOOST_TEST((v.encode("").shape() == Shape{0}));
}

BOOST_AUTO_TEST_CASE(unknown_words) {
  Vocabulary v;
  v.add("the");
  BOOST_TEST(!v.find("dog").has_value());
  BOOST_TEST(error_of([&] { v.id("dog"); }) == "vocabulary: unknown word \"dog\", and the vocabulary has no <unk>");
  BOOST_TEST(error_of([&] { v.id("The"); }) ==
             "vocabulary: unknown word \"The\", and the vocabulary has no <unk>; \"the\" is known");
  v.add("<unk>");
  BOOST_TEST(v.id("dog") == 1);
  BOOST_TEST(error_of([&] { v.word(2); }) == "vocabulary: id 2 is outside the vocabulary of 2");
  BOOST_TEST(error_of([&] { v.word(-1); }) == "vocabulary: id -1 is outside the vocabulary of 2");
}

BOOST_AUTO_TEST_CASE(invalid_words) {
  Vocabulary v;
  BOOST_TEST(error_of([&] { v.add(""); }) == "vocabulary: an empty word");
  BOOST_TEST(error_of([&] { v.add("a b"); }) == "vocabulary: \"a b\" contains whitespace");
  BOOST_TEST(error_of([&] { v.add("a\n"); }) == "vocabulary: \"a\\x0a\" contains whitespace");
  BOOST_TEST(error_of([&] { v.add(std::string_view("a\0", 2)); }) == "vocabulary: \"a\\x00\" contains a null byte");
  BOOST_TEST(error_of([&] { v.add("\xc3"); }) == "vocabulary: \"\\xc3\" is not UTF-8");
}

BOOST_AUTO_TEST_CASE(saves_and_loads) {
  const TemporaryDirectory directory;
  Vocabulary v;
  for (const char* word : {"<unk>", "straße", "@-@", "–", "the"}) v.add(word);
  v.save(directory / "words");
  BOOST_TEST(contents_of(directory / "words") == "<unk>\nstraße\n@-@\n–\nthe\n");
  BOOST_TEST((Vocabulary::load(directory / "words") == v));
}

BOOST_AUTO_TEST_CASE(damaged_files_are_refused_by_line) {
  const TemporaryDirectory directory;
  const std::string path = directory / "words", start = "vocabulary: " + path;
  const auto error = [&](std::string_view text) {
    directory.file("words", text);
    return error_of([&] { Vocabulary::load(path); });
  };
  BOOST_TEST(error("a\nb\n") == "");
  BOOST_TEST(error("") == start + " is empty");
  BOOST_TEST(error("a\n\nb\n") == start + ", line 2: an empty word");
  BOOST_TEST(error("\n") == start + ", line 1: an empty word");
  BOOST_TEST(error("a\nb\na\n") == start + ", line 3: \"a\" is also on line 1");
  BOOST_TEST(error("a\nb c\n") == start + ", line 2: \"b c\" contains whitespace");
  BOOST_TEST(error("a\r\n") == start + ", line 1: \"a\\x0d\" contains whitespace");
  BOOST_TEST(error("a\nwor") == start + ", line 2: no newline after \"wor\"; the file may be truncated");
  BOOST_TEST(error("a\n\xff\n") ==
             start + ", line 2: not UTF-8; if it comes from Windows, convert it with `iconv -f WINDOWS-1252 -t UTF-8`");
  BOOST_TEST(error(std::string_view("a\nb\nc\0\n", 7)) == start + ", line 3: null byte; is this a text file?");
  BOOST_TEST(error_of([&] { Vocabulary::load(directory / "none"); }) ==
             "vocabulary: cannot open " + (directory / "none") + ": No such file or directory");
  BOOST_TEST(error_of([&] { Vocabulary::load(directory.path()); }) == "vocabulary: " + directory.path() + " is not a regular file");
}

BOOST_AUTO_TEST_CASE(utf8_is_recognised) {
  for (const char* good : {"", "a", "ä", "€", "\xed\x9f\xbf", "\xee\x80\x80", "😀", "\xf4\x8f\xbf\xbf"})
    BOOST_TEST(!first_invalid_utf8(good).has_value(), good);
  for (const char* bad : {"\x80", "\xc3", "\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xe2\x82", "\xf0\x8f\xbf\xbf",
                          "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xf0\x9f\x98", "\xff", "\xc3("}) {
    BOOST_TEST((first_invalid_utf8(bad) == std::size_t{0}), in_quotes(bad));
    BOOST_TEST((first_invalid_utf8("aé" + std::string(bad)) == std::size_t{3}), in_quotes(bad));
  }
}

BOOST_AUTO_TEST_CASE(lines_and_words) {
  std::string_view text = "one  two\n\nthree";
  std::string_view line = take_line(text);
  BOOST_TEST(line == "one  two");
  BOOST_TEST(take_word(line) == "one");
  BOOST_TEST(take_word(line) == "two");
  BOOST_TEST(take_word(line) == "");
  BOOST_TEST(take_line(text) == "");
  BOOST_TEST(take_line(text) == "three");
  BOOST_TEST(text.empty());
}

BOOST_AUTO_TEST_SUITE_END()
