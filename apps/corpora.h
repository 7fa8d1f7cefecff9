#pragma once
/// The texts that --data may name.

#include <string>

#include "data/corpus.h"

namespace argand {

/// `grammar`: the embedded corpus, a million words of it to train on. Otherwise a folder laid out like WikiText-2.
/// Throws Error.
Corpus open_corpus(const std::string& data);

}  // namespace argand
