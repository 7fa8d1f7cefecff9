#include "apps/training/corpora.h"

#include <filesystem>

#include "data/corpora/grammar.h"
#include "data/corpora/topics.h"
#include "data/corpora/wikitext.h"

namespace argand {

// The embedded ones are the same for every run, whatever its seed: runs shall be comparable.

Corpus open_corpus(const std::string& data) {
  if (data == "grammar") return Grammar().corpus(1'000'000, 20'000, 20'000, 0);
  return load_wikitext(data);
}

ArticleSets open_articles(const std::string& data) {
  if (data == "topics") return topic_articles(4000, 1000, 0);
  return load_ag_news(data);
}

std::string findable(const std::string& path) {
  std::error_code ignored;
  if (path == "grammar" || path == "topics" || !std::filesystem::exists(path, ignored)) return path;
  return std::filesystem::absolute(path).lexically_normal().string();
}

TrainingData open_data(const RunConfig& config) {
  const TrainingConfig& t = config.training;
  if (config.model.task == TextTask::Lm) return open_corpus(t.data);
  return make_labelled_corpus(open_articles(t.data), t.words, t.train_articles, t.test_articles);
}

}  // namespace argand
