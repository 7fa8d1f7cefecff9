#pragma once
/// Labelled texts from a table with arbitrary columns.

#include <optional>
#include <string>
#include <vector>

#include "data/corpora/ag_news.h"
#include "data/files/table.h"

namespace argand {

/// How to read a table. Values that are empty or 0 are detected automatically.
struct TableColumns {
  std::string text{}, label{};   ///< columns, by name or by number from 1
  char delimiter = 0;            ///< between fields
  std::optional<bool> header{};  ///< whether the first row names the columns
};

/// A table with more classes than this probably uses the wrong column.
inline constexpr std::size_t most_classes = 1000;

struct LabelledTable {
  std::string path;
  std::vector<std::int64_t> lines;  ///< line number of each row
  std::vector<std::string> labels, texts;
  std::string columns;  ///< for messages: the names or numbers of the text and label columns

  std::int64_t size() const { return static_cast<std::int64_t>(lines.size()); }
};

/// Reads a table (data/files/table.h). Columns that are not specified are found by name, in order of preference: text, review,
/// tweet_text, ... and label, class, stars, ...; otherwise the text is the longest column on average, and the label is the one with
/// the fewest distinct values among the other mostly filled columns. The first row is taken as a header if it names a requested
/// column, contains one of these names, or consists of single words and no other row has its label. Throws Error, naming file and
/// line: for an unknown column, for a table of one column or without rows, for a row without a label or without a word, and for a
/// label with a control character.
LabelledTable read_labelled_table(const std::string& path, const TableColumns& columns);

/// Which column of an unlabelled table holds the texts.
struct TextColumn {
  std::size_t column = 0;
  bool has_header = false;         ///< whether the first row is a header
  std::vector<std::string> names;  ///< of all columns; empty if there is no header
};

/// Finds the column as read_labelled_table() does; `beginning` holds the first rows. The first row is also taken as a header if all
/// its fields are single words and all texts below it have more than one. Throws Error, naming the file, for an unknown column.
TextColumn find_texts(const Table& beginning, const std::string& path, const TableColumns& columns);

/// The distinct labels: numbers by value, words in byte order. Throws Error for fewer than two or more than most_classes.
std::vector<std::string> classes_in(const LabelledTable& table);

/// Lines for the user: how often each label occurs, the first three rows, and a warning about labels that occur once.
std::vector<std::string> preview_of(const LabelledTable& table);

/// The rows with labels converted to class indices. Throws Error, naming the file and line, for a label not in `classes`.
std::vector<Article> as_articles(const LabelledTable& table, const std::vector<std::string>& classes);

}  // namespace argand
