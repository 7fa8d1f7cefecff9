#pragma once
/// BM25, the ranking function of classical full-text search: what a learnt retrieval has to compare itself with.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "data/vocabulary.h"

namespace argand {

/// score(q, D) = Σ_w∈q idf(w) f (k1 + 1)/(f + k1 (1 - b + b |D|/avg)), f = how often w occurs in D,
/// idf(w) = ln(1 + (N - n_w + ½)/(n_w + ½)), n_w of N documents having w. A word that the query repeats counts each time.
/// Source: Robertson, Zaragoza, "The probabilistic relevance framework: BM25 and beyond" (2009), eq. 3.15; the 1 + in the logarithm
/// keeps idf positive, as Lucene does.
class Bm25 {
 public:
  using Id = Vocabulary::Id;
  /// Documents as the ids of their words, not negative. Throws Error when there are none.
  explicit Bm25(const std::vector<std::vector<Id>>& documents, double k1 = 1.2, double b = 0.75);

  /// Of every document, for a query of ids; those that no document has add nothing.
  std::vector<float> scores(std::span<const Id> query) const;

 private:
  struct Posting {
    std::int32_t document;
    float weight;  ///< what one occurrence of the word in the query adds to the score
  };
  std::int64_t n_documents_;
  std::vector<std::vector<Posting>> postings_;  ///< by word
};

/// The words that search engines see: runs of letters and digits, lower-cased, without the punctuation between them. New words are
/// added to the vocabulary. Throws Error for text that is not UTF-8.
std::vector<Vocabulary::Id> search_words(std::string_view text, Vocabulary& vocabulary);

}  // namespace argand
