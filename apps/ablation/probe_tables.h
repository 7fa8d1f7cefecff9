#pragma once
/// Markdown tables of measurements of trained language models other than their loss; "" where no run was measured.

#include <string>

#include "train/ablation/result_table.h"

namespace argand {

/// The diversity of generated texts, and their loss under a judge.
std::string texts_table(const ResultTable& runs);
/// Perplexity by the number of preceding tokens.
std::string positions_table(const ResultTable& runs);
/// What learnt parameters contribute: the loss when they are replaced by a constant.
std::string interventions_table(const ResultTable& runs);
/// For rows with retrieval: whether models ever read what they are to predict, and how much reading passages improves the loss.
std::string lookup_table(const ResultTable& runs);

/// All these tables.
std::string probe_tables(const ResultTable& runs);

}  // namespace argand
