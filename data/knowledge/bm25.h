#pragma once
/// BM25, the ranking function of classical full-text search: a baseline for learned retrieval.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "data/vocabulary.h"

namespace argand {

/// score(q, D) = Σ_w∈q idf(w) f (k1 + 1)/(f + k1 (1 - b + b |D|/avg)) with idf(w) = ln(1 + (N - n_w + ½)/(n_w + ½)), where w occurs
/// f times in D and n_w of N documents contain w. Repeated query words count each time.
/// Source: Robertson, Zaragoza, "The probabilistic relevance framework: BM25 and beyond" (2009), eq. 3.15; the 1 + in the logarithm
/// keeps idf positive, as in Lucene.
class Bm25 {
 public:
  using Id = Vocabulary::Id;
  /// Takes documents as lists of word ids >= 0. Throws Error for an empty list.
  explicit Bm25(const std::vector<std::vector<Id>>& documents, double k1 = 1.2, double b = 0.75);

  /// The score of every document for a query of ids; ids that occur in no document contribute nothing.
  std::vector<float> scores(std::span<const Id> query) const;

 private:
  struct Posting {
    std::int32_t document;
    float weight;  ///< added to the score per occurrence of the word in the query
  };
  std::int64_t n_documents_;
  std::vector<std::vector<Posting>> postings_;  ///< postings of each word
};

/// Splits text into words as search engines do: lower-cased runs of letters and digits, without punctuation. Adds new words to the
/// vocabulary. Throws Error for text that is not UTF-8.
std::vector<Vocabulary::Id> search_words(std::string_view text, Vocabulary& vocabulary);

}  // namespace argand
