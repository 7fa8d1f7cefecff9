#include "apps/ablation/ablation_report.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "apps/ablation/result_tables.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(ablation_report)

namespace {

AblationTable small_table(const std::string& task) {
  return {.task = task,
          .preset = "small",
          .source = "table 1",
          .rows = {{"whole", "all of it", {}, "10"}, {"half", "half of it", {}, "11.5"}, {"other", "another", {}}},
          .claims = {{"10 against 11.5", "whole", "half"},
                     {"alike", "whole", "other", 30.0},
                     {"as the other", "half", "other"},
                     {"of a row that is not there", "whole", "missing"},
                     {.paper = "on the moon", .out_of_reach = "needs a moon"}},
          .note = "A note.",
          .family = "toys"};
}

/// Results with these losses for the seeds 0, 1, ...
SeedResults with_losses(const std::vector<double>& losses) {
  SeedResults results;
  for (std::size_t seed = 0; seed < losses.size(); ++seed) {
    AblationResult r;
    r.loss = losses[seed], r.metric = std::exp(losses[seed]), r.bits_per_byte = losses[seed] / 4, r.parameters = 100;
    results.emplace(static_cast<std::int64_t>(seed), r);
  }
  return results;
}

SeedResults with_accuracies(const std::vector<double>& accuracies) {
  SeedResults results;
  for (std::size_t seed = 0; seed < accuracies.size(); ++seed) {
    AblationResult r;
    r.loss = 0.5, r.metric = accuracies[seed], r.parameters = 7, r.count = 1000;
    results.emplace(static_cast<std::int64_t>(seed), r);
  }
  return results;
}

/// The report breaks paragraphs into lines; this joins them again.
std::string in_one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

}  // namespace

BOOST_AUTO_TEST_CASE(mean_and_sample_standard_deviation) {
  BOOST_TEST(mean_and_deviation({}) == "-");
  BOOST_TEST(mean_and_deviation({4}) == "4.0 (1)");
  BOOST_TEST(mean_and_deviation({1, 2, 3, 6}) == "3.0 ± 2.2 (4)");
  BOOST_TEST(mean_and_deviation({0.5, 1}, 3) == "0.750 ± 0.354 (2)");
  BOOST_TEST(mean_and_deviation({4}, 3) == "4.000 (1)");
}

BOOST_AUTO_TEST_CASE(ends_of_intervals_show_their_side_of_0) {
  BOOST_TEST(difference_text({.pairs = 5, .mean = 0.01, .low = -0.004, .high = 0.06, .p = 0.5}, false) == "0.0 [-0.004, +0.1]");
  BOOST_TEST(difference_text({.pairs = 5, .mean = 1.5, .low = 0.046, .high = 3, .p = 0.04}, false) == "+1.5 [+0.05, +3.0]");
  BOOST_TEST(difference_text({.pairs = 5, .mean = 0, .low = 0, .high = 0.0004, .p = 1}, false) == "0.0 [0.0, 0.0]");
  BOOST_TEST(difference_text({.pairs = 5, .mean = -0.01, .low = -0.02, .high = -0.0004, .p = 0.01}, true) ==
             "-1.0 % [-2.0, -0.04]");
}

BOOST_AUTO_TEST_CASE(rows_are_compared_by_seed_on_the_scale_of_the_loss) {
  // The differences half - whole are 0.10, 0.11, 0.12: mean 0.11, s/√3 = 0.01/√3. Those of other - whole are -0.2, 0.1, 0.1.
  // Two rows are compared, so t = 6.205347 with two degrees of freedom. half: 0.11 ± 0.035827, in percent 11.63 [7.70, 15.70].
  // For t = 0.11 √3 / 0.01 = 19.0526, p is 1 - t/√(2 + t²) = 0.0027435, times 2.
  // other: mean 0, s = √0.03, half width 0.620535, in percent 0.0 [-46.2, 86.0], and p = 1.
  // Three claims are tested, so t = 7.648768 with two degrees of freedom. whole - half: -0.11 ± 0.044160, in percent -10.42
  // [-14.29, -6.37], p = 3 · 0.0027435. whole - other: 0 ± 0.764877, wider than log 1.3. half - other: 0.30, 0.01, 0.02: mean
  // 0.11, s/√3 = 0.0950438.
  const AblationReport report(small_table("lm"),
                              {with_losses({2, 2.5, 2.2}), with_losses({2.1, 2.61, 2.32}), with_losses({1.8, 2.6, 2.3})});
  const std::string text = report.markdown();
  const std::string wanted =
      "| row | | parameters | perplexity | bits per byte | against whole | verdict | paper, table 1 |\n"
      "|---|---|---:|---:|---:|---:|---|---:|\n"
      "| whole | all of it | 100 | 9.5 ± 2.4 (3) | 0.558 ± 0.063 (3) |  |  | 10 |\n"
      "| half | half of it | 100 | 10.6 ± 2.7 (3) | 0.586 ± 0.064 (3) | +11.6 % [+7.7, +15.7] | higher, p = 0.005 | 11.5 |\n"
      "| other | another | 100 | 9.8 ± 3.7 (3) | 0.558 ± 0.101 (3) | 0.0 % [-46.2, +86.0] | not significant, p = 1.000 | - |\n"
      "\n"
      "The column \"against whole\" compares the perplexity, in %, between runs with the same seed, and so with the same data in "
      "the same order. In brackets "
      "95 %\n"
      "intervals that hold for all 2 rows at once (Student's t of the differences in loss of the pairs, Bonferroni); p is "
      "two-sided, after\n"
      "Holm. The verdict follows from the interval.\n"
      "\n"
      "| claim | the paper | here, the first against the second | verdict |\n"
      "|---|---|---:|---|\n"
      "| whole below half | 10 against 11.5 | -10.4 % [-14.3, -6.4] | holds, p = 0.008 |\n"
      "| whole as other, at most 30 % apart | alike | 0.0 % [-53.5, +114.9] | not significant |\n"
      "| half below other | as the other | +11.6 % [-46.0, +130.9] | not significant, p = 0.733 |\n"
      "| | on the moon | | out of reach: needs a moon |\n"
      "\n"
      "The intervals of this table hold for its 3 claims at once.\n"
      "\n"
      "A note.\n";
  BOOST_TEST(in_one_line(text) == in_one_line(wanted));
}

