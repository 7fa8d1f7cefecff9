#pragma once
/// Where a run's reflection windows look things up: passages of the training text, or of a file, and how they are searched.

#include <functional>
#include <memory>
#include <optional>

#include "data/knowledge/frozen_search.h"
#include "data/knowledge/hnsw_index.h"
#include "data/knowledge/knowledge_base.h"
#include "nn/model.h"
#include "train/checkpoints/trained_run.h"
#include "train/data/task.h"

namespace argand {

/// The passages of one moment of a run, ready to be searched. It stays where it is: passes hold pointers into it.
class PassageStore {
 public:
  /// `encodings`: of every reflection window [P, irw_dim], to build approximate indexes on; empty: exact search. `by_chunk`: with a
  /// search by words (FrozenSearch).
  PassageStore(KnowledgeBase base, std::vector<Tensor<float>> encodings, bool by_chunk);
  PassageStore(const PassageStore&) = delete;
  PassageStore& operator=(const PassageStore&) = delete;

  const KnowledgeBase& base() const { return base_; }
  const Knowledge& knowledge() const { return knowledge_; }
  std::size_t indexes() const { return indexes_.size(); }
  /// From now on every passage that is found has another one read in its place, always the same: the next in a random order of all,
  /// of this seed. Excluded passages may then be read, so not for training text. Throws Error when there is only one passage.
  void exchange_passages(std::uint64_t seed);
  /// The encodings that the approximate index of a window was built from.
  const Tensor<float>& encodings(std::size_t window) const;
  /// Recall@k of the approximate indexes, their mean, on the queries of the first row of the first batch retrieved.
  /// Nothing before that, or when the search is exact.
  std::optional<double> recall() const;

 private:
  class MeasuredIndex;
  KnowledgeBase base_;
  std::vector<std::unique_ptr<MeasuredIndex>> indexes_;
  Knowledge knowledge_;

 public:
  ~PassageStore();
};

class Retriever {
 public:
  /// Null for a model without reflection windows. The data are in the model's tokens. Throws ConfigError when the configuration and
  /// the text do not fit: so few passages that a window might find fewer than irw_top_k that it may see, or
  /// an index that argand was built without.
  static std::unique_ptr<Retriever> of(const RunConfig& config, const TrainingData& data);

  /// Steps for which one store serves.
  std::int64_t refresh_every() const { return refresh_; }
  bool due(std::int64_t step) const { return step % refresh_ == 0; }
  /// Whether stores have an approximate index.
  bool approximate() const { return approximate_; }

  /// The store of training step number `step`, counted from 0: passages are a pure function of (text, seed, step /
  /// refresh_every()), an index of them and of the model's parameters now.
  template <RealScalar R>
  std::unique_ptr<PassageStore> store(std::int64_t step, const Model<R>& model) const;
  /// The same with the encodings that its index was once built on.
  std::unique_ptr<PassageStore> store(std::int64_t step, std::vector<Tensor<float>> encodings) const;

  /// Which tokens of the text row b of a batch of training data predicts from and to: [first, last).
  std::pair<std::int64_t, std::int64_t> window(const Batch& batch, std::size_t b) const;
  /// For each row of a batch of training data the passages that overlap its window; none are excluded when passages are of another
  /// text, or the batch is.
  std::vector<RowRange> excluded(const PassageStore& store, const Batch& batch) const;

  /// The text that passages are cut from, [N].
  const Ids& text() const { return text_; }
  /// Whether that is the text that is trained on.
  bool of_training_text() const { return !from_file_; }

 private:
  Retriever(const RunConfig& config, const TrainingData& data);
  KnowledgeBase base(std::int64_t step) const;

  KnowledgeConfig config_;
  std::uint64_t seed_;
  bool from_file_, by_chunk_, approximate_ = false;
  Ids text_;
  std::vector<std::int64_t> article_ends_;  ///< where in the text each article ends; empty for language models
  std::int64_t refresh_ = 1;
};

/// The retriever of a trained model and its store as of its last step, with an index of its own; empty for a model without
/// reflection windows. Opens the training data; throws Error when they are gone.
struct OpenRetriever {
  std::unique_ptr<Retriever> retriever;
  std::unique_ptr<PassageStore> store;

  template <RealScalar R>
  OpenRetriever(const TrainedRun& trained, const Model<R>& model);

  /// For text that is not trained on.
  ForwardContext context() const { return {.knowledge = store ? &store->knowledge() : nullptr}; }
  /// For a batch of the data that are trained on.
  ForwardContext training_context(const Batch& batch) const;
};

}  // namespace argand
