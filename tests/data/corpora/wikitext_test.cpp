#include "data/corpora/wikitext.h"

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iostream>

#include "tests/data/temporary_directory.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(wikitext)

namespace {

std::vector<std::int32_t> values(const Ids& ids) { return {ids.span().begin(), ids.span().end()}; }

/// Σ (i + 1) · id_i modulo 2^64: depends on every id and on its place.
std::uint64_t checksum(const Ids& ids) {
  std::uint64_t sum = 0;
  for (std::int64_t i = 0; i < ids.size(); ++i) sum += static_cast<std::uint64_t>(i + 1) * static_cast<std::uint64_t>(ids[i]);
  return sum;
}

}  // namespace

BOOST_AUTO_TEST_CASE(an_end_of_line_after_every_line) {
  const TemporaryDirectory directory;
  directory.file("train.txt", " \n = A title = \n\nthe <unk> cat");
  directory.file("valid.txt", "a cat\r\n");
  directory.file("test.txt", "the dog\n");
  const Corpus corpus = load_wikitext(directory.path());
  const std::vector<std::string> words = {"<eos>", "=", "A", "title", "the", "<unk>", "cat", "a", "dog"};
  BOOST_TEST(corpus.vocabulary.words() == words);
  BOOST_TEST(values(corpus.train) == (std::vector<std::int32_t>{0, 1, 2, 3, 1, 0, 0, 4, 5, 6, 0}));
  BOOST_TEST(values(corpus.valid) == (std::vector<std::int32_t>{7, 6, 0}));
  BOOST_TEST(values(corpus.test) == (std::vector<std::int32_t>{4, 8, 0}));
}

BOOST_AUTO_TEST_CASE(the_other_names_of_the_files) {
  const TemporaryDirectory directory;
  for (const char* part : {"train", "valid", "test"}) directory.file(fmt::format("wiki.{}.tokens", part), part + std::string("\n"));
  BOOST_TEST(load_wikitext(directory.path()).vocabulary.words() == (std::vector<std::string>{"train", "<eos>", "valid", "test"}));
}

BOOST_AUTO_TEST_CASE(faults_are_named) {
  const TemporaryDirectory directory;
  const auto error = [&] { return error_of([&] { load_wikitext(directory.path()); }); };
  BOOST_TEST(error_of([&] { load_wikitext(directory / "none"); }) == "wikitext: " + (directory / "none") + " is not a directory");
  BOOST_TEST(error() == "wikitext: neither train.txt nor wiki.train.tokens in " + directory.path());
  directory.file("train.txt", "fine\n");
  BOOST_TEST(error() == "wikitext: cannot open " + (directory / "valid.txt") + ": No such file or directory");
  directory.file("valid.txt", "");
  BOOST_TEST(error() == "wikitext: " + (directory / "valid.txt") + " is empty");
  directory.file("valid.txt", "fine\nfine\nb\xe4 d\n");
  BOOST_TEST(error() == "wikitext: " + (directory / "valid.txt") + ", line 3: not UTF-8");
  directory.file("valid.txt", std::string_view("fine\n\0\n", 7));
  BOOST_TEST(error() == "wikitext: " + (directory / "valid.txt") + ", line 2: a zero byte; is this a text?");
}

BOOST_AUTO_TEST_CASE(the_real_wikitext_2) {
  const char* data = std::getenv("ARGAND_DATA");
  if (data == nullptr) {
    std::cout << "skipped: WikiText-2 (set ARGAND_DATA to a directory that holds wikitext-2/)\n";
    return;
  }
  const auto begin = std::chrono::steady_clock::now();
  const Corpus corpus = load_wikitext(std::string(data) + "/wikitext-2");
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  BOOST_TEST(corpus.vocabulary.size() == 33278);
  BOOST_TEST(corpus.train.size() == 2088628);
  BOOST_TEST(corpus.valid.size() == 217646);
  BOOST_TEST(corpus.test.size() == 245569);
  // Of the same ids, numbered by `vocab.setdefault(word, len(vocab))` over `line.split() + ["<eos>"]` in Python.
  BOOST_TEST(checksum(corpus.train) == 8186891578438055U);
  BOOST_TEST(checksum(corpus.valid) == 70632055366360U);
  BOOST_TEST(checksum(corpus.test) == 86714338092734U);
  std::cout << fmt::format("WikiText-2 read in {:.2f} s\n", seconds.count());
}

BOOST_AUTO_TEST_SUITE_END()
