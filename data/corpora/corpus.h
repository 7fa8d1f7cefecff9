#pragma once
/// A text for language models, in three parts that share one vocabulary.

#include "core/tensor.h"
#include "data/vocabulary.h"

namespace argand {

struct Corpus {
  Vocabulary vocabulary;
  Ids train, valid, test;  ///< [N] each
};

}  // namespace argand
