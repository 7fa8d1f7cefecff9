#include "data/tokens/tokenizer.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <numeric>

#include "data/tokens/piece_tokens.h"
#include "data/tokens/word_tokens.h"
#include "tests/data/temporary_directory.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(tokenizer)

namespace {

using List = std::vector<std::int32_t>;

List ids_of(const TokenText& text) { return {text.ids.span().begin(), text.ids.span().end()}; }

/// Decodes all tokens and joins their text.
std::string written(const Tokenizer& tokens, const TokenText& text) {
  std::string out;
  bool line_start = true;
  for (const auto id : text.ids.span()) {
    const std::string next = tokens.text(id, line_start);
    line_start = next.ends_with('\n');
    out += next;
  }
  return out;
}

std::uint64_t bytes_in(const TokenText& text) { return std::accumulate(text.bytes.begin(), text.bytes.end(), std::uint64_t{0}); }

/// Verses with indentation, tabs, double spaces, several scripts and blank lines.
std::string verses() {
  std::string text;
  for (int i = 0; i < 60; ++i)
    text += fmt::format("The {} owl and the pussy-cat went to sea,\n\tin a  beautiful pea-green boat {}.\n   «Größe» 日本 😀 \n\n",
                        i, i * i);
  return text;
}

/// One tokenizer of every kind available in this build, trained on the verses.
std::vector<TokenizerPtr> all_kinds() {
  std::vector<TokenizerPtr> all;
  for (const char* kind : {"char", "byte", "words", "bpe", "unigram"})
    if (have_sentencepiece() || (kind != std::string("bpe") && kind != std::string("unigram")))
      all.push_back(make_tokens({.kind = kind, .pieces = 400}, verses()));
  return all;
}

}  // namespace

BOOST_AUTO_TEST_CASE(decoding_returns_the_encoded_text) {
  for (const TokenizerPtr& tokens : all_kinds()) {
    const std::string kind = tokens->kind();
    for (const std::string& text : {verses(), std::string("The owl"), std::string("boat \n"), std::string("\n\n"), std::string()}) {
      const TokenText read = tokens->encode(text);
      BOOST_TEST(read.bytes.size() == static_cast<std::size_t>(read.ids.size()));
      BOOST_TEST(bytes_in(read) == (kind == "words" && text == "boat \n" ? 6 : text.size()), kind);
      read.ids.check_below(tokens->size(), "test");
      if (kind != "words") BOOST_TEST(written(*tokens, read) == text, kind);
    }
    for (Tokenizer::Id id = 0; id < tokens->size() + 2; ++id) BOOST_TEST(!tokens->shown(id).empty());
  }
}

BOOST_AUTO_TEST_CASE(what_a_file_keeps_is_the_same_tokenizer) {
  const TemporaryDirectory scratch;
  for (const TokenizerPtr& tokens : all_kinds()) {
    const std::string kind = tokens->kind(), path = scratch.file("tokens", tokens->file());
    const TokenizerPtr again = load_tokens(kind, path);
    BOOST_TEST(again->kind() == kind);
    BOOST_TEST(again->size() == tokens->size());
    BOOST_TEST(again->file() == tokens->file());
    BOOST_TEST(ids_of(again->encode(verses())) == ids_of(tokens->encode(verses())));
    BOOST_TEST(token_file(kind) == (kind == "byte" ? "" : kind == "bpe" || kind == "unigram" ? "tokens.model" : "vocab.txt"));
  }
}

BOOST_AUTO_TEST_CASE(unseen_text_can_be_read) {
  for (const TokenizerPtr& tokens : all_kinds()) {
    const TokenText read = tokens->encode("The Ж walrus\n");
    const bool knows_all = tokens->kind() != "words" && tokens->kind() != "char";
    BOOST_TEST((std::count(read.ids.span().begin(), read.ids.span().end(), tokens->unknown().value_or(-1)) == 0) == knows_all,
               tokens->kind());
    if (knows_all) BOOST_TEST(written(*tokens, read) == "The Ж walrus\n");
  }
}

BOOST_AUTO_TEST_CASE(characters_are_numbered_in_the_order_of_unicode) {
  const auto tokens = make_tokens({.kind = "char"}, "b\n a\\ö");
  BOOST_TEST(tokens->file() == "\\x0a\n \n\\x5c\na\nb\nö\n<unk>\n");
  BOOST_TEST(tokens->size() == 7);
  const TokenText read = tokens->encode("aöx\n");
  BOOST_TEST(ids_of(read) == (List{3, 5, 6, 0}));
  BOOST_TEST((read.bytes == std::vector<std::uint32_t>{1, 2, 1, 1}));
  BOOST_TEST(tokens->shown(read.ids.span()) == "aö\xEF\xBF\xBD↵");
  BOOST_TEST(tokens->text(9, false) == "<9>");
}

