#pragma once
/// AG News (Zhang, Zhao, LeCun, "Character-level convolutional networks for text classification", NIPS 2015) as it is distributed,
/// and any data in the same layout.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace argand {

/// A labelled text.
struct Article {
  std::int64_t label = 0;  ///< from 0
  std::string title, description;

  /// Title and description, joined by a space.
  std::string text() const { return title + " " + description; }
};

/// Articles in parts, and the names of their labels.
struct ArticleSets {
  std::vector<std::string> classes;
  std::vector<Article> train, test;
  std::vector<Article> valid{};        ///< empty: no validation set
  std::string source{};                ///< one line naming the source; may be empty
  std::vector<std::string> preview{};  ///< lines that show how a table was interpreted
};

/// Reads class names, one per line, in numerical order. Throws Error, starting with `op` and naming file and line, for an empty
/// name, one with a tab or another control character, a duplicate, and fewer than two names.
std::vector<std::string> load_classes(std::string_view op, const std::string& path);
/// The contents of such a file, as load_classes() reads it.
std::string classes_text(const std::vector<std::string>& classes);
/// Writes classes_text(). Atomic; throws Error.
void save_classes(const std::string& path, const std::vector<std::string>& classes);

/// Reads `path`: lines of "class","title","description" (data/files/csv.h), the class a number from 1 to n_classes. A `\` stands
/// for a line break. An article may lack its title or its description, not both. Throws Error naming file, line and reason for
/// anything else; nothing is skipped.
std::vector<Article> read_articles(const std::string& path, std::int64_t n_classes);

/// Reads classes.txt (load_classes), train.csv, or train_sample.csv when there is no train.csv, and test.csv from `directory`.
/// Throws Error as read_articles() does, and for missing files.
ArticleSets load_ag_news(const std::string& directory);

}  // namespace argand
