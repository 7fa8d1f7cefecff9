#pragma once
/// The ablations of the families' papers: which models a table compares, each as a few settings on top of a shared preset.

#include <string>
#include <utility>
#include <vector>

namespace argand {

struct AblationRow {
  std::string name;                                           ///< of its folder: "without-pcl"
  std::string what;                                           ///< for the table
  std::vector<std::pair<std::string, std::string>> settings;  ///< key and text, on top of the preset
  std::string paper = "";                                     ///< the figure that the paper states, or empty
};

struct AblationTable {
  std::string family;  ///< whose paper
  std::string task;    ///< "lm" or "classify"
  std::string preset;
  std::string source;  ///< which table or figure of the paper
  std::vector<AblationRow> rows;
  std::string note = "The paper's own figures were not at hand: its column is empty.";  ///< printed below the table
};

/// Throws UsageError, with a suggestion, for a family without a table.
AblationTable ablation_table(const std::string& family);

/// "complexformer|crope|crat|qic"
std::string ablation_families();

}  // namespace argand
