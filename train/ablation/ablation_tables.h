#pragma once
/// The comparisons of an ablation, and the paper's claims about them.

#include "nn/family.h"

namespace argand {

struct AblationRow {
  std::string name;        ///< folder name: "without-pcl"
  std::string what;        ///< description in the printed table
  KeyTexts settings;       ///< on top of the preset
  std::string paper = "";  ///< the paper's figure, verbatim; may be empty
  bool extra = false;      ///< trained only when requested by name
};

/// A paper's claim about two rows: that one is better (lower perplexity, higher accuracy), or that they are equivalent.
struct AblationClaim {
  std::string paper;                    ///< the claim in the paper's words
  std::string better = "", worse = "";  ///< rows; empty if no row can test the claim
  /// For a claim of equivalence: the largest allowed difference, in % of perplexity or in points of accuracy.
  std::optional<double> within = {};
  std::string out_of_reach = "";  ///< why no row can test it
};

struct AblationTable {
  std::string task;  ///< "lm" or "classify"
  std::string preset;
  std::string source;             ///< the table or figure in the paper, and what it measures if that differs
  std::vector<AblationRow> rows;  ///< the first is the reference that the others are compared with
  std::vector<AblationClaim> claims = {};
  std::vector<std::string> interventions = {};  ///< parameter settings to test, as in Variants
  std::string note = "";                        ///< printed below the table
  std::string costs = "";                       ///< what the paper says about costs, printed below the costs
  std::string family = {};                      ///< the paper's family
};

/// Whether this can be the name of a row, which is also its folder's name.
bool is_row_name(const std::string& name);

/// A family's variants, without a paper's claims. Throws InputError, with a suggestion, if the family has none.
AblationTable ablation_table(const std::string& family);

/// The families that have variants, such as "complexformer|crope|crat|qic".
std::string ablation_families();

}  // namespace argand
