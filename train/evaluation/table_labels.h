#pragma once
/// Labels the texts of a table with a classifier.

#include <functional>

#include "data/corpora/labelled_table.h"
#include "train/evaluation/classification.h"

namespace argand {

/// The output format. Unset values are taken from the input table.
struct LabelledForm {
  std::optional<bool> json{};  ///< JSON lines; otherwise rows with `delimiter` between fields
  char delimiter = 0;          ///< as in TableRows
  std::size_t top = 1;         ///< how many labels per row, most probable first
};

struct LabelledRows {
  std::int64_t rows = 0, without_words = 0;  ///< rows without words are not labelled
};

/// Returns all labels for a text, most probable first; none for a text without words.
using GuessLabels = std::function<std::vector<Guess>(const std::string& text)>;

/// Passes every row to `write` as soon as it is labelled: the row itself, followed by the columns `predicted`, `probability`,
/// `predicted_2`, `probability_2`, etc.; in JSON, by `predicted`, `probability` and, for the `top` labels, `probabilities`. A row
/// of JSON lines is otherwise copied verbatim. `wanted` specifies the text column, as for find_texts(); by default it is the column
/// `usual`, if it exists. Throws Error as TableRows does, and for a table that already contains one of the added columns.
LabelledRows label_rows(const std::string& path, TableColumns wanted, const std::string& usual, const LabelledForm& form,
                        const GuessLabels& guess, const std::function<void(const std::string&)>& write);

/// The format implied by a file's name.
LabelledForm form_of(const std::string& name);

}  // namespace argand
