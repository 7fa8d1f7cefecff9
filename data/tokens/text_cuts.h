#pragma once
/// The rules by which byte-level BPE cuts a text, before it merges bytes within the parts.

#include <cstddef>
#include <optional>
#include <string_view>

namespace argand {

enum class TextCut {
  Digits,     ///< between digits and all else
  EachDigit,  ///< the same, and between two digits
  Gpt2,       ///< GPT-2's words
  Gpt4,       ///< GPT-4's and Llama 3's: line ends apart, at most three digits together
  Qwen2,      ///< the same with single digits
};

/// The length of the first part in bytes; the text is not empty.
std::size_t first_part(TextCut cut, std::string_view text);

/// The rule that a tokenizer.json spells as this regular expression; nothing for any other expression.
std::optional<TextCut> cut_of_regex(std::string_view regex);

}  // namespace argand
