#pragma once
/// GPT-2's byte-level BPE, loaded from a tokenizer.json of Hugging Face's tokenizers. Source: Radford et al., "Language Models are
/// Unsupervised Multitask Learners", 2019.

#include "data/tokens/tokenizer.h"

namespace argand {

/// Loads a tokenizer.json. The ids of a text are those of `Tokenizer.encode(text, add_special_tokens=False)`: added tokens in the
/// text are recognised; settings for truncation, padding and post-processing are ignored. Throws Error, naming the file, if it is
/// damaged or needs what is not supported: a model other than BPE, a normalizer other than NFC, a pre-tokenizer other than
/// ByteLevel, alone or after Digits and Split. With NFC the byte counts of tokens refer to the original text.
TokenizerPtr load_bpe(const std::string& path);

}  // namespace argand
