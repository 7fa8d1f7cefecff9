#pragma once
/// All tables of an ablation's results, and a check that a page contains them.

#include <string>
#include <vector>

#include "train/ablation/result_table.h"

namespace argand {

struct NamedTable {
  std::string kind;      ///< "rows", "rates", "pace", "claims", "texts", "positions", "interventions", "lookup"; "costs"
  std::string markdown;  ///< the table, including its explanation
};
/// The tables for which the runs have data, in the order above; only the table of costs if they contain only costs.
std::vector<NamedTable> tables_of(const ResultTable& runs);

/// All tables in Markdown.
std::string markdown_of(const ResultTable& runs);
/// AblationReport::json(), and the tables by kind.
std::string json_of(const ResultTable& runs);

/// Writes table.md, table.json and, if runs were probed, probes.md to OUT.
void write_tables(const ResultTable& runs, const std::string& out);

/// The lines of the tables that the page lacks.
std::vector<std::string> missing_in_page(const ResultTable& runs, const std::string& page);

}  // namespace argand
