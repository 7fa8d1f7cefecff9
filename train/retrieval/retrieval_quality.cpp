#include "train/retrieval/retrieval_quality.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "autograd/tape.h"
#include "core/gemm.h"
#include "core/nearest.h"
#include "core/parallel.h"
#include "data/knowledge/bm25.h"
#include "data/labelled_texts.h"

namespace argand {
namespace {

using Words = std::vector<Vocabulary::Id>;

constexpr std::int64_t random_width = 256;

std::int64_t rank_of(std::int64_t own, std::span<const float> scores) {
  const float score = scores[static_cast<std::size_t>(own)];
  std::int64_t rank = 0;
  for (std::int64_t d = 0; d < static_cast<std::int64_t>(scores.size()); ++d) {
    const float other = scores[static_cast<std::size_t>(d)];
    rank += other > score || (other == score && d < own);
  }
  return rank;
}

RetrievalRow row_of(std::string method, const std::vector<std::int64_t>& ranks) {
  RetrievalRow row{std::move(method)};
  for (std::size_t i = 0; i < recall_depths.size(); ++i)
    row.recall[i] = static_cast<double>(std::count_if(ranks.begin(), ranks.end(), [&](auto r) { return r < recall_depths[i]; })) /
                    static_cast<double>(std::max<std::size_t>(1, ranks.size()));
  return row;
}

/// x with its rows scaled to length 1.
Tensor<float> normalised(const Tensor<float>& x) {
  Tensor<float> y = x.clone();
  const std::int64_t r = x.dim(1);
  for (std::int64_t n = 0; n < x.dim(0); ++n) {
    float* row = y.data() + n * r;
    double square = 0;
    for (std::int64_t c = 0; c < r; ++c) square += static_cast<double>(row[c]) * static_cast<double>(row[c]);
    const auto inverse = static_cast<float>(square > 0 ? 1 / std::sqrt(square) : 0.0);
    for (std::int64_t c = 0; c < r; ++c) row[c] *= inverse;
  }
  return y;
}

/// For each text, the mean of the rows of a table [V, r] that belong to its words; 0 for a text without words.
Tensor<float> mean_embeddings(const Tensor<float>& table, const std::vector<Words>& texts) {
  const std::int64_t r = table.dim(1);
  Tensor<float> means = Tensor<float>::zeros({static_cast<std::int64_t>(texts.size()), r});
  for (std::size_t n = 0; n < texts.size(); ++n)
    for (const Vocabulary::Id word : texts[n])
      for (std::int64_t c = 0; c < r; ++c)
        means.data()[static_cast<std::int64_t>(n) * r + c] += table.data()[word * r + c] / static_cast<float>(texts[n].size());
  return means;
}

/// An index that returns arbitrary rows and records the mean query.
class QueryRecorder final : public RowIndex {
 public:
  Ids nearest(const Tensor<float>& queries, std::int64_t k, std::span<const RowRange>) const override {
    const std::int64_t N = queries.dim(0), r = queries.dim(1);
    mean = Tensor<float>::zeros({r});
    for (std::int64_t n = 0; n < N; ++n)
      for (std::int64_t c = 0; c < r; ++c) mean.data()[c] += queries.data()[n * r + c] / static_cast<float>(N);
    Ids first(Shape{N, k});
    for (std::int64_t i = 0; i < first.size(); ++i) first[i] = static_cast<Ids::value_type>(i % k);
    return first;
  }
  mutable Tensor<float> mean;  ///< mean query of the last call, over tokens
};

Words words_of(const TrainedRun& trained, const std::string& text, std::int64_t longest) {
  Words words;
  if (trained.checkpoint.config().model.task == TextTask::Classify) {
    words = classifier_ids(trained.words(), text);
  } else {
    const Ids ids = trained.tokens->encode(text).ids;
    words.assign(ids.span().begin(), ids.span().end());
  }
  words.resize(std::min(words.size(), static_cast<std::size_t>(longest)));
  return words;
}

/// Each window's encodings [N, r] of texts of any length; texts of equal length are encoded together.
template <RealScalar R>
std::vector<Tensor<float>> encodings_of(const Model<R>& model, const std::vector<Words>& texts) {
  std::map<std::size_t, std::vector<std::int64_t>> by_length;
  for (std::size_t n = 0; n < texts.size(); ++n) by_length[texts[n].size()].push_back(static_cast<std::int64_t>(n));
  std::vector<Tensor<float>> all;
  for (const auto& [length, rows] : by_length) {
    if (length == 0) continue;  // remains 0
    Words joined;
    for (const std::int64_t n : rows)
      joined.insert(joined.end(), texts[static_cast<std::size_t>(n)].begin(), texts[static_cast<std::size_t>(n)].end());
    const Ids passages({static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(length)}, std::move(joined));
    const auto encodings = model.encode_passages(passages);
    for (std::size_t w = 0; w < encodings.size(); ++w) {
      const std::int64_t r = encodings[w].dim(1);
      if (all.size() <= w) all.push_back(Tensor<float>::zeros({static_cast<std::int64_t>(texts.size()), r}));
      const Tensor<float> own = in_float(encodings[w]);
      for (std::size_t i = 0; i < rows.size(); ++i)
        std::copy_n(own.data() + static_cast<std::int64_t>(i) * r, r, all[w].data() + rows[i] * r);
    }
  }
  return all;
}

/// For each window, the mean query of the tokens of each text, [N, r].
template <RealScalar R>
std::vector<Tensor<float>> mean_queries(Model<R>& model, const std::vector<Words>& texts, std::int64_t r) {
  const NoGrad none;
  const std::size_t windows = model.config().windows().layers.size();
  const auto N = static_cast<std::int64_t>(texts.size());
  std::vector<Tensor<float>> all;
  for (std::size_t w = 0; w < windows; ++w) all.push_back(Tensor<float>::zeros({N, r}));
  const Ids passages({model.config().windows().top_k, 1});  // the windows must have something to read
  std::vector<QueryRecorder> recorders(windows);
  Knowledge knowledge{.passages = &passages};
  for (const QueryRecorder& recorder : recorders) knowledge.indexes.push_back(&recorder);
  const ForwardContext pass{.knowledge = &knowledge};
  for (std::int64_t n = 0; n < N; ++n) {
    const Words& words = texts[static_cast<std::size_t>(n)];
    if (words.empty()) continue;
    const Ids tokens({1, static_cast<std::int64_t>(words.size())}, words);
    if (model.config().task == TextTask::Lm) {
      const auto cache = model.make_cache(1);
      model.next_logits(tokens, *cache, pass);
    } else {
      model.logits(tokens, pass);
    }
    for (std::size_t w = 0; w < windows; ++w) std::copy_n(recorders[w].mean.data(), r, all[w].data() + n * r);
  }
  return all;
}

}  // namespace

RetrievalRow recall_row(std::string method, std::int64_t n_queries, const std::function<std::vector<float>(std::int64_t)>& scores) {
  std::vector<std::int64_t> ranks(static_cast<std::size_t>(n_queries));
  parallel_for(n_queries, 16, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t n = begin; n < end; ++n) ranks[static_cast<std::size_t>(n)] = rank_of(n, scores(n));
  });
  return row_of(std::move(method), ranks);
}

