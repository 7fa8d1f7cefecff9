#include "apps/ablation/ablation_report.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/text/text_layout.h"

namespace argand {
namespace {

using Json = nlohmann::ordered_json;

std::vector<double> values_of(const SeedResults& results, const std::function<double(const AblationResult&)>& f) {
  std::vector<double> values;
  for (const auto& [_, result] : results) values.push_back(f(result));
  return values;
}

std::string p_text(double p) { return p < 0.001 ? "p < 0.001" : fmt::format("p = {:.3f}", p); }

Json six_digits(double value) {
  if (!std::isfinite(value)) return nullptr;
  return std::stod(fmt::format("{:.6g}", value));
}

Json six_digits(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(six_digits(value));
  return list;
}

/// The side of 0 on which the whole interval lies.
RowVerdict side_of(const PairedDifference& c) {
  if (c.high && *c.high < 0) return RowVerdict::Lower;
  if (c.low && *c.low > 0) return RowVerdict::Higher;
  return RowVerdict::Unknown;
}

}  // namespace

std::string signed_text(double value, int most_decimals) {
  for (int decimals = 1; decimals <= most_decimals; ++decimals)
    if (const auto text = fmt::format("{:+.{}f}", value, decimals); text.find_first_of("123456789") != text.npos) return text;
  return "0.0";
}

double to_table_unit(double difference, bool of_losses) { return of_losses ? 100 * std::expm1(difference) : difference; }

std::string paragraph(const std::string& text) {
  std::string lines;
  for (const std::string& line : wrapped(text, 138)) lines += line + "\n";
  return lines;
}

std::string to_text(RowVerdict verdict) {
  switch (verdict) {
    case RowVerdict::Lower: return "lower";
    case RowVerdict::Higher: return "higher";
    case RowVerdict::Holds: return "holds";
    case RowVerdict::DoesNot: return "does not hold";
    case RowVerdict::Unknown: break;
  }
  return "not significant";
}

std::string difference_text(const PairedDifference& c, bool of_losses) {
  if (c.pairs == 0) return "-";
  const std::string mean = signed_text(to_table_unit(c.mean, of_losses)) + (of_losses ? " %" : "");
  if (!c.low) return mean + " (1)";
  const auto end = [&](double d) { return signed_text(to_table_unit(d, of_losses), 3); };
  return fmt::format("{} [{}, {}]", mean, end(*c.low), end(*c.high));
}

std::string mean_and_deviation(const std::vector<double>& values, int decimals) {
  if (values.empty()) return "-";
  const auto [count, mean, deviation] = spread_of(values);
  if (count == 1) return fmt::format("{:.{}f} (1)", mean, decimals);
  return fmt::format("{:.{}f} ± {:.{}f} ({})", mean, decimals, deviation, decimals, count);
}

std::string join_tables(const std::vector<std::string>& tables) {
  std::string text;
  for (const std::string& table : tables)
    if (!table.empty()) text += (text.empty() ? "" : "\n") + table;
  return text;
}

AblationReport::AblationReport(AblationTable table, std::vector<SeedResults> results, std::vector<RateResults> rates)
    : table_(std::move(table)), results_(std::move(results)), rates_(std::move(rates)) {
  results_.resize(table_.rows.size());
  rates_.resize(table_.rows.size());
  compare_rows();
  compare_claims();
}

std::vector<double> AblationReport::differences(std::size_t row, std::size_t other) const {
  std::vector<double> found;
  for (const auto& [seed, result] : results_[row])
    if (const auto pair = results_[other].find(seed); pair != results_[other].end())
      found.push_back(lm() ? result.loss - pair->second.loss : result.metric - pair->second.metric);
  return found;
}

std::optional<std::size_t> AblationReport::find(const std::string& row) const {
  for (std::size_t i = 0; i < table_.rows.size(); ++i)
    if (table_.rows[i].name == row) return i;
  return std::nullopt;
}

void AblationReport::compare_rows() {
  std::vector<std::vector<double>> all;
  for (std::size_t row = 1; row < table_.rows.size(); ++row) all.push_back(differences(row, 0));
  rows_.resize(table_.rows.size());
  const std::vector<PairedDifference> compared = compare_pairs(all);
  for (std::size_t row = 1; row < table_.rows.size(); ++row) {
    rows_[row].difference = compared[row - 1];
    rows_[row].verdict = side_of(compared[row - 1]);
  }
  for (std::size_t row = 0; row < table_.rows.size(); ++row)
    for (const auto& [seed, _] : results_[row])
      if (results_[0].contains(seed)) rows_[row].seeds.push_back(seed);
}

void AblationReport::compare_claims() {
  std::vector<std::vector<double>> all;
  for (const AblationClaim& claim : table_.claims) {
    const auto better = find(claim.better), worse = find(claim.worse);
    if (!better || !worse) continue;
    claimed_.push_back(&claim);
    all.push_back(differences(*better, *worse));
  }
  const std::vector<PairedDifference> compared = compare_pairs(all);
  for (std::size_t i = 0; i < compared.size(); ++i) {
    const PairedDifference& c = compared[i];
    RowComparison& r = claims_.emplace_back();
    r.difference = c;
    if (!c.low) continue;
    if (const auto& within = claimed_[i]->within) {
      const double most = lm() ? std::log1p(*within / 100) : *within;
      if (*c.low >= -most && *c.high <= most) r.verdict = RowVerdict::Holds;
      if (*c.low > most || *c.high < -most) r.verdict = RowVerdict::DoesNot;
    } else if (const RowVerdict side = side_of(c); side != RowVerdict::Unknown) {
      r.verdict = side == (lm() ? RowVerdict::Lower : RowVerdict::Higher) ? RowVerdict::Holds : RowVerdict::DoesNot;
    }
  }
}

double AblationReport::shown(double difference) const { return to_table_unit(difference, lm()); }

std::string AblationReport::explanation() const {
  const auto tested =
      std::count_if(rows_.begin(), rows_.end(), [](const RowComparison& r) { return r.difference.low.has_value(); });
  const auto compared =
      std::count_if(rows_.begin() + 1, rows_.end(), [](const RowComparison& r) { return r.difference.pairs > 0; });
  const std::string measure = lm() ? "the perplexity, in %" : "the accuracy, in points";
  std::string text = fmt::format(
      "The column \"against {}\" compares {}, between runs with the same seed, and so with the same data in the same order. ",
      table_.rows[0].name, measure);
  if (tested == 0) {
    text += "A difference of one pair of runs has no interval and no verdict.";
  } else {
    text += tested == 1 ? "In brackets its 95 % interval"
                        : fmt::format("In brackets 95 % intervals that hold for all {} rows at once", tested);
    text += fmt::format(" (Student's t of the {} of the pairs{}); p is two-sided{}.", lm() ? "differences in loss" : "differences",
                        tested == 1 ? "" : ", Bonferroni", tested == 1 ? "" : ", after Holm");
    text += " The verdict follows from the interval.";
    if (tested < compared) text += " A row with one pair of runs has no interval.";
  }
  if (!lm() && !results_[0].empty() && results_[0].begin()->second.count > 0) {
    const auto count = results_[0].begin()->second.count;
    double share = 0;
    for (const auto& [_, result] : results_[0]) share += result.metric / 100 / static_cast<double>(results_[0].size());
    text += fmt::format(
        " All runs label the same {} articles. The choice of these articles adds a standard deviation of {:.1f} "
        "points to each accuracy, which more seeds do not show.",
        count, 100 * std::sqrt(share * (1 - share) / static_cast<double>(count)));
  }
  return paragraph(text);
}

std::string AblationReport::claims() const {
  std::string lines;
  for (std::size_t i = 0; i < claims_.size(); ++i) {
    const AblationClaim& claim = *claimed_[i];
    const PairedDifference& c = claims_[i].difference;
    const std::string relation = claim.within ? "as" : lm() ? "below" : "above";
    const std::string most = claim.within ? fmt::format(", at most {:g}{} apart", *claim.within, lm() ? " %" : " points") : "";
    const std::string why = c.low ? ", " + p_text(*c.p) : c.pairs == 1 ? ", one seed" : ", no pair of runs";
    lines += fmt::format("| {} {} {}{} | {} | {} | {}{} |\n", claim.better, relation, claim.worse, most, claim.paper,
                         difference_text(c, lm()), to_text(claims_[i].verdict), claim.within && c.low ? "" : why);
  }
  const std::string note = table_.note.empty() ? "" : paragraph(table_.note);
  // If the paper has claims but none concerns these rows, omit its note as well.
  if (lines.empty()) return table_.claims.empty() ? note : "";
  for (const AblationClaim& claim : table_.claims)
    if (claim.better.empty()) lines += fmt::format("| | {} | | out of reach: {} |\n", claim.paper, claim.out_of_reach);
  const auto tested =
      std::count_if(claims_.begin(), claims_.end(), [](const RowComparison& r) { return r.difference.low.has_value(); });
  std::string text =
      fmt::format("| claim | the paper | here, the first against the second | verdict |\n|---|---|---:|---|\n{}", lines);
  if (tested > 1) text += "\n" + paragraph(fmt::format("The intervals of this table hold for its {} claims at once.", tested));
  return join_tables({text, note});
}

std::string AblationReport::markdown() const { return join_tables({rows(), rates(), pace(), claims()}); }

std::string AblationReport::rows() const {
  const bool has_paper = std::any_of(table_.rows.begin(), table_.rows.end(), [](const AblationRow& r) { return !r.paper.empty(); });
  const std::string source = table_.source.empty() ? "" : ", " + table_.source;
  std::string text = fmt::format("| row | | parameters | {} | against {} | verdict |{}\n|---|---|---:|---:|{}---:|---|{}\n",
                                 lm() ? "perplexity | bits per byte" : "accuracy, %", table_.rows[0].name,
                                 has_paper ? fmt::format(" paper{} |", source) : "", lm() ? "---:|" : "", has_paper ? "---:|" : "");
  for (std::size_t row = 0; row < table_.rows.size(); ++row) {
    const SeedResults& results = results_[row];
    std::vector<double> bits;
    for (const auto& [_, result] : results)
      if (result.bits_per_byte) bits.push_back(*result.bits_per_byte);
    const AblationRow& r = table_.rows[row];
    const PairedDifference& c = rows_[row].difference;
    const std::string verdict = c.pairs == 0 ? "-"
                                : c.low      ? fmt::format("{}, {}", to_text(rows_[row].verdict), p_text(*c.p))
                                             : "one seed";
    text += fmt::format("| {} | {} | {} | {} | {} | {} |{}\n", r.name, r.what,
                        results.empty() ? "-" : fmt::format("{}", results.begin()->second.parameters),
                        mean_and_deviation(values_of(results, [](const AblationResult& a) { return a.metric; })) +
                            (lm() ? " | " + mean_and_deviation(bits, 3) : ""),
                        row == 0 ? "" : difference_text(c, lm()), row == 0 ? "" : verdict,
                        has_paper ? fmt::format(" {} |", r.paper.empty() ? "-" : r.paper) : "");
  }
  return table_.rows.size() > 1 ? text + "\n" + explanation() : text;
}

std::string AblationReport::json() const {
  const auto interval = [&](Json& json, const RowComparison& r) {
    json["difference"] = r.difference.pairs > 0 ? six_digits(shown(r.difference.mean)) : Json();
    json["interval"] =
        r.difference.low ? Json({six_digits(shown(*r.difference.low)), six_digits(shown(*r.difference.high))}) : Json();
    json["p"] = r.difference.p ? six_digits(*r.difference.p) : Json();
    json["verdict"] = to_text(r.verdict);
    json["text"] = difference_text(r.difference, lm());
  };
  Json head = {{"family", table_.family},
               {"task", table_.task},
               {"measure", lm() ? "perplexity" : "accuracy"},
               {"unit", lm() ? "%" : "points"}};
  std::string rows, claims;
  for (std::size_t row = 0; row < table_.rows.size(); ++row) {
    const SeedResults& results = results_[row];
    Json json = {{"row", table_.rows[row].name}, {"seeds", Json::array()}};
    for (const auto& [seed, _] : results) json["seeds"].push_back(seed);
    json["values"] = six_digits(values_of(results, [](const AblationResult& a) { return a.metric; }));
    json["pairs"] = rows_[row].seeds;
    std::vector<double> differences = this->differences(row, 0);
    for (double& d : differences) d = shown(d);
    json["differences"] = six_digits(differences);
    if (row > 0) interval(json, rows_[row]);
    rows += (rows.empty() ? "\n " : ",\n ") + json.dump();
  }
  for (std::size_t i = 0; i < claims_.size(); ++i) {
    Json json = {{"better", claimed_[i]->better}, {"worse", claimed_[i]->worse}, {"paper", claimed_[i]->paper}};
    interval(json, claims_[i]);
    claims += (claims.empty() ? "\n " : ",\n ") + json.dump();
  }
  std::string text = head.dump();
  text.pop_back();
  return fmt::format("{},\"rows\":[{}],\n\"claims\":[{}]}}\n", text, rows, claims);
}

}  // namespace argand
