#pragma once
/// The knowledge base of a run's reflection windows: passages of the training text or of a file, and the search for them.

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

/// The passages and search indexes at one step of a run. It cannot be moved, because passes hold pointers into it.
class PassageStore {
 public:
  /// `encodings`: one tensor [P, irw_dim] per reflection window, from which approximate indexes are built; empty: exact search.
  /// `by_chunk`: adds a search by shared tokens (FrozenSearch).
  PassageStore(KnowledgeBase base, std::vector<Tensor<float>> encodings, bool by_chunk);
  PassageStore(const PassageStore&) = delete;
  PassageStore& operator=(const PassageStore&) = delete;

  const KnowledgeBase& base() const { return base_; }
  const Knowledge& knowledge() const { return knowledge_; }
  std::size_t indexes() const { return indexes_.size(); }
  /// From now on, replaces each retrieved passage with a fixed other one: its successor in a random order of all passages, drawn
  /// from this seed. The successor may be excluded, so do not use this with training text. Throws Error for a single passage.
  void exchange_passages(std::uint64_t seed);
  /// The encodings from which a window's approximate index was built.
  const Tensor<float>& encodings(std::size_t window) const;
  /// Mean recall@k of the approximate indexes, measured on the queries of the first row in the first batch. Empty before that, or
  /// if the search is exact.
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
  /// Null for a model without reflection windows. The data must use the model's tokens. Throws ConfigError if the configuration
  /// does not fit the text (a window might find fewer than irw_top_k passages that are not excluded), or if it requires hnswlib
  /// and argand was built without it.
  static std::unique_ptr<Retriever> of(const RunConfig& config, const TrainingData& data);

  /// The number of steps after which the store is rebuilt.
  std::int64_t refresh_every() const { return refresh_; }
  bool due(std::int64_t step) const { return step % refresh_ == 0; }
  /// Whether searches are approximate.
  bool approximate() const { return approximate_; }

  /// The store for training step `step`, counted from 0: its passages are a pure function of (text, seed, step / refresh_every()),
  /// its indexes a function of the passages and the model's current parameters.
  template <RealScalar R>
  std::unique_ptr<PassageStore> store(std::int64_t step, const Model<R>& model) const;
  /// The same store, with the encodings from which its indexes were first built.
  std::unique_ptr<PassageStore> store(std::int64_t step, std::vector<Tensor<float>> encodings) const;

  /// The range [first, last) of training-text tokens that row b of a batch reads and predicts.
  std::pair<std::int64_t, std::int64_t> window(const Batch& batch, std::size_t b) const;
  /// For each row of a training batch, the passages that overlap its window; empty if the passages come from a file.
  std::vector<RowRange> excluded(const PassageStore& store, const Batch& batch) const;

  /// The text from which passages are cut, [N].
  const Ids& text() const { return text_; }
  /// Whether text() is the training text.
  bool of_training_text() const { return !from_file_; }

 private:
  Retriever(const RunConfig& config, const TrainingData& data);
  KnowledgeBase base(std::int64_t step) const;

  KnowledgeConfig config_;
  std::uint64_t seed_;
  bool from_file_, by_chunk_, approximate_ = false;
  Ids text_;
  std::vector<std::int64_t> article_ends_;  ///< end of each article in the text; empty for language models
  std::int64_t refresh_ = 1;
};

/// The retriever of a trained model and its store at the last step, with a newly built index; empty for a model without reflection
/// windows. Opens the training data; throws Error if they are missing.
struct OpenRetriever {
  std::unique_ptr<Retriever> retriever;
  std::unique_ptr<PassageStore> store;

  template <RealScalar R>
  OpenRetriever(const TrainedRun& trained, const Model<R>& model);

  /// The context for text outside the training data.
  ForwardContext context() const { return {.knowledge = store ? &store->knowledge() : nullptr}; }
  /// The context for a batch of the training data.
  ForwardContext training_context(const Batch& batch) const;
};

}  // namespace argand
