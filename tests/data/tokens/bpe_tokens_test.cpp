#include "data/tokens/bpe_tokens.h"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>
#include <numeric>

#include "data/files/text_file.h"
#include "data/tokens/unicode_classes.h"
#include "tests/data/temporary_directory.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(bpe_tokens)

namespace {

using Json = nlohmann::ordered_json;
using List = std::vector<std::int32_t>;

std::string golden(const std::string& name) { return read_bytes("test", ARGAND_SOURCE_DIR "/tests/golden/bpe/" + name); }

/// A vocabulary of the 256 byte characters, with GPT-2's ids, and four merges.
Json hello() {
  Json vocabulary = Json::object();
  std::int32_t id = 0;
  const auto add = [&](int first, int last) {
    for (int c = first; c <= last; ++c)
      vocabulary[c < 0x80 ? std::string(1, static_cast<char>(c))
                          : std::string{static_cast<char>(0xC0 | c >> 6), static_cast<char>(0x80 | (c & 0x3F))}] = id++;
  };
  add(33, 126), add(161, 172), add(174, 255), add(256, 323);
  Json merges = Json::array();
  for (const auto& [left, right] : {std::pair{"l", "o"}, {"h", "e"}, {"l", "lo"}, {"\xC4\xA0", "he"}}) {
    vocabulary[std::string(left) + right] = id++;
    merges.push_back(std::string(left) + " " + right);
  }
  return {{"added_tokens", Json::array()},
          {"normalizer", nullptr},
          {"pre_tokenizer", {{"type", "ByteLevel"}, {"add_prefix_space", false}}},
          {"model", {{"type", "BPE"}, {"vocab", vocabulary}, {"merges", merges}}}};
}

Json added(const char* content, int id) { return {{"id", id}, {"content", content}, {"special", true}, {"normalized", false}}; }

List ids_of(const TokenText& text) { return {text.ids.span().begin(), text.ids.span().end()}; }

std::string written(const Tokenizer& tokens, const TokenText& text) {
  std::string out;
  for (const auto id : text.ids.span()) out += tokens.text(id, out.empty() || out.ends_with('\n'));
  return out;
}

}  // namespace

BOOST_AUTO_TEST_CASE(pairs_are_merged_in_the_order_of_the_file) {
  const TemporaryDirectory scratch;
  const TokenizerPtr tokens = load_bpe(scratch.file("tokenizer.json", hello().dump()));
  BOOST_TEST(tokens->kind() == "tokenizer.json");
  BOOST_TEST(tokens->size() == 260);
  BOOST_TEST(!tokens->unknown());
  // "lo" (256) is merged before "he" (257), "llo" is merged from "l" and "lo", and a space belongs to the word that follows.
  const TokenText read = tokens->encode("hello hello lol\n");
  BOOST_TEST(ids_of(read) == (List{257, 258, 259, 258, 220, 256, 75, 198}));
  BOOST_TEST((read.bytes == std::vector<std::uint32_t>{2, 3, 3, 3, 1, 2, 1, 1}));
  BOOST_TEST(read.unknown.empty());
  BOOST_TEST(written(*tokens, read) == "hello hello lol\n");
  BOOST_TEST(tokens->shown(read.ids.span()) == "hello·hello·lol↵");
  BOOST_TEST(ids_of(tokens->encode("ö")) == (List{127, 114}));
  BOOST_TEST(tokens->shown(127) == "\\xc3");
  BOOST_TEST(tokens->text(300, false) == "<300>");
  BOOST_TEST(tokens->encode("").ids.size() == 0);
}

BOOST_AUTO_TEST_CASE(ids_are_those_of_the_tokenizers_of_hugging_face) {
  const TemporaryDirectory scratch;
  const Json base = Json::parse(golden("tokenizer.json")), all = Json::parse(golden("ids.json"));
  for (const Json& one : all["cases"]) {
    Json file = base;
    file.merge_patch(one["patch"]);
    const TokenizerPtr tokens = load_bpe(scratch.file("tokenizer.json", file.dump()));
    const auto says = [&](const char* words) { return one["patch"].dump().find(words) != std::string::npos; };
    const bool changes_text = says("\"add_prefix_space\":true") || says("NFC");
    for (std::size_t i = 0; i < all["texts"].size(); ++i) {
      const std::string text = all["texts"][i];
      const TokenText read = tokens->encode(text);
      BOOST_TEST(ids_of(read) == one["ids"][i].get<List>(), one["patch"].dump() << ": " << text);
      BOOST_TEST(std::accumulate(read.bytes.begin(), read.bytes.end(), std::uint64_t{0}) == text.size());
      if (!changes_text) BOOST_TEST(written(*tokens, read) == text);
    }
  }
}

