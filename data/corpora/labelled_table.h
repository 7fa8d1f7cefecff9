#pragma once
/// Texts with labels from a table, whatever its columns are called.

#include <string>
#include <vector>

#include "data/corpora/ag_news.h"

namespace argand {

/// Which columns to take: by their names, or by their numbers from 1; empty: found.
struct TableColumns {
  std::string text, label;
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

/// Reads a table (data/files/table.h). Columns that are not named are those that are called text, review, ... and label, class,
/// ..., and where none is, the longest on average and, of the others, the one with the fewest different values. The first row is a
/// header when it names a column that was asked for, has one of these names, or is the only one with its label. Throws Error,
/// naming file and line: for a column that there is not, for a table of one column, for a row without a label or without a word,
/// and for a label with a control character.
LabelledTable read_labelled_table(const std::string& path, const TableColumns& columns);

/// The labels that occur, once each: numbers by size, words by the alphabet of their bytes. Throws Error for fewer than two, and
/// for more than most_classes.
std::vector<std::string> classes_in(const LabelledTable& table);

/// The rows with their labels as numbers. Throws Error, naming file and line, for a label that is none of these.
std::vector<Article> as_articles(const LabelledTable& table, const std::vector<std::string>& classes);

}  // namespace argand
