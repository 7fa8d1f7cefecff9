#include "apps/checks/outside_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "apps/terminal/text_layout.h"

namespace argand {
namespace {

const Shape& shape_in(const AnyTensor& x) {
  return std::visit([](const auto& t) -> const Shape& { return t.shape(); }, x);
}

std::string element_text(const OutsideSubject& subject, const ElementCheck& e) {
  const Shape& shape = shape_in(subject.inputs[e.input]);
  return subject.input_names[e.input] + (shape.rank() > 0 ? element_name(shape, e.element) : "");
}

std::string worst_text(const OutsideSubject& subject, const ElementCheck& e) {
  return fmt::format("{}: {}", element_text(subject, e), describe(e.values, e.verdict, subject.inputs[e.input].index() == 1));
}

/// The largest error of the input's elements, or of the directions that decided.
double worst_error(const OutsideInput& input, const OutsideReport& report) {
  double worst = 0;
  for (const ElementCheck& e : input.elements) worst = std::max(worst, e.relative_error);
  if (input.elements.empty())
    for (const Comparison& c : report.directions) worst = std::max(worst, c.relative_error(c.size()));
  return worst;
}

}  // namespace

std::string outside_text(const OutsideSubject& subject, const OutsideReport& report, const Style& style) {
  const bool fail = report.verdict == Verdict::Fail;
  std::string verdict = fail ? style.red("FAIL") : std::string(verdict_name(report.verdict));
  if (report.verdict == Verdict::Pass) verdict = style.green(verdict);
  std::string text = fmt::format("{}: {}{}\n", subject.name, verdict, report.diagnosis.empty() ? "" : ", " + report.diagnosis);
  std::size_t width = 5;
  for (const std::string& name : subject.input_names) width = std::max(width, display_width(name));
  text += fmt::format("  {}  {:<12}  {:<20}  {:>11}  verdict\n", padded("input", width), "shape", "checked", "worst error");
  for (std::size_t i = 0; i < report.inputs.size(); ++i) {
    const OutsideInput& input = report.inputs[i];
    const Shape& shape = shape_in(subject.inputs[i]);
    const std::string checked = input.elements.empty() ? fmt::format("{} directions", report.directions.size())
                                                       : fmt::format("{} of {} elements", input.elements.size(), shape.size());
    text += fmt::format("  {}  {:<12}  {:<20}  {:>11.1e}  {}\n", padded(subject.input_names[i], width), shape.str(), checked,
                        worst_error(input, report), verdict_name(input.verdict));
  }
  if (report.worst && report.verdict != Verdict::Pass) text += fmt::format("  worst: {}\n", worst_text(subject, *report.worst));
  for (const auto& [word, opinion] :
       {std::pair("for it", Opinion::Agrees), std::pair("against it", Opinion::Disagrees), std::pair("silent", Opinion::Silent)})
    if (const std::string said = witnesses_text(report.witnesses, opinion); !said.empty())
      text += fmt::format("  {}: {}\n", word, said);
  return text;
}

nlohmann::json outside_json(const OutsideSubject& subject, const OutsideReport& report) {
  const auto pair = [](std::complex<double> z) { return nlohmann::json::array({z.real(), z.imag()}); };
  nlohmann::json json{{"name", subject.name},
                      {"verdict", verdict_name(report.verdict)},
                      {"diagnosis", report.diagnosis},
                      {"inputs", nlohmann::json::array()}};
  for (std::size_t i = 0; i < report.inputs.size(); ++i) {
    nlohmann::json elements = nlohmann::json::array();
    for (const ElementCheck& e : report.inputs[i].elements)
      elements.push_back({{"element", element_text(subject, e)},
                          {"gradient", pair(e.values.analytic)},
                          {"numerical", pair(e.values.numerical)},
                          {"bar", e.values.error},
                          {"verdict", verdict_name(e.verdict)}});
    json["inputs"].push_back({{"name", subject.input_names[i]},
                              {"verdict", verdict_name(report.inputs[i].verdict)},
                              {"worst_error", worst_error(report.inputs[i], report)},
                              {"elements", elements}});
  }
  json["witnesses"] = nlohmann::json::array();
  for (const Witness& w : report.witnesses)
    json["witnesses"].push_back({{"name", w.name}, {"opinion", opinion_name(w.opinion)}, {"finding", w.finding}});
  if (report.worst) json["worst"] = worst_text(subject, *report.worst);
  return json;
}

}  // namespace argand
