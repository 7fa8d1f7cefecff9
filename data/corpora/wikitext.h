#pragma once
/// WikiText-2 (Merity, Xiong, Bradbury, Socher, "Pointer sentinel mixture models", ICLR 2017) as it is distributed, or any text
/// laid out like it.

#include <string>

#include "data/corpora/corpus.h"

namespace argand {

/// Reads train, valid and test from `directory`, either train.txt, valid.txt, test.txt or wiki.train.tokens and so on.
/// Tokens are words between whitespace, and `<eos>` after every line, blank ones too: perplexities are comparable with those
/// published for the word-level data. Ids are in the order of first occurrence over train, valid, test.
/// Throws Error naming file and line when a file is missing, empty, contains a zero byte or is not UTF-8.
Corpus load_wikitext(const std::string& directory);

}  // namespace argand
