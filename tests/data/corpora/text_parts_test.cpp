#include "data/corpora/text_parts.h"

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <cstdlib>
#include <iostream>

#include "data/corpora/corpus.h"
#include "data/files/utf8.h"
#include "tests/data/temporary_directory.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(text_parts)

namespace {

std::vector<std::int32_t> values(const Ids& ids) { return {ids.span().begin(), ids.span().end()}; }

/// Σ (i + 1) · id_i modulo 2^64, which depends on every id and its position.
std::uint64_t checksum(const Ids& ids) {
  std::uint64_t sum = 0;
  for (std::int64_t i = 0; i < ids.size(); ++i) sum += static_cast<std::uint64_t>(i + 1) * static_cast<std::uint64_t>(ids[i]);
  return sum;
}

TextParts parts_of(const std::string& data, const char* split = "90/5/5") {
  return read_parts(find_text(data), parse_split(split));
}

Corpus words_in(const std::string& data) {
  const TextParts parts = parts_of(data);
  return in_tokens(make_tokens({.kind = "words"}, parts.train), parts.train, parts.valid, parts.test);
}

/// A text of n lines of ten bytes each.
std::string lines(int n) {
  std::string text;
  for (int i = 0; i < n; ++i) text += fmt::format("line {:4}\n", i);
  return text;
}

}  // namespace

BOOST_AUTO_TEST_CASE(an_end_of_line_after_every_line) {
  const TemporaryDirectory directory;
  directory.file("train.txt", " \n = A title = \n\nthe <unk> cat");
  directory.file("valid.txt", "the title\r\n");
  directory.file("test.txt", "the dog\n");
  const Corpus corpus = words_in(directory.path());
  BOOST_TEST(corpus.tokens->file() == "<eos>\n=\nA\ntitle\nthe\n<unk>\ncat\n");
  BOOST_TEST(values(corpus.train) == (std::vector<std::int32_t>{0, 1, 2, 3, 1, 0, 0, 4, 5, 6, 0}));
  BOOST_TEST(values(corpus.valid) == (std::vector<std::int32_t>{4, 3, 0}));
  BOOST_TEST(values(corpus.test) == (std::vector<std::int32_t>{4, 5, 0}));
  BOOST_TEST((corpus.bytes.train == std::vector<std::uint32_t>{2, 2, 2, 6, 2, 2, 1, 3, 6, 4, 1}));
  BOOST_TEST((corpus.bytes.valid == std::vector<std::uint32_t>{3, 6, 1}));
}

BOOST_AUTO_TEST_CASE(the_other_names_of_the_files) {
  const TemporaryDirectory directory;
  for (const char* part : {"train", "valid", "test"}) directory.file(fmt::format("wiki.{}.tokens", part), part + std::string("\n"));
  const TextParts parts = parts_of(directory.path());
  BOOST_TEST(parts.train == "train\n");
  BOOST_TEST(parts.valid == "valid\n");
  BOOST_TEST(parts.test == "test\n");
  BOOST_TEST(find_text(directory.path()).has_all_parts());
}

BOOST_AUTO_TEST_CASE(a_text_in_one_piece_is_cut_at_line_ends) {
  const TemporaryDirectory directory;
  const std::string text = lines(100), path = directory.file("one.txt", text);
  const TextParts parts = parts_of(path, "85.3/5.2/9.5");
  BOOST_TEST(parts.train == text.substr(0, 860));
  BOOST_TEST(parts.valid == text.substr(860, 50));
  BOOST_TEST(parts.test == text.substr(910));
  const TextParts two = parts_of(path, "90/10");
  BOOST_TEST(two.train + two.valid == text);
  BOOST_TEST(two.valid.size() == 100u);
  BOOST_TEST(two.test == "");
  BOOST_TEST(description(find_text(path), parse_split("90/10"), two) ==
             "one.txt, cut 90/10: 900 bytes to train on, 100 to validate on, none to test on");
}

BOOST_AUTO_TEST_CASE(a_very_long_line_is_cut_at_a_blank_or_after_a_whole_character) {
  std::string words;
  for (int i = 0; i < 1000; ++i) words += fmt::format("word{} ", i);
  const TextParts at_blanks = cut(words, {});
  BOOST_TEST(at_blanks.train.ends_with(' '));
  BOOST_TEST(at_blanks.valid.starts_with("word"));
  BOOST_TEST(at_blanks.train + at_blanks.valid + at_blanks.test == words);
  std::string characters;
  for (int i = 0; i < 1000; ++i) characters += "ö€";
  const TextParts parts = cut(characters, {});
  for (const std::string& part : {parts.train, parts.valid, parts.test}) BOOST_TEST(!first_invalid_utf8(part));
  BOOST_TEST(parts.train + parts.valid + parts.test == characters);
  BOOST_TEST(parts.train.size() < 4505u);
}