BOOST_AUTO_TEST_CASE(rows_without_a_claim_show_nothing_of_the_paper) {
  AblationTable table = small_table("lm");
  table.rows = {table.rows[0], {"fourth", "one that the paper has not", {}}};
  const std::string text = AblationReport(table, {with_losses({2, 2.5}), with_losses({2.1, 2.5})}).markdown();
  BOOST_TEST(text.find("| fourth |") != text.npos, text);
  for (const char* of_paper : {"| claim |", "on the moon", "A note."}) BOOST_TEST(text.find(of_paper) == text.npos, text);
}

BOOST_AUTO_TEST_CASE(without_a_figure_of_a_paper_there_is_no_column_for_one) {
  AblationTable table = small_table("lm");
  for (AblationRow& row : table.rows) row.paper = "";
  const std::string text =
      AblationReport(table, {with_losses({2, 2.5, 2.2}), with_losses({2.1, 2.61, 2.32}), with_losses({1.8, 2.6, 2.3})}).markdown();
  BOOST_TEST(
      text.starts_with("| row | | parameters | perplexity | bits per byte | against whole | verdict |\n"
                       "|---|---|---:|---:|---:|---:|---|\n"
                       "| whole | all of it | 100 | 9.5 ± 2.4 (3) | 0.558 ± 0.063 (3) |  |  |\n"
                       "| half | half of it | 100 | 10.6 ± 2.7 (3) | 0.586 ± 0.064 (3) | +11.6 % [+7.7, +15.7] | higher, p = "),
      text);
  table.rows[1].paper = "11.5";
  table.source = "";
  BOOST_TEST(AblationReport(table, {}).markdown().find("| verdict | paper |\n") != text.npos);
}

BOOST_AUTO_TEST_CASE(higher_accuracies_are_better_and_vary_with_the_test_articles) {
  const AblationReport report(small_table("classify"),
                              {with_accuracies({75, 76, 74}), with_accuracies({70, 71, 69.4}), with_accuracies({75, 76.1, 74})});
  const std::string text = report.markdown();
  // The differences half - whole are -5, -5, -4.6: mean -4.8667, s/√3 = 0.133333, half width 6.205347 · 0.133333 = 0.827.
  BOOST_TEST(text.find("| half | half of it | 7 | 70.1 ± 0.8 (3) | -4.9 [-5.7, -4.0] | lower, p = 0.001 | 11.5 |\n") != text.npos,
             text);
  // √(0.75 · 0.25 / 1000) = 1.37 percentage points.
  BOOST_TEST(in_one_line(text).find("All runs label the same 1000 articles. The choice of these articles adds a standard deviation "
                                    "of 1.4 points to each accuracy, which more seeds do not show.") != text.npos,
             text);
  BOOST_TEST(text.find("| whole above half | 10 against 11.5 | +4.9 [+3.8, +5.9] | holds, p = 0.002 |\n") != text.npos, text);
  BOOST_TEST(text.find("| whole as other, at most 30 points apart | alike | 0.0 [-0.3, +0.2] | holds |\n") != text.npos, text);
  BOOST_TEST(text.find("| half above other | as the other | -4.9 [") != text.npos, text);
  BOOST_TEST(text.find("| does not hold, p = ") != text.npos, text);
}

