#pragma once
/// A table of texts with what a classifier says of each.

#include <functional>

#include "data/corpora/labelled_table.h"
#include "train/evaluation/classification.h"

namespace argand {

/// How the rows are written. What is not said is as in the table that is read.
struct LabelledForm {
  std::optional<bool> json{};  ///< JSON lines; otherwise rows with `delimiter` between fields
  char delimiter = 0;          ///< as TableRows has it
  std::size_t top = 1;         ///< how many labels of each row, the likeliest first
};

struct LabelledRows {
  std::int64_t rows = 0, without_words = 0;  ///< those without words get no label
};

/// All labels of a text, the likeliest first; none for a text without words.
using GuessLabels = std::function<std::vector<Guess>(const std::string& text)>;

/// Hands every row to `write` as soon as it is labelled, as it was and with `predicted` and `probability` behind its columns, then
/// `predicted_2` and `probability_2` and so on; as JSON with `predicted`, `probability` and, of the `top` labels, `probabilities`.
/// A row of JSON lines stays as it was, character by character. `wanted`: where the texts are, as find_texts() takes it; where it
/// does not say and there is a column `usual`, it is that one. Throws Error as TableRows, and for a table that has one of these
/// columns already.
LabelledRows label_rows(const std::string& path, TableColumns wanted, const std::string& usual, const LabelledForm& form,
                        const GuessLabels& guess, const std::function<void(const std::string&)>& write);

/// The format given by a file's name.
LabelledForm form_of(const std::string& name);

}  // namespace argand