BOOST_AUTO_TEST_CASE(a_damaged_list_of_characters_is_refused) {
  const TemporaryDirectory scratch;
  const auto error = [&](const char* text) {
    const std::string path = scratch.file("vocab.txt", text);
    const std::string error = error_of([&] { load_tokens("char", path); });
    return error.substr(std::min(error.size(), error.find(path) + path.size()));
  };
  BOOST_TEST(error("a\nb\n<unk>\n") == "");
  BOOST_TEST(error("a\nbc\n<unk>\n") == ", line 2: \"bc\" is not a single character");
  BOOST_TEST(error("a\n\nb\n<unk>\n") == ", line 2: \"\" is not a single character");
  BOOST_TEST(error("a\n\\x62\n<unk>\n") == ", line 2: \"\\x62\" is not a single character");
  BOOST_TEST(error("b\na\n<unk>\n") == ", line 2: the characters are not in code point order");
  BOOST_TEST(error("a\na\n<unk>\n") == ", line 2: the characters are not in code point order");
  BOOST_TEST(error("a\nb\n") == " does not end with the line <unk>; the file may be truncated");
  BOOST_TEST(error("a\nb\n<unk>") == ", line 3: \"<unk>\" is not a single character");
}

BOOST_AUTO_TEST_CASE(words_are_those_of_the_text_or_its_most_frequent_ones) {
  const auto file = [](std::string_view text, std::int64_t most) { return words_of(text, most).text(); };
  BOOST_TEST(file("b a b\nc c b\n", 0) == "b\na\n<eos>\nc\n<unk>\n");
  BOOST_TEST(file("b a b\nc c b\n", 2) == "b\n<eos>\nc\n<unk>\n");
  BOOST_TEST(file("a <unk> b\n", 1) == "a\n<unk>\n<eos>\n");
  BOOST_TEST(file("a", 5) == "a\n<eos>\n<unk>\n");
  const WordTokens tokens(words_of("b a b\nc c b\n", 2));
  const TokenText read = tokens.encode("  a b\n\nd\tc \n");
  BOOST_TEST(ids_of(read) == (List{3, 0, 1, 1, 3, 2, 1}));
  BOOST_TEST((read.bytes == std::vector<std::uint32_t>{3, 2, 1, 1, 1, 2, 2}));
  BOOST_TEST(written(tokens, read) == "<unk> b\n\n<unk> c\n");
  BOOST_TEST(tokens.shown(read.ids.span()) == "<unk> b <eos> <eos> <unk> c <eos>");
  BOOST_TEST(error_of([] { words_of(" \n\n"); }) == "words: the training text has no words");
  BOOST_TEST(
      error_of([] { words_of("a\n" + std::string(1001, 'x')); }).starts_with("words: line 2 has a word of 1001 bytes, \"xxx"));
}

BOOST_AUTO_TEST_CASE(a_token_says_what_it_stands_for_or_is_unknown) {
  const WordTokens words(words_of("b a b\nc c b\n", 2));
  BOOST_TEST((words.encode("a b\n<unk> c").unknown == std::vector<bool>{true, false, false, false, false}));
  const auto characters = make_tokens({.kind = "char"}, "ab");
  BOOST_TEST((characters->encode("aöb\n").unknown == std::vector<bool>{false, true, false, true}));
  BOOST_TEST(make_tokens({.kind = "byte"}, "ab")->encode("ö").unknown.empty());
}

BOOST_AUTO_TEST_CASE(extended_tokens_keep_the_old_ones_and_add_those_of_the_text) {
  const auto characters = make_tokens({.kind = "char"}, "zb")->extended("a\nb", 0);
  BOOST_TEST(characters->file() == "\\x0a\na\nb\nz\n<unk>\n");
  const WordTokens words(words_of("b a\n"));
  BOOST_TEST(words.extended("c c d a\n", 0)->file() == "b\na\n<eos>\n<unk>\nc\nd\n");
  BOOST_TEST(words.extended("c c d a\n", 1)->file() == "b\na\n<eos>\n<unk>\nc\n");
  BOOST_TEST(words.extended("a b\n", 0)->file() == words.file());
  BOOST_TEST(!make_tokens({.kind = "byte"}, "ab")->extended("c", 0));
}

BOOST_AUTO_TEST_CASE(the_ids_of_words_and_their_text_count_the_same_bytes) {
  const Vocabulary words = words_of("b a b\nc c b\n");
  const Ids ids({6}, {0, 1, 2, 2, 3, 0});
  BOOST_TEST(text_of(words, ids) == "b a\n\nc b");
  BOOST_TEST((bytes_of(words, ids) == std::vector<std::uint32_t>{1, 2, 1, 1, 1, 2}));
  BOOST_TEST(ids_of(WordTokens(words).encode(text_of(words, ids))) == (List{0, 1, 2, 2, 3, 0}));
}

BOOST_AUTO_TEST_CASE(by_default_a_small_alphabet_is_read_by_characters_and_a_large_one_by_pieces) {
  BOOST_TEST(make_tokens({}, verses())->kind() == "char");
  std::string many;
  for (int i = 0; i < 300; ++i)
    many += std::string{static_cast<char>(0xE4), static_cast<char>(0xB8 + i / 64), static_cast<char>(0x80 + i % 64)} + "\n";
  BOOST_TEST(make_tokens({}, many)->kind() == (have_sentencepiece() ? "bpe" : "byte"));
}

BOOST_AUTO_TEST_SUITE_END()
