#pragma once
/// Two encoders, of titles and of descriptions, that learn to find an article by its title: dense passage retrieval (DPR).

#include <functional>
#include <span>

#include "data/corpora/ag_news.h"
#include "data/vocabulary.h"
#include "nn/retrieval/text_encoder.h"
#include "optim/optimizer.h"
#include "optim/schedule.h"

namespace argand {

struct DualEncoderConfig {
  std::int64_t seed = 0;
  std::int64_t epochs = 20;
  std::int64_t layers = 1;  ///< of each encoder; 0: bags of words
  std::int64_t width = 128;
  std::int64_t batch = 128;   ///< pairs a step; all others of a step are negatives
  std::int64_t longest = 64;  ///< words of a text that are read
  double lr = 1e-3;

  std::string to_json() const;
};

/// Some articles come in one piece, the title in front, as those to train on of the sample of AG News: their first words stand for
/// the title then. Others are returned as they are, and so is one that has no more than these words, with an empty description.
inline constexpr std::int64_t words_of_a_title = 7;
Article with_title(const Article& article);

/// Both encoders begin with the same numbers, as DPR's begin with one BERT. Learnt from every article that has both texts
/// (with_title) but each twentieth, which is held out. Its words are the search_words() that occur twice in what is learnt from;
/// others are `<unk>`.
class DualEncoder {
 public:
  /// Throws Error when there are fewer articles than a batch takes.
  DualEncoder(const DualEncoderConfig& config, std::span<const Article> train);

  std::int64_t epoch() const { return epoch_; }  ///< epochs that are done
  bool finished() const { return epoch_ == config_.epochs; }
  std::int64_t steps_per_epoch() const;
  /// One more: the mean loss, nats a title. `progress` is called with the number of steps done.
  double train_epoch(const std::function<void(std::int64_t)>& progress);

  /// Vectors of every article's title and description, [N, width]. Record nothing.
  Tensor<float> titles(std::span<const Article> articles) const;
  Tensor<float> descriptions(std::span<const Article> articles) const;
  const std::vector<Article>& held_out() const { return held_out_; }

  /// All that the next epochs depend on; after the last, without the optimiser's memory.
  void save(const std::string& path) const;
  /// Throws Error unless the file is of this configuration and these articles.
  void load(const std::string& path);

 private:
  Ids ids_of(const std::vector<std::vector<Vocabulary::Id>>& texts) const;
  Tensor<float> encode(const TextEncoder<float>& encoder, std::vector<std::vector<Vocabulary::Id>> texts) const;
  std::vector<Vocabulary::Id> known_words(const std::string& text) const;

  DualEncoderConfig config_;
  std::vector<Article> held_out_;
  Vocabulary vocabulary_;
  std::vector<std::vector<Vocabulary::Id>> titles_, descriptions_;  ///< that are learnt from
  std::unique_ptr<TextEncoder<float>> title_encoder_, description_encoder_;
  ParameterList<float> parameters_;
  std::unique_ptr<Optimizer<float>> optimizer_;
  Schedule schedule_;
  std::int64_t epoch_ = 0;
};

}  // namespace argand
