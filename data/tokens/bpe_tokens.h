#pragma once
/// Byte-level BPE, as GPT-2 reads text, from a tokenizer.json of Hugging Face's tokenizers. Source: Radford et al., "Language
/// Models are Unsupervised Multitask Learners", 2019.

#include "data/tokens/tokenizer.h"

namespace argand {

/// Loads a tokenizer.json. The ids of a text are those of `Tokenizer.encode(text, add_special_tokens=False)`: added tokens are
/// found in the text, and what the file says of truncation, padding and post-processing is passed over. Throws Error, naming the
/// file, for one that is damaged or does what is not understood here: another model than BPE, another normalizer than NFC, another
/// pre-tokenizer than ByteLevel, alone or after Digits and Split. With NFC a token's bytes are those of the text as it was.
TokenizerPtr load_bpe(const std::string& path);

}  // namespace argand
