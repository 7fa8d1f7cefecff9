/// Fuzzes character lists, SentencePiece models and Hugging Face files: an accepted one tokenizes any text without losing a byte,
/// and is unchanged by writing and rereading.

#include <numeric>

#include "data/tokens/piece_model.h"
#include "data/tokens/piece_tokens.h"
#include "data/tokens/tokenizer.h"
#include "tests/fuzz/fuzz.h"

using namespace argand;

namespace {

constexpr std::string_view sample = "The owl  and\tthe pussy-cat\n\n Größe 日本 😀 ﬁ e\u0301 \u0958 12 <|e|>\n";

void use(const Tokenizer& tokens, std::string_view text) {
  const TokenText read = tokens.encode(text);
  expect(read.bytes.size() == static_cast<std::size_t>(read.ids.size()), "there is a byte count for every token");
  const std::uint64_t bytes = std::accumulate(read.bytes.begin(), read.bytes.end(), std::uint64_t{0});
  expect(read.ids.size() == 0 || bytes == text.size(), "the tokens have all bytes of the text");
  for (const Tokenizer::Id id : read.ids.span()) {
    expect(id >= 0 && id < tokens.size(), "the id is in range");
    tokens.text(id, true);
    expect(!tokens.shown(id).empty(), "the token has a printable form");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static MemoryFile file;
  file.contents(text_of(data, size));
  for (const char* kind : {"char", "bpe", "tokenizer.json"})
    accepts([&] {
      const TokenizerPtr tokens = load_tokens(kind, file.path());
      expect(tokens->file() == text_of(data, size), "the file is written back unchanged");
      use(*tokens, sample);
    });
  accepts([&] { check_piece_model("tokens", "a model", text_of(data, size)); });
  return 0;
}
