#pragma once
/// Tokens that are characters, or bytes.

#include <array>
#include <unordered_map>

#include "data/tokens/tokenizer.h"

namespace argand {

/// The characters of Unicode that a text has, in the order of their numbers, and `<unk>`, the last, for all others.
class CharacterTokens final : public Tokenizer {
 public:
  /// Throws Error for a text that is empty.
  explicit CharacterTokens(std::string_view text);
  /// Reads what file() said.
  static std::shared_ptr<const CharacterTokens> load(const std::string& path);

  std::string kind() const override { return "char"; }
  std::int64_t size() const override { return static_cast<std::int64_t>(characters_.size()) + 1; }
  TokenText encode(std::string_view text) const override;
  std::string text(Id id, bool line_start) const override;
  std::string shown(Id id) const override;
  using Tokenizer::shown;
  std::optional<Id> unknown() const override { return static_cast<Id>(characters_.size()); }
  /// One character a line, ASCII control characters and the backslash as \xNN; `<unk>` is the last.
  std::string file() const override;
  TokenizerPtr extended(std::string_view text, std::int64_t most) const override;

 private:
  CharacterTokens() = default;
  void add(char32_t character);

  std::vector<char32_t> characters_;
  std::unordered_map<char32_t, Id> ids_;
};

/// The 256 bytes, by their numbers.
class ByteTokens final : public Tokenizer {
 public:
  std::string kind() const override { return "byte"; }
  std::int64_t size() const override { return 256; }
  TokenText encode(std::string_view text) const override;
  std::string text(Id id, bool line_start) const override;
  std::string shown(Id id) const override;
  using Tokenizer::shown;
  std::string file() const override { return ""; }
};

}  // namespace argand