BOOST_AUTO_TEST_CASE(a_claim_that_rows_are_alike_can_fail) {
  AblationTable table = small_table("classify");
  table.claims = {{"alike", "whole", "half", 1.0}, {"alike", "whole", "half", 5.0}, {"alike", "whole", "half", 9.0}};
  const AblationReport report(table, {with_accuracies({75, 76, 74}), with_accuracies({70, 71, 69.4}), {}});
  const std::string text = report.markdown();  // the difference is 4.87 ± 1.02
  BOOST_TEST(text.find("| whole as half, at most 1 points apart | alike | +4.9 [+3.8, +5.9] | does not hold |") != text.npos, text);
  BOOST_TEST(text.find("| whole as half, at most 5 points apart | alike | +4.9 [+3.8, +5.9] | not significant |") != text.npos,
             text);
  BOOST_TEST(text.find("| whole as half, at most 9 points apart | alike | +4.9 [+3.8, +5.9] | holds |") != text.npos, text);
  BOOST_TEST(text.find("| other | another | - | - | - | - | - |") != text.npos, text);
}

BOOST_AUTO_TEST_CASE(one_seed_is_inconclusive_and_only_pairs_count) {
  const AblationReport one(small_table("lm"), {with_losses({2}), with_losses({2.1}), {}});
  const std::string text = one.markdown();
  BOOST_TEST(text.find("| half | half of it | 100 | 8.2 (1) | 0.525 (1) | +10.5 % (1) | one seed | 11.5 |") != text.npos, text);
  BOOST_TEST(in_one_line(text).find("A difference of one pair of runs has no interval and no verdict.") != text.npos, text);
  BOOST_TEST(text.find("| whole below half | 10 against 11.5 | -9.5 % (1) | not significant, one seed |") != text.npos, text);
  BOOST_TEST(text.find("| half below other | as the other | - | not significant, no pair of runs |") != text.npos, text);

  // The third run of `half` has no counterpart. If it counted, it would change the difference.
  const AblationReport paired(small_table("lm"), {with_losses({2, 2.5}), with_losses({2.1, 2.61, 9}), {}});
  BOOST_TEST(paired.markdown().find("| +11.1 % [") != std::string::npos, paired.markdown());
  BOOST_TEST(paired.json().find("\"pairs\":[0,1],\"differences\":[10.5171,11.6278]") != std::string::npos, paired.json());
}

BOOST_AUTO_TEST_CASE(a_table_line_missing_from_a_page_is_found) {
  ResultTable runs{.table = small_table("lm"), .results = {with_losses({2, 2.5}), with_losses({2.1, 2.61}), {}}};
  const std::string page = "# Page\n\n" + markdown_of(runs) + "\nAnd more.\n";
  BOOST_TEST(missing_in_page(runs, page).empty());
  BOOST_TEST(missing_in_page(runs, "").size() > 10U);
  runs.results[1] = with_losses({2.1, 2.62});
  const auto found = missing_in_page(runs, page);
  BOOST_TEST_REQUIRE(found.size() >= 2U);
  BOOST_TEST(found[0].starts_with("rows: | half | half of it | 100 | 11.0 ± "), found[0]);
  BOOST_TEST(found.back().starts_with("claims: | whole below half | "), found.back());
  runs.results[1] = with_losses({2.1, 2.61});
  std::string mixed = page;
  const auto half = mixed.find("| half | "), other = mixed.find("| other | ");
  mixed = mixed.substr(0, half) + mixed.substr(other, mixed.find('\n', other) + 1 - other) + mixed.substr(half, other - half) +
          mixed.substr(mixed.find('\n', other) + 1);
  BOOST_TEST(missing_in_page(runs, mixed).at(0) == "rows: all lines are there, but not consecutive");
}

BOOST_AUTO_TEST_CASE(results_at_each_learning_rate) {
  const std::vector<RateResults> rates = {
      {.third = {{"5e-4", 100.04}, {"0.001", 90.0}}, .whole = {{"0.001", 80.0}, {"0.016", std::nullopt}}, .trained = 0.001},
      {.third = {{"1e-3", 95.0}}, .whole = {}, .trained = 0.001},
      {}};
  const std::string text = AblationReport(small_table("lm"), {with_losses({2}), with_losses({2}), {}}, rates).rates();
  BOOST_TEST(text.starts_with("| row | 5e-4 | 1e-3 | 1.6e-2 |\n|---|---:|---:|---:|\n"
                              "| whole | (100.0) | **80.0** (90.0) | diverged |\n| half | - | **(95.0)** | - |\n\n"
                              "Perplexity by learning rate, seed 0: "),
             text);
  BOOST_TEST(AblationReport(small_table("lm"), {with_losses({2}), with_losses({2}), {}}).rates() == "");
}