BOOST_AUTO_TEST_CASE(added_tokens_are_found_wherever_they_stand_and_the_longest_first) {
  const TemporaryDirectory scratch;
  Json file = hello();
  file["added_tokens"] = {added("<|end", 261), added("<|end|>", 260)};
  const TokenizerPtr tokens = load_bpe(scratch.file("tokenizer.json", file.dump()));
  BOOST_TEST(ids_of(tokens->encode("he<|end|>lo<|end <|en")) == (List{257, 260, 256, 261, 220, 27, 91, 68, 77}));
  BOOST_TEST(tokens->text(260, false) == "<|end|>");
  file["added_tokens"][0]["id"] = 263;
  const TokenizerPtr with_gap = load_bpe(scratch.file("tokenizer.json", file.dump()));
  BOOST_TEST(with_gap->size() == 264);
  BOOST_TEST(with_gap->text(262, false) == "<262>");
}

BOOST_AUTO_TEST_CASE(bytes_without_a_token_are_unknown) {
  const TemporaryDirectory scratch;
  Json file = hello();
  file["model"]["vocab"].erase("Z");
  const auto load = [&] { return load_bpe(scratch.file("tokenizer.json", file.dump())); };
  BOOST_TEST(error_of(load) ==
             "tokens: " + scratch / "tokenizer.json" +
                 " is not a byte-level BPE tokenizer.json: 1 of the 256 bytes, the first of them 0x5a, have no token, "
                 "and there is no \"unk_token\"; train it with initial_alphabet=ByteLevel.alphabet()");
  file["model"]["vocab"]["<unk>"] = 57;
  file["model"]["unk_token"] = "<unk>";
  const TokenText read = load()->encode("ZZhe");
  BOOST_TEST(ids_of(read) == (List{57, 57, 257}));
  BOOST_TEST((read.bytes == std::vector<std::uint32_t>{1, 1, 2}));
  BOOST_TEST((read.unknown == std::vector<bool>{true, true, false}));
  BOOST_TEST(load()->unknown().value() == 57);
}

