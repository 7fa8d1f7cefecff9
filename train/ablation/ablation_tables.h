#pragma once
/// The comparisons of an ablation, and the paper's claims about them.

#include "nn/family.h"

namespace argand {

struct AblationRow {
  std::string name;        ///< folder name: "without-pcl"
  std::string what;        ///< description in the printed table
  KeyTexts settings;       ///< on top of the preset
  std::string paper = "";  ///< the paper's figure, verbatim, or empty
  bool extra = false;      ///< trained only when requested by name
};

/// A paper's claim about two rows: that one is better (lower perplexity, higher accuracy), or that they are alike.
struct AblationClaim {
  std::string paper;                    ///< the claim in the paper's words
  std::string better = "", worse = "";  ///< rows; empty when no row can test it
  /// For a claim that they are alike: the largest difference, in % of perplexity or in points of accuracy.
  std::optional<double> within = {};
  std::string out_of_reach = "";  ///< why no row can test it
};

struct AblationTable {
  std::string task;  ///< "lm" or "classify"
  std::string preset;
  std::string source;             ///< the paper's table or figure, and what it measures if that differs
  std::vector<AblationRow> rows;  ///< the first is the reference for the others
  std::vector<AblationClaim> claims = {};
  std::vector<std::string> interventions = {};  ///< parameter settings to test, as in Variants
  std::string note = "";                        ///< printed below the table
  std::string costs = "";                       ///< what the paper says about costs, printed below them
  std::string family = {};                      ///< the paper's family
};

/// Whether a row can have this name: that of its folder.
bool is_row_name(const std::string& name);

/// A family's variants, without a paper's claims. Throws InputError, with a suggestion, for a family that has none.
AblationTable ablation_table(const std::string& family);

/// "complexformer|crope|crat|qic"
std::string ablation_families();

}  // namespace argand