RetrievalRow recall_row(std::string method, const Tensor<float>& queries, const Tensor<float>& documents, bool cosine) {
  require(queries.shape() == documents.shape() && queries.rank() == 2, "recall",
          "queries and documents must have the same shape [N, r], got {} and {}", queries.shape(), documents.shape());
  const Tensor<float> q = cosine ? normalised(queries) : queries, d = cosine ? normalised(documents) : documents;
  const std::int64_t N = q.dim(0), r = q.dim(1);
  std::vector<std::int64_t> ranks(static_cast<std::size_t>(N));
  constexpr std::int64_t tile = 64;
  parallel_for(N, tile, [&](std::int64_t begin, std::int64_t end) {
    std::vector<float> scores(static_cast<std::size_t>(tile * N));
    for (std::int64_t from = begin; from < end; from += tile) {
      const std::int64_t rows = std::min(tile, end - from);
      gemm<float>(Transpose::No, Transpose::Yes, rows, N, r, 1, q.data() + from * r, r, d.data(), r, 0, scores.data(), N);
      for (std::int64_t i = 0; i < rows; ++i)
        ranks[static_cast<std::size_t>(from + i)] = rank_of(from + i, {scores.data() + i * N, static_cast<std::size_t>(N)});
    }
  });
  return row_of(std::move(method), ranks);
}

std::vector<RetrievalRow> baseline_rows(std::span<const Article> articles) {
  Vocabulary vocabulary;
  std::vector<Words> titles, descriptions;
  for (const Article& article : articles) {
    titles.push_back(search_words(article.title, vocabulary));
    descriptions.push_back(search_words(article.description, vocabulary));
  }
  const Bm25 bm25(descriptions);
  const auto scores = [&](std::int64_t n) { return bm25.scores(titles[static_cast<std::size_t>(n)]); };
  const auto table = randn<float>({vocabulary.size(), random_width}, Random(0));
  return {recall_row("BM25", static_cast<std::int64_t>(articles.size()), scores),
          recall_row("mean of random embeddings", mean_embeddings(table, titles), mean_embeddings(table, descriptions), true)};
}

template <RealScalar R>
std::vector<RetrievalRow> model_rows(Model<R>& model, const TrainedRun& trained, std::span<const Article> articles) {
  std::vector<Words> titles, descriptions;
  for (const Article& article : articles) {
    titles.push_back(words_of(trained, article.title, model.config().max_seq_len));
    descriptions.push_back(words_of(trained, article.description, model.config().max_seq_len));
  }
  std::vector<RetrievalRow> rows;
  for (const Parameter<R>& p : model.parameters()) {
    if (p.name != "embedding.weight" || p.is_complex()) continue;
    const Tensor<float> table = in_float(std::get<Var<R>>(p.var).value());
    rows.push_back(
        recall_row("mean of the run's embeddings", mean_embeddings(table, titles), mean_embeddings(table, descriptions), true));
  }
  const auto encoded_titles = encodings_of(model, titles), encoded = encodings_of(model, descriptions);
  if (encoded.empty()) return rows;
  const auto queries = mean_queries(model, titles, encoded.front().dim(1));
  for (std::size_t w = 0; w < encoded.size(); ++w) {
    const std::string window = fmt::format("window of layer {}", model.config().windows().layers[w]);
    rows.push_back(recall_row(window + ", encodings of both", encoded_titles[w], encoded[w], true));
    rows.push_back(recall_row(window + ", query of the title", queries[w], encoded[w], false));
  }
  return rows;
}

template std::vector<RetrievalRow> model_rows(Model<float>&, const TrainedRun&, std::span<const Article>);
template std::vector<RetrievalRow> model_rows(Model<double>&, const TrainedRun&, std::span<const Article>);

}  // namespace argand
