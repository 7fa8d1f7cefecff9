#pragma once
/// The rules by which byte-level BPE splits a text before merging bytes within the parts.

#include <cstddef>
#include <optional>
#include <string_view>

namespace argand {

enum class TextCut {
  Digits,     ///< split digits from everything else
  EachDigit,  ///< the same, and split digits from each other
  Gpt2,       ///< GPT-2's rule for words
  Gpt4,       ///< GPT-4's and Llama 3's rule: line breaks are separate, at most three digits together
  Qwen2,      ///< the same with single digits
};

/// The length in bytes of the first part of a non-empty text.
std::size_t first_part(TextCut cut, std::string_view text);

/// The rule that corresponds to this regular expression in a tokenizer.json; empty for any other expression.
std::optional<TextCut> cut_of_regex(std::string_view regex);

}  // namespace argand
