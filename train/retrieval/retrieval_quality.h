#pragma once
/// How well titles retrieve the descriptions of their articles.

#include <array>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "data/corpora/ag_news.h"
#include "nn/model.h"
#include "train/checkpoints/trained_run.h"

namespace argand {

inline constexpr std::array<std::int64_t, 4> recall_depths{1, 5, 20, 100};

/// A search method with its recall at 1, 5, 20 and 100: the fraction of titles that find the right description.
struct RetrievalRow {
  std::string method;
  std::array<double, 4> recall{};
};

/// The right document for query n is document n. Its rank is the number of documents with a larger score; equal scores count as
/// larger if they come first. scores(n) returns the scores of all documents for query n.
RetrievalRow recall_row(std::string method, std::int64_t n_queries, const std::function<std::vector<float>(std::int64_t)>& scores);
/// Ranks by the dot product or the cosine of queries [N, r] and documents [N, r].
RetrievalRow recall_row(std::string method, const Tensor<float>& queries, const Tensor<float>& documents, bool cosine);

/// The untrained baselines: BM25, and the cosine of mean embeddings with 256 random values per word. Words are search_words().
std::vector<RetrievalRow> baseline_rows(std::span<const Article> articles);
/// Results for a trained model: the cosine of its mean embeddings; for each reflection window, the cosine of its encodings of title
/// and description, and the dot product of the title's mean query with the description's encoding. Uses the model's vocabulary.
template <RealScalar R>
std::vector<RetrievalRow> model_rows(Model<R>& model, const TrainedRun& trained, std::span<const Article> articles);

}  // namespace argand