BOOST_AUTO_TEST_CASE(costs_are_multiples_of_the_first_row) {
  SeedResults one = with_losses({2, 2}), two = with_losses({2});
  for (auto* results : {&one, &two})
    for (auto& [seed, r] : *results) {
      r.flops_per_token = results == &one ? 2e6 : 3e6;
      r.tokens_per_second = results == &one ? 1000 + 100 * static_cast<double>(seed) : 2100;
      r.peak_memory = 100 << 20;
      r.made_by = {{"processor", "Abacus 3"}, {"blas", "Beads"}, {"threads", 2}};
    }
  AblationTable table = small_table("lm");
  table.costs = "The paper: dear.";
  const std::string text = AblationReport(table, {one, two, {}}).costs();
  BOOST_TEST(text.find("| whole | 100 | 2 (1.00) | 1050 ± 71 (1.00) | 100 (1.00) |\n") != text.npos, text);
  BOOST_TEST(text.find("| half | 100 | 3 (1.50) | 2100 (2.00) | 100 (1.00) |\n") != text.npos, text);
  BOOST_TEST(text.find("| other | - | - | - | - |\n") != text.npos, text);
  BOOST_TEST(text.find("Abacus 3, Beads") != text.npos, text);
  BOOST_TEST(text.find("come from several") == text.npos, text);
  BOOST_TEST(text.find("writing") == text.npos, text);
  for (const auto& [seed, ms] : {std::pair{0, 2.0}, {1, 3.0}})
    one[seed].milliseconds_per_token = ms, one[seed].timed_by = one[seed].made_by;
  const std::string timed = AblationReport(table, {one, two, {}}).costs();
  BOOST_TEST(timed.find("| whole | 100 | 2 (1.00) | 1050 ± 71 (1.00) | 100 (1.00) | 2.50 ± 0.71 (1.00) |\n") != timed.npos, timed);
  BOOST_TEST(timed.find("| half | 100 | 3 (1.50) | 2100 (2.00) | 100 (1.00) | - |\n") != timed.npos, timed);
  BOOST_TEST(timed.find("come from several") == timed.npos, timed);
  // The rows were timed on different processors.
  one[0].timed_by["processor"] = "Abacus 5";
  const std::string turned = AblationReport(table, {two, one, {}}).costs();
  BOOST_TEST(turned.find("| 100 (1.00) | 2.50 ± 0.71 |\n") != turned.npos, turned);
  BOOST_TEST(turned.find("come from several") != turned.npos, turned);
  two[0].made_by["processor"] = "Abacus 4";
  BOOST_TEST(in_one_line(AblationReport(table, {one, two, {}}).costs()).find("speeds cannot be compared") != std::string::npos);
}

/// A run of 300 steps of 2e12 FLOPs whose training loss falls by `slope` each step and is logged every tenth step.
AblationResult falling(double first, double slope) {
  AblationResult r;
  r.loss = r.metric = 1;
  r.flops_per_token = 2e9, r.flops_per_step = 2e12;
  for (int step = 10; step <= 300; step += 10) r.training_losses[step] = first - slope * step;
  return r;
}

BOOST_AUTO_TEST_CASE(pace_counts_steps_to_a_loss_that_all_rows_reach) {
  // The mean over (s - 100, s] of a line that is logged every tenth step is its value at s - 45. The slow row ends at 5 - 2.55 =
  // 2.45.
  const SeedResults slow = {{0, falling(5, 0.01)}}, fast = {{0, falling(5, 0.02)}, {1, falling(5, 0.016)}};
  const std::string text = AblationReport(small_table("lm"), {slow, fast, {}}).pace();
  BOOST_TEST(text.find("| row | million FLOPs per token | steps to a training loss of 2.45 | 10¹² FLOPs to 2.45 |\n") != text.npos,
             text);
  BOOST_TEST(text.find("| whole | 2e+03 | 300 (1) | 600.0 (1) |\n") != text.npos, text);
  // 5 - 0.02 (s - 45) <= 2.45 for s >= 172.5, logged at 180; 5 - 0.016 (s - 45) <= 2.45 for s >= 204.4, logged at 210.
  BOOST_TEST(text.find("| half | 2e+03 | 195 ± 21 (2) | 390.0 ± 42.4 (2) |\n") != text.npos, text);
  BOOST_TEST(text.find("other") == text.npos, text);
  AblationResult brief = falling(5, 0.01);
  brief.training_losses.erase(brief.training_losses.find(100), brief.training_losses.end());
  BOOST_TEST(AblationReport(small_table("lm"), {slow, {{0, brief}}, {}}).pace() == "");
  BOOST_TEST(AblationReport(small_table("classify"), {slow, fast, {}}).pace() == "");
}

BOOST_AUTO_TEST_SUITE_END()
