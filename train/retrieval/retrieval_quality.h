#pragma once
/// How well an article's description is found by its title.

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

/// A search method, with the share of titles that find their own description among the first 1, 5, 20, 100.
struct RetrievalRow {
  std::string method;
  std::array<double, 4> recall{};
};

/// Query n's own document is document n. Its rank is the number of documents with a larger score; equal ones count as larger when
/// they come first. scores(n) gives the scores of all documents.
RetrievalRow recall_row(std::string method, std::int64_t n_queries, const std::function<std::vector<float>(std::int64_t)>& scores);
/// Ranks by dot product of queries [N, r] and documents [N, r], or by cosine.
RetrievalRow recall_row(std::string method, const Tensor<float>& queries, const Tensor<float>& documents, bool cosine);

/// The baselines without training: BM25, and the cosine of mean embeddings with 256 random numbers per word. Words are
/// search_words().
std::vector<RetrievalRow> baseline_rows(std::span<const Article> articles);
/// The rows of a trained model: the cosine of its mean embeddings; for each reflection window, the cosine of its encodings of title
/// and description, and the dot product of the mean query of the title's tokens with the encoding of the description. Words are
/// those that the model was trained on.
template <RealScalar R>
std::vector<RetrievalRow> model_rows(Model<R>& model, const TrainedRun& trained, std::span<const Article> articles);

}  // namespace argand