BOOST_AUTO_TEST_CASE(parts_that_are_missing_are_cut_off_the_text_to_train_on) {
  const TemporaryDirectory directory;
  const std::string text = lines(100);
  directory.file("train.txt", text);
  const TextParts alone = parts_of(directory.path());
  BOOST_TEST(alone.train.size() == 900u);
  BOOST_TEST(alone.valid.size() == 50u);
  BOOST_TEST(alone.test.size() == 50u);
  directory.file("test.txt", "to test on\n");
  const TextParts without_valid = parts_of(directory.path());
  BOOST_TEST(without_valid.train.size() == 950u);
  BOOST_TEST(without_valid.valid.size() == 50u);
  BOOST_TEST(without_valid.test == "to test on\n");
  directory.file("valid.txt", "to validate on\n");
  BOOST_TEST(parts_of(directory.path()).train == text);
  std::filesystem::remove(directory / "test.txt");
  BOOST_TEST(parts_of(directory.path()).valid == "to validate on\n");
  BOOST_TEST(parts_of(directory.path()).test == "");
}

BOOST_AUTO_TEST_CASE(several_files_are_read_one_after_the_other) {
  const TemporaryDirectory directory;
  const std::string b = directory.file("b.txt", "second"), a = directory.file("a.txt", "first\n"),
                    c = directory.file("c.md", "third\n");
  BOOST_TEST(read_text(find_text(directory.path()).train) == "first\nsecond\n");
  BOOST_TEST(read_text(find_text(b + "," + c).train) == "second\nthird\n");
  const std::string comma = directory.file("with,comma.txt", "its name\n");
  BOOST_TEST(read_text(find_text(comma).train) == "its name\n");
  BOOST_TEST(error_of([&] { find_text(a + "," + directory.path()); }) ==
             "data: " + directory.path() + " is a folder; pass it alone, or list its files");
}

BOOST_AUTO_TEST_CASE(marks_and_line_ends_of_other_systems_are_no_part_of_a_text) {
  BOOST_TEST(clean_text("\xEF\xBB\xBFone\r\ntwo\r\n", "a") == "one\ntwo\n");
  BOOST_TEST(clean_text("one\rtwo\r\r\n\nthree", "a") == "one\rtwo\r\n\nthree\n");
}

BOOST_AUTO_TEST_CASE(faults_are_named_with_their_remedy) {
  const TemporaryDirectory directory;
  const std::string path = directory / "a.txt";
  const auto error = [&](std::string_view text) {
    directory.file("a.txt", text);
    return error_of([&] { parts_of(path); });
  };
  BOOST_TEST(error_of([&] { find_text(path); }) ==
             "data: " + path + " does not exist; `data` takes one or more texts, or a folder with train.txt or other texts");
  BOOST_TEST(error_of([&] { find_text(directory.path()); }) ==
             "data: " + directory.path() +
                 " has neither train.txt nor any other *.txt; list the files themselves if they have another extension");
  BOOST_TEST(error("") == "data: " + path + " is empty");
  BOOST_TEST(error("\xEF\xBB\xBF") == "data: " + path + " is empty");
  BOOST_TEST(error("fine\nfine\nb\xe4 d\n") ==
             "data: " + path + ", line 3: not UTF-8; if it comes from Windows, convert it with `iconv -f WINDOWS-1252 -t UTF-8`");
  BOOST_TEST(error(std::string_view("fine\n\0\n", 7)) == "data: " + path + ", line 2: null byte; is this a text file?");
  BOOST_TEST(error(std::string_view("\xFF\xFEh\0i\0", 6)) ==
             "data: " + path + " is UTF-16; convert it with `iconv -f UTF-16 -t UTF-8`");
  const auto split_error = [](const char* text) { return error_of([&] { parse_split(text); }); };
  for (const char* text : {"", "90", "90/5/", "90/5/5/0", "a/b", "90/ 10", "-1/101", "1e3/5", "nan/5"})
    BOOST_TEST(split_error(text).ends_with("must have the form 90/5/5: percentages for training, validation and test"), text);
  BOOST_TEST(split_error("80/5/5") == "split: the parts of \"80/5/5\" add up to 90, not 100");
  BOOST_TEST(split_error("100/0/0") == "split: \"100/0/0\" leaves nothing to validate on");
  BOOST_TEST(split_error("0/100") == "split: \"0/100\" leaves nothing to train on");
}

BOOST_AUTO_TEST_CASE(the_real_wikitext_2_has_the_words_that_perplexities_are_published_for) {
  const char* data = std::getenv("ARGAND_DATA");
  if (data == nullptr) {
    std::cout << "skipped: WikiText-2 (set ARGAND_DATA to a directory that holds wikitext-2/)\n";
    return;
  }
  const Corpus corpus = words_in(std::string(data) + "/wikitext-2");
  BOOST_TEST(corpus.tokens->size() == 33278);
  BOOST_TEST(corpus.train.size() == 2088628);
  BOOST_TEST(corpus.valid.size() == 217646);
  BOOST_TEST(corpus.test.size() == 245569);
  // The checksums of the ids that Python's `vocab.setdefault(word, len(vocab))` gives over `line.split() + ["<eos>"]`.
  BOOST_TEST(checksum(corpus.train) == 8186891578438055U);
  BOOST_TEST(checksum(corpus.valid) == 70632055366360U);
  BOOST_TEST(checksum(corpus.test) == 86714338092734U);
  std::uint64_t bytes = 0;
  for (const std::uint32_t n : corpus.bytes.test) bytes += n;
  BOOST_TEST(bytes == std::filesystem::file_size(std::string(data) + "/wikitext-2/test.txt"));
}

BOOST_AUTO_TEST_SUITE_END()
