#include "apps/ablation/probe_tables.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "apps/ablation/ablation_report.h"
#include "apps/terminal/terminal.h"

namespace argand {
namespace {

/// The values of a row's runs, skipping runs that have none.
std::vector<double> values_of(const SeedResults& row, const std::function<std::optional<double>(const RunProbes&)>& f) {
  std::vector<double> found;
  for (const auto& [_, run] : row)
    if (const auto value = f(run.probes)) found.push_back(*value);
  return found;
}

bool any(const SeedResults& row, const std::function<bool(const RunProbes&)>& f) {
  return std::any_of(row.begin(), row.end(), [&](const auto& run) { return f(run.second.probes); });
}

bool any(const ResultTable& runs, const std::function<bool(const RunProbes&)>& f) {
  return std::any_of(runs.results.begin(), runs.results.end(), [&](const SeedResults& row) { return any(row, f); });
}

std::optional<double> judged_loss(const RunProbes& probes) { return probes.texts ? probes.texts->model.loss : std::nullopt; }

}  // namespace

std::string texts_table(const ResultTable& runs) {
  const auto has_texts = [](const RunProbes& p) { return p.texts.has_value(); };
  if (!any(runs, has_texts)) return "";
  const SeedResults& first = runs.results[0];
  std::vector<std::vector<double>> differences;
  TextProbe last;
  std::string judge;
  std::optional<TextFigures> corpus;  // the original continuations in the corpus
  for (std::size_t row = 0; row < runs.results.size(); ++row) {
    std::vector<double> of_row;
    for (const auto& [seed, run] : runs.results[row]) {
      if (!run.probes.texts) continue;
      last = *run.probes.texts;
      if (!last.judge.empty()) judge = last.judge;
      if (last.corpus) corpus = last.corpus;
      if (const auto other = first.find(seed); other != first.end() && last.model.loss && judged_loss(other->second.probes))
        of_row.push_back(*last.model.loss - *judged_loss(other->second.probes));
    }
    if (row > 0) differences.push_back(std::move(of_row));
  }
  const std::vector<PairedDifference> compared = compare_pairs(differences);
  std::string text = fmt::format(
      "| row | perplexity under the judge | against {} | Dist-1 | Dist-2 | Rep-4, % |\n|---|---:|---:|---:|---:|---:|\n",
      runs.table.rows[0].name);
  for (std::size_t row = 0; row < runs.results.size(); ++row) {
    const SeedResults& of_row = runs.results[row];
    if (!any(of_row, has_texts)) continue;
    const auto figure = [&](double TextFigures::*which, double unit) {
      return values_of(of_row,
                       [&](const RunProbes& p) { return p.texts ? std::optional(unit * p.texts->model.*which) : std::nullopt; });
    };
    const std::vector<double> perplexity = values_of(of_row, [](const RunProbes& p) {
      const auto loss = judged_loss(p);
      return loss ? std::optional(std::exp(*loss)) : std::nullopt;
    });
    text += fmt::format(
        "| {} | {} | {} | {} | {} | {} |\n", runs.table.rows[row].name, mean_and_deviation(perplexity),
        row == 0 ? "" : difference_text(compared[row - 1], true), mean_and_deviation(figure(&TextFigures::dist_1, 1), 3),
        mean_and_deviation(figure(&TextFigures::dist_2, 1), 3), mean_and_deviation(figure(&TextFigures::rep_4, 100), 1));
  }
  if (corpus)
    text += fmt::format("| *the text itself* | {} |  | {:.3f} | {:.3f} | {:.1f} |\n",
                        corpus->loss ? fmt::format("{:.1f}", std::exp(*corpus->loss)) : "", corpus->dist_1, corpus->dist_2,
                        100 * corpus->rep_4);
  return text + "\n" +
         paragraph(fmt::format("{} texts of {} words after prompts of {}, nucleus {:g}, temperature {:g}, the seed of the run. {}",
                               last.prompts, last.tokens, last.prompt_length, last.top_p, last.temperature,
                               judge.empty() ? "Not judged yet; add --judge RUN." : "The judge is " + judge + "."));
}

std::string positions_table(const ResultTable& runs) {
  std::int64_t longest = 0, trained = 0;
  bool some_end = false;  // whether some model was tested only up to the length it was trained on
  std::vector<PositionProbe::Span> spans;
  for (const SeedResults& row : runs.results)
    for (const auto& [_, run] : row)
      if (const auto& p = run.probes.positions) {
        longest = std::max(longest, p->length);
        trained = p->trained_length;
        some_end |= p->length == p->trained_length;
        if (p->spans.size() > spans.size()) spans = p->spans;
      }
  if (spans.empty()) return "";
  std::string text = "| row |", rule = "|---|";
  for (const auto& span : spans) text += fmt::format(" {}-{} |", span.first, span.last), rule += "---:|";
  text += "\n" + rule + "\n";
  for (std::size_t row = 0; row < runs.results.size(); ++row) {
    if (!any(runs.results[row], [](const RunProbes& p) { return p.positions.has_value(); })) continue;
    text += "| " + runs.table.rows[row].name + " |";
    for (const auto& span : spans)
      text += " " +
              mean_and_deviation(values_of(runs.results[row],
                                           [&](const RunProbes& p) -> std::optional<double> {
                                             if (!p.positions) return std::nullopt;
                                             for (const auto& found : p.positions->spans)
                                               if (found.first == span.first) return std::exp(found.loss);
                                             return std::nullopt;
                                           })) +
              " |";
    text += "\n";
  }
  std::string note = fmt::format(
      "Perplexity of the test part by the number of preceding tokens in the window, in windows of {}, for models trained on {}.",
      longest, trained);
  if (some_end && longest > trained)
    note += fmt::format(
        " Learned positions end at {0}. A model that has them is measured in windows of {0}, so its columns cover different "
        "words.",
        trained);
  return text + "\n" + paragraph(note);
}

std::string interventions_table(const ResultTable& runs) {
  std::string head = "| row |", rule = "|---|", lines;
  for (const std::string& setting : runs.table.interventions) head += fmt::format(" with {}, % |", setting), rule += "---:|";
  for (std::size_t row = 0; row < runs.results.size(); ++row) {
    std::string cells;
    bool any_run = false;
    for (const std::string& setting : runs.table.interventions) {
      const std::vector<double> percent = values_of(runs.results[row], [&](const RunProbes& p) -> std::optional<double> {
        const auto set = std::find_if(p.with.begin(), p.with.end(), [&](const auto& one) { return one.first == setting; });
        if (!p.as_learnt || set == p.with.end()) return std::nullopt;
        return to_table_unit(set->second - *p.as_learnt, true);
      });
      any_run = any_run || !percent.empty();
      cells += " " + mean_and_deviation(percent) + " |";
    }
    if (any_run) lines += "| " + runs.table.rows[row].name + " |" + cells + "\n";
  }
  if (lines.empty()) return "";
  return head + "\n" + rule + "\n" + lines + "\n" +
         paragraph(
             "Increase of the validation perplexity, in %, when every element of a parameter is set to a value after training, as "
             "`argand eval --set` does.");
}

std::string lookup_table(const ResultTable& runs) {
  std::string lines;
  std::int64_t batches = 0, scored = 0;
  for (std::size_t row = 0; row < runs.results.size(); ++row) {
    std::int64_t audits = 0, pairs = 0, violations = 0;
    std::vector<double> found, exchanged, differences;
    for (const auto& [_, run] : runs.results[row]) {
      if (const auto& audit = run.probes.audit)
        ++audits, batches = audit->batches, pairs += audit->pairs, violations += audit->violations;
      if (const auto& exchange = run.probes.exchanged) {
        scored = exchange->count;
        found.push_back(std::exp(exchange->loss)), exchanged.push_back(std::exp(exchange->exchanged));
        differences.push_back(exchange->exchanged - exchange->loss);
      }
    }
    if (audits == 0 && found.empty()) continue;
    lines += fmt::format("| {} | {} | {} | {} | {} | {} |\n", runs.table.rows[row].name,
                         audits == 0 ? "-" : fmt::format("{} ({})", violations, audits),
                         audits == 0 ? "-" : with_unit(static_cast<double>(pairs)), mean_and_deviation(found),
                         mean_and_deviation(exchanged), difference_text(compare_pairs({differences})[0], true));
  }
  if (lines.empty()) return "";
  std::string notes;
  if (batches > 0)
    notes = fmt::format(
        "Violations: pairs of a window and a passage read in it that contains the tokens to predict, found by `argand audit "
        "retrieval` in all {} batches of the first epoch of training, over all runs (their number). ",
        batches);
  if (scored > 0)
    notes += fmt::format(
        "Perplexity: on the {} tokens of the validation part; then with another passage in place of each retrieved one. In square "
        "brackets: the 95 % interval of that row alone. A model that uses what it retrieves does worse with other passages.",
        scored);
  return "| row | violations | of pairs | perplexity | with other passages | difference |\n|---|---:|---:|---:|---:|---:|\n" +
         lines + "\n" + paragraph(notes);
}

std::string probe_tables(const ResultTable& runs) {
  return join_tables({texts_table(runs), positions_table(runs), interventions_table(runs), lookup_table(runs)});
}

}  // namespace argand
