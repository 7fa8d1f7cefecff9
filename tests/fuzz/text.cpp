/// Fuzzes a user's text: cleaning makes it valid, splitting it loses nothing, and every kind of tokenizer trained on it can encode
/// all of it.

#include <numeric>

#include "data/corpora/text_parts.h"
#include "data/files/utf8.h"
#include "data/tokens/tokenizer.h"
#include "tests/fuzz/fuzz.h"

using namespace argand;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  accepts([&] {
    const std::string text = clean_text(std::string(text_of(data, size)), "a text");
    expect(text.ends_with('\n') && text.find('\0') == text.npos && !first_invalid_utf8(text), "the cleaned text is valid");
    for (const char* split : {"90/5/5", "50/50", "1/1/98"}) {
      const TextParts parts = cut(text, parse_split(split));
      expect(parts.train + parts.valid + parts.test == text, "splitting loses nothing");
      for (const std::string& part : {parts.train, parts.valid, parts.test})
        expect(!first_invalid_utf8(part), "a part has whole characters");
    }
    for (const char* kind : {"char", "byte", "words"})
      accepts([&] {
        const TokenText read = make_tokens({.kind = kind}, text)->encode(text);
        const std::uint64_t bytes = std::accumulate(read.bytes.begin(), read.bytes.end(), std::uint64_t{0});
        expect(bytes == text.size(), "the tokens have all bytes of the text");
      });
  });
  accepts([&] { parse_split(text_of(data, size)); });
  return 0;
}
