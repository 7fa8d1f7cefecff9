#include "data/tokens/piece_tokens.h"

#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <iostream>
#include <sstream>

#include "data/files/text_file.h"
#include "tests/data/temporary_directory.h"
#include "tests/data/tokens/without_sentencepiece.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(piece_tokens)

namespace {

/// The text of the book: prose, tables, programs and formulas.
std::string book() {
  std::string text;
  for (const char* chapter :
       {"01-wirtinger", "02-conventions", "03-tape", "04-numerical-validation", "07-complexformer", "08-crope"})
    text += read_bytes("test", fmt::format(ARGAND_SOURCE_DIR "/docs/{}.md", chapter));
  return text;
}

bool can_run(const std::string& program) { return std::system(("command -v " + program + " >/dev/null").c_str()) == 0; }

/// Encodes a field of bytes for a Protocol Buffers message.
std::string field(int number, std::string_view bytes) {
  std::string length;
  for (std::size_t n = bytes.size();; n >>= 7) {
    length += static_cast<char>((n & 0x7F) | (n >= 0x80 ? 0x80 : 0));
    if (n < 0x80) break;
  }
  return std::string(1, static_cast<char>(number << 3 | 2)) + length + std::string(bytes);
}

std::string piece(std::string_view text, std::string_view score = std::string_view("\0\0\0\0", 4), char type = 1) {
  return field(1, field(1, text) + "\x15" + std::string(score) + "\x18" + type);
}

}  // namespace

BOOST_AUTO_TEST_CASE(ids_are_those_of_spm_encode) {
  if (!have_sentencepiece() || !can_run("spm_encode") || !can_run("spm_train")) {
    std::cout << "skipped: the comparison with spm_encode (install sentencepiece and build with libsentencepiece-dev)\n";
    return;
  }
  const TemporaryDirectory scratch;
  std::string text = book();
  std::string_view rest = text;
  for (int i = 0; i < 1000; ++i) take_line(rest);
  text.resize(text.size() - rest.size());
  const std::string path = scratch.file("book.txt", text);
  const auto compare = [&](const TokenizerPtr& tokens, const std::string& model) {
    BOOST_TEST_REQUIRE(
        std::system(("spm_encode --model=" + model + " --output_format=id < " + path + " > " + scratch / "ids").c_str()) == 0);
    std::istringstream theirs(contents_of(scratch / "ids"));
    std::string_view left = text;
    int same = 0;
    for (std::string line; std::getline(theirs, line); ++same) {
      std::string ours;
      const Ids ids = tokens->encode(take_line(left)).ids;
      for (const auto id : ids.span()) ours += (ours.empty() ? "" : " ") + std::to_string(id);
      BOOST_TEST_REQUIRE(ours == line);
    }
    BOOST_TEST(same == 1000);
  };
  for (const char* kind : {"bpe", "unigram"}) {
    const TokenizerPtr learnt = learn_pieces(kind, text, 1000);
    compare(learnt, scratch.file("learnt.model", learnt->file()));
    // A model that spm_train makes with its default rules, which normalise the text and collapse runs of spaces.
    BOOST_TEST_REQUIRE(
        std::system(fmt::format("spm_train --input={} --model_type={} --vocab_size=900 --character_coverage=1 --model_prefix={} "
                                "--minloglevel=9 2>/dev/null",
                                path, kind, scratch / "theirs")
                        .c_str()) == 0);
    const TokenizerPtr theirs = load_pieces(scratch / "theirs.model");
    BOOST_TEST(theirs->kind() == kind);
    BOOST_TEST(theirs->size() == 900);
    compare(theirs, scratch / "theirs.model");
    const TokenText whole = theirs->encode(text);
    std::uint64_t bytes = 0;
    for (const std::uint32_t n : whole.bytes) bytes += n;
    BOOST_TEST(bytes == text.size());
  }
}

