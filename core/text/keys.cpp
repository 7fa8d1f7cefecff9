#include "core/text/keys.h"

#include <algorithm>
#include <numeric>

#include "core/error.h"

namespace argand {

std::vector<std::string> split_choices(std::string_view choices) {
  std::vector<std::string> words;
  while (!choices.empty()) {
    const auto bar = std::min(choices.find('|'), choices.size());
    words.emplace_back(choices.substr(0, bar));
    choices = choices.substr(std::min(bar + 1, choices.size()));
  }
  return words;
}

std::string closest_word(const std::string& word, const std::vector<std::string>& known) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& candidate : known) {
    // Levenshtein's distance, one row at a time.
    std::vector<std::size_t> row(candidate.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= word.size(); ++i) {
      std::size_t diagonal = row[0];
      row[0] = i;
      for (std::size_t j = 1; j <= candidate.size(); ++j) {
        const std::size_t substituted = diagonal + (word[i - 1] != candidate[j - 1]);
        diagonal = row[j];
        row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
      }
    }
    if (row.back() < best_distance) best_distance = row.back(), best = candidate;
  }
  return best;
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& known) {
  const std::string close = closest_word(word, known);
  return close.empty() ? "" : fmt::format("; did you mean {}?", close);
}

std::string current_key(const std::string& key) {
  for (const auto& [before, now] : renamed_keys)
    if (key == before) return now;
  return key;
}

int index_of_word(std::string_view key, const std::string& word, std::string_view choices) {
  const std::vector<std::string> words = split_choices(choices);
  const auto found = std::find(words.begin(), words.end(), word);
  if (found == words.end()) fail("config", "{} \"{}\" is not one of {}{}", key, word, choices, did_you_mean(word, words));
  return static_cast<int>(found - words.begin());
}

}  // namespace argand
