#pragma once
/// Tables of what was measured of trained language models besides their loss, as Markdown; "" where no run was measured so.

#include <string>

#include "train/ablation/result_table.h"

namespace argand {

/// How varied the texts are that they write, and what a judge says of them.
std::string texts_table(const ResultTable& runs);
/// Their perplexity by the number of preceding tokens.
std::string positions_table(const ResultTable& runs);
/// What learnt parameters are worth: how much worse the rows that have them do with a fixed number in their place.
std::string interventions_table(const ResultTable& runs);
/// For the rows that look things up: whether they read what they are to predict, and what reading is worth.
std::string lookup_table(const ResultTable& runs);

/// All of them.
std::string probe_tables(const ResultTable& runs);

}  // namespace argand
