#include "apps/ablation/result_tables.h"

#include <set>
#include <sstream>

#include "apps/ablation/ablation_report.h"
#include "apps/ablation/probe_tables.h"
#include "data/files/atomic_file.h"

namespace argand {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<NamedTable> tables_of(const ResultTable& runs, const AblationReport& report) {
  std::vector<NamedTable> all = {{"costs", runs.costs ? report.costs() : ""}};
  if (!runs.costs)
    all = {{"rows", report.rows()},
           {"rates", report.rates()},
           {"pace", report.pace()},
           {"claims", report.claims()},
           {"texts", texts_table(runs)},
           {"positions", positions_table(runs)},
           {"interventions", interventions_table(runs)},
           {"lookup", lookup_table(runs)}};
  std::erase_if(all, [](const NamedTable& table) { return table.markdown.empty(); });
  return all;
}

}  // namespace

std::vector<NamedTable> tables_of(const ResultTable& runs) { return tables_of(runs, AblationReport(runs)); }

std::string markdown_of(const ResultTable& runs) {
  std::vector<std::string> tables;
  for (NamedTable& table : tables_of(runs)) tables.push_back(std::move(table.markdown));
  return join_tables(tables);
}

std::string json_of(const ResultTable& runs) {
  const AblationReport report(runs);
  std::string text = report.json();
  text.erase(text.rfind('}'));
  nlohmann::ordered_json tables = nlohmann::ordered_json::object();
  for (const NamedTable& table : tables_of(runs, report)) tables[table.kind] = table.markdown;
  return text + ",\n\"tables\":" + tables.dump() + "}\n";
}

void write_tables(const ResultTable& runs, const std::string& out) {
  const AblationReport report(runs);
  write_file_atomically(out + "/table.md", report.markdown());
  write_file_atomically(out + "/table.json", report.json());
  if (const std::string probes = probe_tables(runs); !probes.empty()) write_file_atomically(out + "/probes.md", probes);
}

std::vector<std::string> missing_in_page(const ResultTable& runs, const std::string& page) {
  const std::vector<std::string> lines = lines_of(page);
  const std::set<std::string> known(lines.begin(), lines.end());
  std::vector<std::string> missing;
  for (const NamedTable& table : tables_of(runs)) {
    if (("\n" + page).find("\n" + table.markdown) != std::string::npos) continue;
    const std::size_t before = missing.size();
    for (const std::string& line : lines_of(table.markdown))
      if (!known.contains(line)) missing.push_back(fmt::format("{}: {}", table.kind, line));
    if (missing.size() == before) missing.push_back(fmt::format("{}: all lines are there, but not consecutive", table.kind));
  }
  return missing;
}

}  // namespace argand