BOOST_AUTO_TEST_CASE(a_word_of_a_million_bytes_is_merged_too) {
  const TemporaryDirectory scratch;
  const TokenizerPtr tokens = load_bpe(scratch.file("tokenizer.json", hello().dump()));
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += "hello";
  const TokenText read = tokens->encode(text);
  BOOST_TEST(read.ids.size() == 400'000);
  BOOST_TEST(written(*tokens, read) == text);
}

BOOST_AUTO_TEST_CASE(what_is_not_byte_level_bpe_or_damaged_is_refused_with_the_reason) {
  const TemporaryDirectory scratch;
  const std::string path = scratch / "tokenizer.json";
  const auto why = [&](const std::string& text) {
    scratch.file("tokenizer.json", text);
    const std::string error = error_of([&] { load_bpe(path); }),
                      before = "tokens: " + path + " is not a byte-level BPE tokenizer.json: ";
    return error.starts_with(before) ? error.substr(before.size()) : error;
  };
  const auto with = [&](const char* place, const Json& value) {
    Json file = hello();
    file[Json::json_pointer(place)] = value;
    return why(file.dump());
  };
  BOOST_TEST(why(hello().dump()) == "");
  BOOST_TEST(why("{") == "it is not JSON, or is nested too deeply");
  BOOST_TEST(why(std::string(100'000, '[')) == "it is not JSON, or is nested too deeply");
  BOOST_TEST(why(R"({"a": 0, "b": 1})") ==
             "it has no \"model\"; a vocab.json alone has no merges: save the tokenizer with tokenizers' Tokenizer.save()");
  BOOST_TEST(with("/model/type", "WordPiece") == "its model is \"WordPiece\"");
  BOOST_TEST(with("/model/type", "Unigram") == "its model is \"Unigram\"");
  BOOST_TEST(with("/model/byte_fallback", true) ==
             "it writes unknown characters as byte tokens, as SentencePiece does; use the tokenizer.model from the same folder");
  BOOST_TEST(with("/model/end_of_word_suffix", "</w>") == "it marks its pieces with \"end_of_word_suffix\"");
  BOOST_TEST(with("/model/dropout", 0.1) == "it drops merges at random (\"dropout\")");
  BOOST_TEST(with("/normalizer", {{"type", "NFC"}}) == "");
  BOOST_TEST(with("/normalizer", {{"type", "NFKC"}}) ==
             "it changes the text with the normalizer \"NFKC\"; argand supports only NFC");
  BOOST_TEST(with("/normalizer", {{"type", "Sequence"}, {"normalizers", {{{"type", "NFC"}}, {{"type", "Lowercase"}}}}}) ==
             "it changes the text with the normalizer \"Lowercase\"; argand supports only NFC");
  BOOST_TEST(with("/normalizer", {{"type", "Sequence"}, {"normalizers", Json::array()}}) == "");
  BOOST_TEST(with("/pre_tokenizer", nullptr) == "it has no pre-tokenizer ByteLevel");
  BOOST_TEST(
      with("/pre_tokenizer/type", "Whitespace") ==
      "it splits the text with the pre-tokenizer \"Whitespace\"; argand supports ByteLevel, alone or after Digits and Split");
  const Json split = {{"type", "Split"}, {"pattern", {{"Regex", R"(\p{L}+)"}}}, {"behavior", "Isolated"}, {"invert", false}};
  const auto after = [&](const Json& first) {
    return with("/pre_tokenizer",
                {{"type", "Sequence"}, {"pretokenizers", {first, {{"type", "ByteLevel"}, {"use_regex", false}}}}});
  };
  const std::string known = "; argand supports only the regular expressions of GPT-2, GPT-4 and Llama 3, and Qwen2";
  BOOST_TEST(after(split) == R"(it splits the text by "\p{L}+")" + known);
  Json other = split;
  other["pattern"] = {{"String", "-"}};
  BOOST_TEST(after(other) == R"(it splits the text by "{"String":"-"}")" + known);
  other["pattern"] = {{"Regex", R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)"}};
  BOOST_TEST(after(other) == "");
  other["invert"] = true;
  BOOST_TEST(after(other) == "its Split has the behavior \"Isolated\"");
  BOOST_TEST(with("/pre_tokenizer", split).starts_with("it splits the text with the pre-tokenizer \"Split\""));
  BOOST_TEST(with("/model/vocab/he", 256) == "id 256 has two tokens, one of them \"lo\"");
  BOOST_TEST(with("/model/vocab/he", -1) == "the id of \"he\" is not a number below 1048576");
  BOOST_TEST(with("/model/vocab/he", 4e9) == "the id of \"he\" is not a number below 1048576");
  BOOST_TEST(with("/model/vocab/he", "257") == "the id of \"he\" is not a number below 1048576");
  BOOST_TEST(with("/model/vocab", Json::object()) == "its model has no \"vocab\"");
  BOOST_TEST(with("/model/merges", nullptr) == "its model has no \"merges\"");
  BOOST_TEST(with("/model/merges/1", "hello") == "merge 2 is not a pair of tokens");
  BOOST_TEST(with("/model/merges/1", {"h", "e"}) == "");
  BOOST_TEST(with("/model/merges/1", "h o") == "merge 2 has \"ho\", which is not in the vocabulary");
  BOOST_TEST(with("/added_tokens/0", added("", 300)) == "an added token is empty");
  BOOST_TEST(with("/added_tokens/0", added("he", 300)) == "\"he\" has the ids 257 and 300");
  BOOST_TEST(with("/added_tokens/0", added("new", 256)) == "id 256 has two tokens, one of them \"new\"");
  Json strips = added("<mask>", 300);
  strips["lstrip"] = true;
  BOOST_TEST(with("/added_tokens/0", strips) == "the added token \"<mask>\" has \"lstrip\"");
}

BOOST_AUTO_TEST_CASE(characters_are_classed_as_unicode_does) {
  for (const char32_t letter : U"azAZªµéĸßΩЖאب日한ㄱ𝒳\U000323AF") BOOST_TEST((is_letter(letter) || letter == 0));
  for (const char32_t number : U"09²¼٣Ⅷ〇𝟘") BOOST_TEST((is_number(number) || number == 0));
  for (const char32_t space : U" \t\n\r\v\f\u0085\u00A0\u1680\u2000\u200A\u2028\u202F\u3000")
    BOOST_TEST((is_space(space) || space == 0));
  for (const char32_t other : U"@[`{_-«\u0301\u200B\u2060😀\U0010FFFF")
    BOOST_TEST((!is_letter(other) && !is_number(other) && !is_space(other)));
}

BOOST_AUTO_TEST_SUITE_END()
