#include "data/knowledge/bm25.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "core/error.h"
#include "data/lowercase.h"

namespace argand {

Bm25::Bm25(const std::vector<std::vector<Id>>& documents, double k1, double b)
    : n_documents_(static_cast<std::int64_t>(documents.size())) {
  require(n_documents_ > 0, "bm25", "requires at least one document");
  double words = 0;
  for (const auto& document : documents) words += static_cast<double>(document.size());
  const auto N = static_cast<double>(n_documents_);
  const double average = std::max(1.0, words / N);
  for (std::size_t d = 0; d < documents.size(); ++d) {
    std::map<Id, int> counts;
    for (const Id word : documents[d]) {
      require(word >= 0, "bm25", "word ids must not be negative, got {}", word);
      ++counts[word];
    }
    const double norm = k1 * (1 - b + b * static_cast<double>(documents[d].size()) / average);
    for (const auto& [word, count] : counts) {
      if (static_cast<std::size_t>(word) >= postings_.size()) postings_.resize(static_cast<std::size_t>(word) + 1);
      postings_[static_cast<std::size_t>(word)].push_back(
          {static_cast<std::int32_t>(d), static_cast<float>(count * (k1 + 1) / (count + norm))});
    }
  }
  for (auto& documents_with : postings_) {
    const auto n = static_cast<double>(documents_with.size());
    const double idf = std::log(1 + (N - n + 0.5) / (n + 0.5));
    for (Posting& posting : documents_with) posting.weight *= static_cast<float>(idf);
  }
}

std::vector<float> Bm25::scores(std::span<const Id> query) const {
  std::vector<float> scores(static_cast<std::size_t>(n_documents_));
  for (const Id word : query)
    if (word >= 0 && static_cast<std::size_t>(word) < postings_.size())
      for (const Posting& posting : postings_[static_cast<std::size_t>(word)])
        scores[static_cast<std::size_t>(posting.document)] += posting.weight;
  return scores;
}

std::vector<Vocabulary::Id> search_words(std::string_view text, Vocabulary& vocabulary) {
  // All non-ASCII bytes count as letters. (The quotation marks and dashes of AG News are ASCII.)
  const auto is_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (static_cast<unsigned char>(c) >= 128);
  };
  const std::string lower = lowercase(text);
  std::vector<Vocabulary::Id> ids;
  for (auto at = lower.begin();;) {
    const auto begin = std::find_if(at, lower.end(), is_word);
    if (begin == lower.end()) return ids;
    at = std::find_if_not(begin, lower.end(), is_word);
    ids.push_back(vocabulary.add(std::string(begin, at)));
  }
}

}  // namespace argand
