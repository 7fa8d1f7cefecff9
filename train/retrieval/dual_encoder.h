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
  std::int64_t layers = 1;  ///< layers per encoder; 0: bags of words
  std::int64_t width = 128;
  std::int64_t batch = 128;   ///< pairs per step; the negatives for each pair are the other pairs of its step
  std::int64_t longest = 64;  ///< maximum number of words read from a text
  double lr = 1e-3;

  std::string to_json() const;
};

/// Some articles are a single text that begins with the title, like the training articles in the AG News sample: their first
/// words are used as the title. Other articles are returned unchanged, as are those that consist of no more than these words.
inline constexpr std::int64_t words_of_a_title = 7;
Article with_title(const Article& article);

/// Both encoders start with the same weights, just as DPR's start from the same BERT. They are trained on the articles that have
/// both texts (with_title); every twentieth is held out. The words are the search_words() that occur at least twice in the training
/// texts; others are `<unk>`.
class DualEncoder {
 public:
  /// Throws Error if there are fewer articles than a batch needs.
  DualEncoder(const DualEncoderConfig& config, std::span<const Article> train);

  std::int64_t epoch() const { return epoch_; }  ///< completed epochs
  bool finished() const { return epoch_ == config_.epochs; }
  std::int64_t steps_per_epoch() const;
  /// Trains for one epoch and returns the mean loss in nats per title. `progress` receives the number of steps done.
  double train_epoch(const std::function<void(std::int64_t)>& progress);

  /// The vectors of all titles or descriptions, [N, width]. Not recorded on the tape.
  Tensor<float> titles(std::span<const Article> articles) const;
  Tensor<float> descriptions(std::span<const Article> articles) const;
  const std::vector<Article>& held_out() const { return held_out_; }

  /// Saves the state needed for the next epochs; after the last epoch, without the optimiser's state.
  void save(const std::string& path) const;
  /// Throws Error if the file is for a different configuration or different articles.
  void load(const std::string& path);

 private:
  Ids ids_of(const std::vector<std::vector<Vocabulary::Id>>& texts) const;
  Tensor<float> encode(const TextEncoder<float>& encoder, std::vector<std::vector<Vocabulary::Id>> texts) const;
  std::vector<Vocabulary::Id> known_words(const std::string& text) const;

  DualEncoderConfig config_;
  std::vector<Article> held_out_;
  Vocabulary vocabulary_;
  std::vector<std::vector<Vocabulary::Id>> titles_, descriptions_;  ///< the training pairs
  std::unique_ptr<TextEncoder<float>> title_encoder_, description_encoder_;
  ParameterList<float> parameters_;
  std::unique_ptr<Optimizer<float>> optimizer_;
  WarmupCosine schedule_;
  std::int64_t epoch_ = 0;
};

}  // namespace argand
