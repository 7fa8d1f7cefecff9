#pragma once
/// All tables of an ablation's results, and whether a page has them.

#include <string>
#include <vector>

#include "train/ablation/result_table.h"

namespace argand {

struct NamedTable {
  std::string kind;      ///< "rows", "rates", "pace", "claims", "texts", "positions", "interventions", "lookup"; "costs"
  std::string markdown;  ///< with what explains it
};
/// Those that the runs can fill, in this order; of costs that one alone.
std::vector<NamedTable> tables_of(const ResultTable& runs);

/// One below the other.
std::string markdown_of(const ResultTable& runs);
/// AblationReport::json(), and the tables by kind.
std::string json_of(const ResultTable& runs);

/// Writes table.md, table.json and, if runs were probed, probes.md to OUT.
void write_tables(const ResultTable& runs, const std::string& out);

/// One line for each line of the tables that the page does not have.
std::vector<std::string> missing_in_page(const ResultTable& runs, const std::string& page);

}  // namespace argand
