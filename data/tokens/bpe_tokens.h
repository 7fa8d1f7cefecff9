#pragma once
/// GPT-2's byte-level BPE, loaded from a tokenizer.json in the format of Hugging Face's tokenizers. Source: Radford et al.,
/// "Language Models are Unsupervised Multitask Learners", 2019.

#include "data/tokens/tokenizer.h"

namespace argand {

/// Loads a tokenizer.json. A text gets the same ids as from `Tokenizer.encode(text, add_special_tokens=False)`: added tokens in the
/// text are recognised; settings for truncation, padding and post-processing are ignored. Throws Error, naming the file, if it is
/// damaged or needs an unsupported feature: a model other than BPE, a normalizer other than NFC, or pre-tokenizers other than
/// ByteLevel, optionally preceded by Digits and Split. With NFC the byte counts of tokens refer to the original text.
TokenizerPtr load_bpe(const std::string& path);

}  // namespace argand