BOOST_AUTO_TEST_CASE(the_same_text_gives_the_same_pieces_and_no_more_than_there_are) {
  if (without_sentencepiece("learning pieces from a text")) return;
  const std::string text = book().substr(0, 60000);
  for (const char* kind : {"bpe", "unigram"}) {
    const TokenizerPtr tokens = learn_pieces(kind, text, 600);
    BOOST_TEST(tokens->size() == 600);
    BOOST_TEST(tokens->file() == learn_pieces(kind, text, 600)->file());
    BOOST_TEST(learn_pieces(kind, "a b\na b\n", 5000)->size() < 300);
    const std::string error = error_of([&] { learn_pieces(kind, text, 100); });
    BOOST_TEST(error.starts_with("tokens: SentencePiece cannot learn 100 pieces from this text: "), error);
  }
}

BOOST_AUTO_TEST_CASE(lines_of_any_length_are_learnt_from_and_those_too_long_to_encode_are_named) {
  if (without_sentencepiece("very long lines")) return;
  std::string text;
  for (int i = 0; i < 20000; ++i) text += fmt::format("{}ö", i % 97);
  const TokenizerPtr tokens = learn_pieces("bpe", text, 400);
  BOOST_TEST(tokens->encode(text).ids.size() < static_cast<std::int64_t>(text.size()) * 6 / 10);
  BOOST_TEST(
      error_of([&] { tokens->encode("a\n" + std::string(longest_piece_line + 1, 'x')); }) ==
      "tokens: line 2 has 1048577 bytes, more than the 1048576 that pieces allow; `tokens` char and byte accept lines of any "
      "length");
}

BOOST_AUTO_TEST_CASE(a_damaged_or_inconsistent_model_is_refused) {
  if (without_sentencepiece("damaged models")) return;
  const TemporaryDirectory scratch;
  const auto error = [&](const std::string& bytes) {
    const std::string path = scratch.file("a.model", bytes);
    const std::string text = error_of([&] { load_pieces(path); });
    const std::string before = "tokens: " + path + " is not a SentencePiece model, or it is damaged: ";
    return text.starts_with(before) ? text.substr(before.size()) : text;
  };
  const std::string good = learn_pieces("bpe", book().substr(0, 20000), 400)->file();
  BOOST_TEST(error(good) == "");
  BOOST_TEST(error(good.substr(0, good.size() - 3)) == "it is truncated");
  BOOST_TEST(error("Not a model at all.\n") != "");
  BOOST_TEST(error(field(2, "")) == "it has no pieces");
  BOOST_TEST(error(good + piece("")) == "a piece that is empty or not UTF-8");
  BOOST_TEST(error(good + piece("\xFF")) == "a piece that is empty or not UTF-8");
  BOOST_TEST(error(good + piece("new", std::string_view("\0\0\xC0\x7F", 4))) == "a score that is not finite");
  BOOST_TEST(error(good + piece("new") + piece("new")) == "SentencePiece rejects it");
  const std::string table(1024, '\0'), length("\0\4\0\0", 4);
  const auto rules = [&](const std::string& bytes) { return error(good + field(3, field(2, bytes))); };
  BOOST_TEST(rules(length + table + std::string(1, '\0')) == "");
  BOOST_TEST(rules(length + table + "x") == "normalisation rules that point outside their table");
  BOOST_TEST(rules(length + table) == "normalisation rules that point outside their table");
  std::string outside = table;
  outside[3] = 0x7F;
  BOOST_TEST(rules(length + outside + std::string(1, '\0')) == "normalisation rules that point outside their table");
  BOOST_TEST(error(piece("<unk>", std::string_view("\0\0\0\0", 4), 2) + piece("a")) ==
             "tokens: " + scratch / "a.model" + " has no piece for line breaks: neither a newline, nor bytes, nor </s>");
  BOOST_TEST(error_of([&] { load_pieces(scratch / "none.model"); }) ==
             "tokens: cannot open " + scratch / "none.model" + ": No such file or directory");
}

BOOST_AUTO_TEST_SUITE_END()
