#pragma once
/// Unicode's normalization form C: every accented letter for which Unicode has a single character is written as that character.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace argand {

/// A text in the form NFC of Unicode 14. Source: Unicode Standard Annex 15. Bytes that are not UTF-8 are kept, except in a
/// sequence that changes, where each becomes U+FFFD.
class NfcText {
 public:
  explicit NfcText(std::string_view text);

  const std::string& text() const { return text_; }
  /// How many bytes of the original text the first `bytes` bytes of this text stand for.
  std::size_t original_bytes(std::size_t bytes) const;

 private:
  struct Change {
    std::size_t at, end;                    ///< in this text
    std::size_t original_at, original_end;  ///< in the original one
  };
  void add(std::string_view part, std::size_t at);

  std::string text_;
  std::vector<Change> changes_;
};

}  // namespace argand
