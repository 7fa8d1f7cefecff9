#pragma once
/// A language model's loss in bits per byte of text, comparable across tokenizers.

#include <cmath>
#include <cstdint>

namespace argand {

/// The cost in bits of spelling out unknown tokens, with one of 257 symbols for each byte and for the end of each token.
inline double bits_to_spell(std::int64_t unknown, std::int64_t bytes) {
  return static_cast<double>(unknown + bytes) * std::log2(257.0);
}

/// Converts losses to bits per byte, given the average number of bytes per token.
struct BitsPerByte {
  double bytes_per_token = 0;  ///< 0 if unknown
  double spelled = 0;          ///< bits_to_spell() divided by the number of all tokens
  bool known() const { return bytes_per_token > 0; }
  /// `loss` is in nats per token.
  double operator()(double loss) const { return (loss / std::log(2.0) + spelled) / bytes_per_token; }
};

}  // namespace argand
