#include "data/tokens/tokenizer.h"

#include "core/error.h"
#include "data/tokens/bpe_tokens.h"
#include "data/tokens/character_tokens.h"
#include "data/tokens/piece_tokens.h"
#include "data/tokens/word_tokens.h"

namespace argand {
namespace {

/// By default, texts with more distinct characters than this are split into pieces: so large an alphabet would need a large model.
constexpr std::int64_t small_alphabet = 256;

TokenizerPtr tokens_for(std::string_view training_text) {
  if (auto characters = std::make_shared<CharacterTokens>(training_text); characters->size() <= small_alphabet + 1)
    return characters;
  return make_tokens({.kind = have_sentencepiece() ? "bpe" : "byte"}, training_text);
}

}  // namespace

TokenizerPtr Tokenizer::extended(std::string_view, std::int64_t) const { return nullptr; }

std::string Tokenizer::shown(std::span<const Id> ids) const {
  std::string line;
  for (const Id id : ids) line += shown(id);
  return line;
}

bool is_token_file(std::string_view kind) { return kind.ends_with(".model") || kind.ends_with(".json"); }

const char* plural_of(std::string_view kind) {
  return kind == "words" ? "words" : kind == "char" ? "characters" : kind == "byte" ? "bytes" : "pieces";
}

TokenizerPtr make_tokens(const TokenChoice& choice, std::string_view training_text) {
  const std::string& kind = choice.kind;
  if (kind == "auto") return tokens_for(training_text);
  if (kind == "char") return std::make_shared<CharacterTokens>(training_text);
  if (kind == "byte") return std::make_shared<ByteTokens>();
  if (kind == "words") return std::make_shared<WordTokens>(words_of(training_text, choice.words));
  if (is_token_file(kind)) return load_tokens(kind, kind);
  require(kind == "bpe" || kind == "unigram", "tokens", "unknown token kind {}", kind);
  return learn_pieces(kind, training_text, choice.pieces > 0 ? choice.pieces : default_pieces);
}

std::string token_file(std::string_view kind) {
  if (kind == "byte") return "";
  if (kind.ends_with(".json")) return "tokenizer.json";
  return kind == "words" || kind == "char" ? "vocab.txt" : "tokens.model";
}

TokenizerPtr load_tokens(std::string_view kind, const std::string& path) {
  if (kind == "byte") return std::make_shared<ByteTokens>();
  if (kind == "char") return CharacterTokens::load(path);
  if (kind == "words") return std::make_shared<WordTokens>(Vocabulary::load(path));
  return kind.ends_with(".json") ? load_bpe(path) : load_pieces(path);
}

}  // namespace argand
