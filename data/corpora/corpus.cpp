#include "data/corpora/corpus.h"

namespace argand {

Corpus in_tokens(TokenizerPtr tokens, std::string_view train, std::string_view valid, std::string_view test) {
  Corpus corpus{.tokens = std::move(tokens)};
  const auto encode = [&](std::string_view text, Ids& ids, std::vector<std::uint32_t>& bytes, std::vector<bool>& unknown) {
    TokenText encoded = corpus.tokens->encode(text);
    ids = std::move(encoded.ids);
    bytes = std::move(encoded.bytes);
    unknown = std::move(encoded.unknown);
  };
  encode(train, corpus.train, corpus.bytes.train, corpus.unknown.train);
  encode(valid, corpus.valid, corpus.bytes.valid, corpus.unknown.valid);
  encode(test, corpus.test, corpus.bytes.test, corpus.unknown.test);
  return corpus;
}

}  // namespace argand
