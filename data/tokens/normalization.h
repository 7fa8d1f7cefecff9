#pragma once
/// Unicode normalization form C: every accented letter for which Unicode has a single character is written as that character.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace argand {

/// A text in normalization form C (Unicode 14). Source: Unicode Standard Annex 15. Invalid UTF-8 is kept, except within a sequence
/// that normalization changes, where each invalid byte becomes U+FFFD.
class NfcText {
 public:
  explicit NfcText(std::string_view text);

  const std::string& text() const { return text_; }
  /// The number of bytes of the original text that correspond to the first `bytes` bytes of this text.
  std::size_t original_bytes(std::size_t bytes) const;

 private:
  struct Change {
    std::size_t at, end;                    ///< in this text
    std::size_t original_at, original_end;  ///< in the original text
  };
  void add(std::string_view part, std::size_t at);

  std::string text_;
  std::vector<Change> changes_;
};

}  // namespace argand
