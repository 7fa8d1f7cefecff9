#include "train/checks/report_json.h"

#include <nlohmann/json.hpp>

namespace argand {

nlohmann::json report_json(const Report& report) {
  const auto pair = [](std::complex<double> z) { return nlohmann::json::array({z.real(), z.imag()}); };
  nlohmann::json json{{"name", report.name},
                      {"verdict", verdict_name(report.verdict())},
                      {"ok", report.ok()},
                      {"diagnosis", report.diagnosis()},
                      {"rows", nlohmann::json::array()},
                      {"independent", nlohmann::json::array()},
                      {"notes", report.notes}};
  for (const ReportRow& row : report.rows) {
    nlohmann::json elements = nlohmann::json::array();
    for (const ElementCheck& e : row.elements)
      elements.push_back({{"element", report.element_name(e)},
                          {"gradient", pair(e.values.analytic)},
                          {"numerical", pair(e.values.numerical)},
                          {"bar", e.values.error},
                          {"verdict", verdict_name(e.verdict)}});
    json["rows"].push_back({{"name", row.name},
                            {"verdict", verdict_name(row.verdict)},
                            {"compared", row.compared},
                            {"worst_error", row.worst_error},
                            {"bar", row.verdict.bar()},
                            {"elements", elements}});
  }
  for (const IndependentCheck& c : report.independent)
    json["independent"].push_back({{"name", c.name}, {"of", c.of}, {"opinion", opinion_name(c.opinion)}, {"finding", c.finding}});
  if (const ElementCheck* e = report.worst(); e != nullptr)
    json["worst"] = report.element_name(*e) + ": " + describe(e->values, e->verdict, report.rows[e->input].is_complex());
  return json;
}

}  // namespace argand
