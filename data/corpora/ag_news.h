#pragma once
/// AG News (Zhang, Zhao, LeCun, "Character-level convolutional networks for text classification", NIPS 2015) in its distributed
/// layout, and any other data in that layout.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace argand {

/// A labelled text.
struct Article {
  std::int64_t label = 0;  ///< counted from 0
  std::string title, description;

  /// Title and description, joined by a space.
  std::string text() const { return title + " " + description; }
};

/// Training, validation and test articles, and the names of their labels.
struct ArticleSets {
  std::vector<std::string> classes;
  std::vector<Article> train, test;
  std::vector<Article> valid{};        ///< empty if there is no validation set
  std::string source{};                ///< one line naming the source; may be empty
  std::vector<std::string> preview{};  ///< lines that show how a table was interpreted
};

/// Reads class names, one per line, in numerical order. Throws Error("op: ..."), naming the file and line, for an empty or
/// duplicate name, a tab or other control character, or fewer than two names.
std::vector<std::string> load_classes(std::string_view op, const std::string& path);
/// The contents of a class file, in the format that load_classes() reads.
std::string classes_text(const std::vector<std::string>& classes);
/// Writes classes_text() to `path` atomically. Throws Error.
void save_classes(const std::string& path, const std::vector<std::string>& classes);

/// Reads `path`: lines of "class","title","description" (data/files/csv.h), where class is a number from 1 to n_classes. A `\`
/// represents a line break. An article may lack its title or its description, but not both. Throws Error naming the file, line and
/// reason for anything else; nothing is skipped.
std::vector<Article> read_articles(const std::string& path, std::int64_t n_classes);

/// Reads classes.txt (load_classes), train.csv (or train_sample.csv if there is no train.csv), and test.csv from `directory`.
/// Throws Error as read_articles() does, and for missing files.
ArticleSets load_ag_news(const std::string& directory);

}  // namespace argand
