#pragma once
/// Texts with labels from a table, whatever its columns are called.

#include <optional>
#include <string>
#include <vector>

#include "data/corpora/ag_news.h"
#include "data/files/table.h"

namespace argand {

/// How to read a table. What is empty or 0 is found.
struct TableColumns {
  std::string text{}, label{};   ///< columns, by their names or by their numbers from 1
  char delimiter = 0;            ///< between fields
  std::optional<bool> header{};  ///< whether the first row names the columns
};

/// More classes than these are a sign of the wrong column.
inline constexpr std::size_t most_classes = 1000;

struct LabelledTable {
  std::string path;
  std::vector<std::int64_t> lines;  ///< of each row
  std::vector<std::string> labels, texts;
  std::string columns;  ///< for people: "text" and "label" as they are called or numbered

  std::int64_t size() const { return static_cast<std::int64_t>(lines.size()); }
};

/// Reads a table (data/files/table.h). Columns that are not named are those of the likeliest name, text, review, tweet_text, ...
/// and label, class, stars, ..., and where there is none, the longest on average and, of the others that are mostly filled, the one
/// with the fewest different values. The first row is a header when it names a column that was asked for, has one of these names,
/// or is the only one with its label. Throws Error, naming file and line: for a column that there is not, for a table of one
/// column, for a row without a label or without a word, and for a label with a control character.
LabelledTable read_labelled_table(const std::string& path, const TableColumns& columns);

/// Where the texts of a table without labels are.
struct TextColumn {
  std::size_t column = 0;
  bool has_header = false;         ///< the first row is none of data
  std::vector<std::string> names;  ///< of all columns; empty where they have none
};

/// Finds the column as read_labelled_table() does; `beginning`: the first rows. The first row is a header also when its fields are
/// single words, and all texts below have more. Throws Error, naming the file, for a column that there is not.
TextColumn find_texts(const Table& beginning, const std::string& path, const TableColumns& columns);

/// The labels that occur, once each: numbers by size, words by the alphabet of their bytes. Throws Error for fewer than two, and
/// for more than most_classes.
std::vector<std::string> classes_in(const LabelledTable& table);

/// For people: how often each label occurs, the first three rows, and a warning of labels that occur once.
std::vector<std::string> preview_of(const LabelledTable& table);

/// The rows with their labels as numbers. Throws Error, naming file and line, for a label that is none of these.
std::vector<Article> as_articles(const LabelledTable& table, const std::vector<std::string>& classes);

}  // namespace argand
