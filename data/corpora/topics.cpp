#include "data/corpora/topics.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/error.h"
#include "core/random.h"
#include "data/files/text_file.h"
#include "data/files/utf8.h"

namespace argand {
namespace {

constexpr std::uint64_t article_streams = std::uint64_t{0x746f70696373} << 8;
constexpr double own_topic = 0.55;
constexpr std::size_t n_topics = 4, n_nouns = 12, n_verbs = 8, n_adjectives = 6;

struct Topic {
  const char* name;
  std::array<const char*, n_nouns> nouns;
  std::array<const char*, n_verbs> verbs;
  std::array<const char*, n_adjectives> adjectives;
};

constexpr std::array<Topic, n_topics> topics = {{
    {"Kitchen",
     {"soup", "oven", "cook", "pan", "bread", "sauce", "spoon", "onion", "table", "recipe", "pepper", "kettle"},
     {"boils", "bakes", "tastes", "stirs", "burns", "serves", "simmers", "melts"},
     {"salty", "crisp", "sweet", "roasted", "spicy", "creamy"}},
    {"Harbour",
     {"ship", "captain", "anchor", "sail", "crew", "pier", "lighthouse", "gull", "cargo", "rope", "tide", "ferry"},
     {"sails", "docks", "drifts", "sinks", "arrives", "loads", "tows", "floats"},
     {"stormy", "foggy", "rusty", "coastal", "seaworthy", "windy"}},
    {"Stage",
     {"violin", "singer", "drum", "concert", "audience", "melody", "choir", "piano", "dancer", "curtain", "trumpet", "opera"},
     {"sings", "rehearses", "applauds", "dances", "performs", "hums", "tunes", "bows"},
     {"loud", "famous", "solemn", "rhythmic", "quiet", "dramatic"}},
    {"Garden",
     {"rose", "spade", "gardener", "seed", "hedge", "lawn", "bee", "apple", "tulip", "compost", "fountain", "beetle"},
     {"blooms", "grows", "digs", "withers", "ripens", "plants", "sprouts", "buzzes"},
     {"green", "fragrant", "sunny", "thorny", "muddy", "blossoming"}},
}};

// N, V and A are placeholders for a noun, a verb and an adjective.
constexpr std::array<std::string_view, 6> templates = {"the A N V near the N",        "every N V",
                                                       "a N and a N V today",         "people say that the N V again",
                                                       "the N is A but the N is not", "nobody knows why the A N V"};

/// Generates article `number` from a random stream reserved for it.
class Writer {
 public:
  Writer(std::uint64_t seed, std::uint64_t number) : random_(seed, article_streams + number) {}

  Article article() {
    topic_ = below(n_topics);
    Article article{static_cast<std::int64_t>(topic_), sentence(), {}};
    for (std::size_t left = 1 + below(3); left > 0; --left) article.description += sentence() + (left > 1 ? " . " : " .");
    return article;
  }

 private:
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_.below(drawn_++, n)); }

  const Topic& some_topic() {
    if (random_.uniform(drawn_++) < own_topic) return topics[topic_];
    return topics[(topic_ + 1 + below(n_topics - 1)) % n_topics];
  }

  std::string sentence() {
    std::string text;
    for (std::string_view rest = templates[below(templates.size())];;) {
      const std::string_view word = take_word(rest);
      if (word.empty()) return text;
      if (!text.empty()) text += ' ';
      if (word == "N")
        text += some_topic().nouns[below(n_nouns)];
      else if (word == "V")
        text += some_topic().verbs[below(n_verbs)];
      else if (word == "A")
        text += some_topic().adjectives[below(n_adjectives)];
      else
        text += word;
    }
  }

  Random random_;
  std::uint64_t drawn_ = 0;
  std::size_t topic_ = 0;
};

bool has_word(const Topic& topic, std::string_view word) {
  const auto in = [&](const auto& words) { return std::find(words.begin(), words.end(), word) != words.end(); };
  return in(topic.nouns) || in(topic.verbs) || in(topic.adjectives);
}

}  // namespace

ArticleSets topic_articles(std::int64_t n_train, std::int64_t n_test, std::uint64_t seed) {
  ArticleSets sets;
  for (const Topic& topic : topics) sets.classes.emplace_back(topic.name);
  // Even streams are for training, odd ones for testing, so no article depends on the number of articles.
  for (std::int64_t i = 0; i < n_train; ++i) sets.train.push_back(Writer(seed, 2 * static_cast<std::uint64_t>(i)).article());
  for (std::int64_t i = 0; i < n_test; ++i) sets.test.push_back(Writer(seed, 2 * static_cast<std::uint64_t>(i) + 1).article());
  return sets;
}

double best_possible_accuracy(std::span<const Article> articles) {
  double right = 0;
  for (const Article& article : articles) {
    std::array<std::int64_t, n_topics> counts{};
    const std::string text = article.text();
    std::string_view rest = text;
    for (std::string_view word = take_word(rest); !word.empty(); word = take_word(rest))
      for (std::size_t k = 0; k < n_topics; ++k) counts[k] += has_word(topics[k], word);
    const std::int64_t most = *std::max_element(counts.begin(), counts.end());
    require(most > 0 && article.label >= 0 && article.label < static_cast<std::int64_t>(n_topics), "topics",
            "{} is not an article of the embedded corpus", in_quotes(text));
    if (counts[static_cast<std::size_t>(article.label)] == most)
      right += 1 / static_cast<double>(std::count(counts.begin(), counts.end(), most));
  }
  return right / static_cast<double>(articles.size());
}

}  // namespace argand
