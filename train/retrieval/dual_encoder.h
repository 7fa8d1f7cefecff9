#pragma once
/// Two encoders, for titles and for descriptions, trained to find an article by its title: dense passage retrieval (DPR).

#include <functional>
#include <span>

#include "data/corpora/ag_news.h"
#include "data/vocabulary.h"
#include "nn/retrieval/text_encoder.h"
#include "optim/optimizer.h"
#include "optim/rate.h"

namespace argand {

struct DualEncoderConfig {
  std::int64_t seed = 0;
  std::int64_t epochs = 20;
  std::int64_t layers = 1;  ///< per encoder; 0: bags of words
  std::int64_t width = 128;
  std::int64_t batch = 128;   ///< pairs per step; each pair's negatives are the others of its step
  std::int64_t longest = 64;  ///< maximum number of words read from a text
  double lr = 1e-3;

  std::string to_json() const;
};

/// Some articles come in one piece, title first, like the training articles in the sample of AG News: their first words then serve
/// as the title. Other articles are returned unchanged, as is one that has no words beyond these: its description stays empty.
inline constexpr std::int64_t words_of_a_title = 7;
Article with_title(const Article& article);

/// Both encoders start with the same weights, as DPR's start from one BERT. They train on the articles that have both texts
/// (with_title); every twentieth is held out. The words are the search_words() that occur twice in the training texts; others are
/// `<unk>`.
class DualEncoder {
 public:
  /// Throws Error when there are fewer articles than one batch.
  DualEncoder(const DualEncoderConfig& config, std::span<const Article> train);

  std::int64_t epoch() const { return epoch_; }  ///< completed epochs
  bool finished() const { return epoch_ == config_.epochs; }
  std::int64_t steps_per_epoch() const;
  /// Trains one more epoch and returns the mean loss, nats per title. `progress` receives the number of steps done.
  double train_epoch(const std::function<void(std::int64_t)>& progress);

  /// The vectors of all titles or descriptions, [N, width]. Nothing is recorded.
  Tensor<float> titles(std::span<const Article> articles) const;
  Tensor<float> descriptions(std::span<const Article> articles) const;
  const std::vector<Article>& held_out() const { return held_out_; }

  /// Saves the state for the next epochs; after the last, without the optimiser's state.
  void save(const std::string& path) const;
  /// Throws Error if the file is for another configuration or other articles.
  void load(const std::string& path);

 private:
  Ids ids_of(const std::vector<std::vector<Vocabulary::Id>>& texts) const;
  Tensor<float> encode(const TextEncoder<float>& encoder, std::vector<std::vector<Vocabulary::Id>> texts) const;
  std::vector<Vocabulary::Id> known_words(const std::string& text) const;

  DualEncoderConfig config_;
  std::vector<Article> held_out_;
  Vocabulary vocabulary_;
  std::vector<std::vector<Vocabulary::Id>> titles_, descriptions_;  ///< to learn from
  std::unique_ptr<TextEncoder<float>> title_encoder_, description_encoder_;
  ParameterList<float> parameters_;
  std::unique_ptr<Optimizer<float>> optimizer_;
  WarmupCosine schedule_;
  std::int64_t epoch_ = 0;
};

}  // namespace argand
