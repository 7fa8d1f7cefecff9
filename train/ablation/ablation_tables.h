#pragma once
/// What an ablation compares, and what a paper says of it.

#include "nn/family.h"

namespace argand {

struct AblationRow {
  std::string name;        ///< of its folder: "without-pcl"
  std::string what;        ///< for the table
  KeyTexts settings;       ///< on top of the preset
  std::string paper = "";  ///< the figure that the paper states, as it does, or empty
  bool extra = false;      ///< trained only when it is asked for by name
};

/// What the paper says of two rows: that one is better (of lower perplexity, of higher accuracy), or that they are alike.
struct AblationClaim {
  std::string paper;                    ///< its words and figures
  std::string better = "", worse = "";  ///< rows; empty where no row can tell
  /// The claim is that they are alike, so far apart at most: in % of perplexity, in points of accuracy.
  std::optional<double> within = {};
  std::string out_of_reach = "";  ///< why no row can tell
};

struct AblationTable {
  std::string task;  ///< "lm" or "classify"
  std::string preset;
  std::string source;             ///< which table or figure of the paper, and what it measures where that is something else
  std::vector<AblationRow> rows;  ///< the first is what the others are compared with
  std::vector<AblationClaim> claims = {};
  std::vector<std::string> interventions = {};  ///< as in Variants
  std::string note = "";                        ///< printed below the table
  std::string costs = "";                       ///< what the paper says of them, printed below theirs
  std::string family = {};                      ///< whose paper
};

/// The variants of a family, without a paper's word. Throws InputError, with a suggestion, for a family that has none.
AblationTable ablation_table(const std::string& family);

/// "complexformer|crope|crat|qic"
std::string ablation_families();

}  // namespace argand
