#pragma once
/// Character and byte tokens.

#include <array>
#include <unordered_map>

#include "data/tokens/tokenizer.h"

namespace argand {

/// The Unicode characters of a text, in code point order, followed by `<unk>` for all others.
class CharacterTokens final : public Tokenizer {
 public:
  /// Throws Error for an empty text.
  explicit CharacterTokens(std::string_view text);
  /// Reads the contents of file().
  static std::shared_ptr<const CharacterTokens> load(const std::string& path);

  std::string kind() const override { return "char"; }
  std::int64_t size() const override { return static_cast<std::int64_t>(characters_.size()) + 1; }
  TokenText encode(std::string_view text) const override;
  std::string text(Id id, bool line_start) const override;
  std::string shown(Id id) const override;
  using Tokenizer::shown;
  std::optional<Id> unknown() const override { return static_cast<Id>(characters_.size()); }
  /// One character per line, with ASCII control characters and the backslash as \xNN; `<unk>` comes last.
  std::string file() const override;
  TokenizerPtr extended(std::string_view text, std::int64_t most) const override;

 private:
  CharacterTokens() = default;
  void add(char32_t character);

  std::vector<char32_t> characters_;
  std::unordered_map<char32_t, Id> ids_;
};

/// The 256 bytes, in numerical order.
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
