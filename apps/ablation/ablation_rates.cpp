#include <map>

#include "apps/ablation/ablation_report.h"

namespace argand {
namespace {

/// The rate with at most three significant digits: "1.6e-2" for 0.016.
std::string rate_name(double rate) {
  const std::string text = fmt::format("{:.2e}", rate);
  std::string digits = text.substr(0, text.find('e'));
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.ends_with('.')) digits.pop_back();
  return fmt::format("{}e{}", digits, std::stoi(text.substr(text.find('e') + 1)));
}

std::map<double, std::string> cells_of(const std::vector<RateResult>& results) {
  std::map<double, std::string> cells;
  for (const RateResult& result : results)
    cells[result.value()] = result.metric ? fmt::format("{:.1f}", *result.metric) : "diverged";
  return cells;
}

}  // namespace

std::string AblationReport::rates() const {
  std::map<double, std::string> columns;
  for (const RateResults& row : rates_)
    for (const auto* results : {&row.third, &row.whole})
      for (const RateResult& result : *results) columns[result.value()] = rate_name(result.value());
  if (columns.empty()) return "";
  std::string text = "| row |", rule = "|---|";
  for (const auto& [_, name] : columns) text += " " + name + " |", rule += "---:|";
  text += "\n" + rule + "\n";
  for (std::size_t row = 0; row < rates_.size(); ++row) {
    std::map<double, std::string> third = cells_of(rates_[row].third), whole = cells_of(rates_[row].whole);
    if (third.empty() && whole.empty()) continue;
    const double trained = rates_[row].trained.value_or(0);
    text += "| " + table_.rows[row].name + " |";
    for (const auto& [rate, _] : columns) {
      const std::string mark = rate == trained ? "**" : "";
      if (whole.contains(rate))
        text += " " + mark + whole[rate] + mark + (third.contains(rate) ? " (" + third[rate] + ")" : "") + " |";
      else
        text += third.contains(rate) ? " " + mark + "(" + third[rate] + ")" + mark + " |" : " - |";
    }
    text += "\n";
  }
  return text + "\n" +
         paragraph(
             fmt::format("{} by learning rate, seed 0: after the whole length where that was run, in brackets after a third of "
                         "it. Bold: the rate with which the row was trained.",
                         lm() ? "Perplexity" : "Accuracy in %"));
}

}  // namespace argand
