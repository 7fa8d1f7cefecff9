#include "apps/ablation/repetition.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <random>

#include "tests/apps/program.h"
#include "tests/apps/word_corpus.h"
#include "train/ablation/ablation_plan.h"
#include "train/ablation/ablation_tables.h"
#include "train/ablation/result_file.h"
#include "train/config/run_config.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(repetition)

namespace {

/// Writes a finished run of a hundred steps with this accuracy in percent, or with this loss.
void write_run(const std::string& folder, double accuracy, double lr = 0.002, double loss = 1.5) {
  std::filesystem::create_directories(folder);
  RunConfig config;
  config.training.steps = 100, config.training.lr = lr;
  std::ofstream(folder + "/config.json") << config.to_json();
  std::ofstream(folder + "/log.jsonl") << "{\"step\":0,\"made_by\":{\"parameters\":7}}\n"
                                       << fmt::format(R"({{"step":100,"valid_loss":{}{}}})", loss,
                                                      accuracy > 0 ? fmt::format(R"(,"valid_accuracy":{})", accuracy / 100) : "")
                                       << "\n";
}

AblationTable table_with(const std::string& family, const std::vector<std::string>& names) {
  AblationTable table = ablation_table(family);
  std::erase_if(table.rows, [&](const AblationRow& row) { return std::find(names.begin(), names.end(), row.name) == names.end(); });
  BOOST_TEST_REQUIRE(table.rows.size() == names.size());
  return table;
}

const std::string sizes = " --set d_model=16,n_layers=1,n_heads=2,d_ff=16,length=16,batch=4 ";

}  // namespace

BOOST_AUTO_TEST_CASE(means_by_hand) {
  // s = 1 and n = 3, so t(2; 97.5 %) = 4.30265. Means of one run each may differ by √2 s t, means of two runs each by s t.
  const Spread seen = spread_of({1, 2, 3});
  BOOST_TEST(*means_within(seen, 1) == 4.30265 * std::sqrt(2), boost::test_tools::tolerance(1e-5));
  BOOST_TEST(*means_within(seen, 2) == 4.30265, boost::test_tools::tolerance(1e-5));
  BOOST_TEST(*means_within(seen, 2, 2) == 6.20535, boost::test_tools::tolerance(1e-5));  // t(2; 98.75 %), for two rows
  BOOST_TEST(!means_within(spread_of({1}), 2).has_value());
  BOOST_TEST(!means_within(seen, 0).has_value());
}

// If all runs of two rows are drawn from one distribution, both rows are within the limit in 95 of 100 tables: (1 - 0.05/2)² =
// 95.06 %, with a standard deviation of 0.34 % in 4000 tables.
BOOST_AUTO_TEST_CASE(means_lie_within_as_often_as_stated) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal(70, 2);
  const auto draw = [&](int n) {
    std::vector<double> values;
    for (int i = 0; i < n; ++i) values.push_back(normal(random));
    return values;
  };
  int within = 0;
  for (int e = 0; e < 4000; ++e) {
    bool all = true;
    for (int row = 0; row < 2; ++row) {
      const double reach = *means_within(spread_of(draw(3)), 2, 2);
      all &= std::abs(spread_of(draw(2)).mean - spread_of(draw(2)).mean) <= reach;
    }
    within += all;
  }
  BOOST_TEST((within > 3802 - 3.5 * 13.7 && within < 3802 + 3.5 * 13.7), within);
}

BOOST_AUTO_TEST_CASE(rows_land_or_do_not) {
  const TemporaryDirectory scratch;
  const std::string kept = scratch / "kept", out = scratch / "out";
  const AblationTable table = table_with("qic", {"learned", "global", "real", "standard"});
  for (int seed = 0; seed < 3; ++seed) {
    write_run(folder_of_run(kept, "learned", seed), 73 + seed);
    write_run(folder_of_run(kept, "global", seed), 73 + seed);
    write_run(folder_of_run(kept, "real", seed), 80 + 0.1 * seed);
    write_run(folder_of_run(kept, "standard", seed), seed == 0 ? 50 : 80);
  }
  write_run(folder_of_run(out, "learned", 1), 76.5);
  write_run(folder_of_run(out, "learned", 7), 10);  // its seed is not in the kept results, so it is not compared
  write_run(folder_of_run(out, "real", 0), 81.4);
  write_run(folder_of_run(out, "standard", 0), 50);  // far from the mean, but exactly the kept result of this seed
  const Repetition repetition(read_result_folder(table, kept), read_result_folder(table, out));
  const std::vector<RepeatedRow>& rows = repetition.rows();
  // Three rows are compared, so the limit is t(2; 1 - 0.025/3) √2 = 7.6488 √2 times the deviations 1 and 0.1.
  BOOST_TEST(*rows[0].within == 7.6488 * std::sqrt(2), boost::test_tools::tolerance(1e-4));
  BOOST_TEST(rows[0].apart == 2.5, boost::test_tools::tolerance(1e-9));
  BOOST_TEST((rows[0].lands() && !rows[1].lands() && !rows[2].lands() && rows[3].lands()));
  BOOST_TEST((!rows[0].same && rows[3].same));
  BOOST_TEST(!repetition.all_land());
  const std::string text = repetition.markdown();
  for (const char* line : {"| learned | 74.0 ± 1.0 (3) | 74.0 (1) | 76.5 (1) | +2.5 | [-10.8, +10.8] | agrees |\n",
                           "| global | 74.0 ± 1.0 (3) | - | - | - | - | not trained |\n",
                           "| real | 80.1 ± 0.1 (3) | 80.0 (1) | 81.4 (1) | +1.4 | [-1.1, +1.1] | does not agree |\n",
                           "| 50.0 (1) | 50.0 (1) | 0.0 |", "| the same numbers |\n", "Bonferroni for 3 rows"})
    BOOST_TEST(text.find(line) != std::string::npos, text);

  // A run with another configuration is not a repetition, whatever its result.
  write_run(folder_of_run(out, "learned", 1), 74, 0.003);
  const Repetition other(read_result_folder(table, kept), read_result_folder(table, out));
  BOOST_TEST(!other.rows()[0].lands());
  BOOST_TEST(other.markdown().find("| other data |") != std::string::npos, other.markdown());
  BOOST_TEST(other.markdown().find("- learned: lr is 0.003, was 0.002\n") != std::string::npos, other.markdown());
}

BOOST_AUTO_TEST_CASE(language_models_are_compared_by_loss) {
  const TemporaryDirectory scratch;
  const std::string kept = scratch / "kept", out = scratch / "out";
  for (int seed = 0; seed < 3; ++seed) write_run(folder_of_run(kept, "none", seed), 0, 0.002, 5 + 0.01 * seed);
  write_run(folder_of_run(out, "none", 0), 0, 0.002, 4.93);
  const AblationTable table = table_with("crope", {"none"});
  const Repetition repetition(read_result_folder(table, kept), read_result_folder(table, out));
  BOOST_TEST(*repetition.rows()[0].within == 0.01 * 4.30265 * std::sqrt(2), boost::test_tools::tolerance(1e-5));
  // exp(-0.07) - 1 = -6.8 %; exp(± 0.060849) - 1 = -5.9 and +6.3 %.
  const std::string text = repetition.markdown();
  BOOST_TEST(text.find("| -6.8 % | [-5.9, +6.3] % | does not agree |") != std::string::npos, text);
}

BOOST_AUTO_TEST_CASE(kept_rows_are_trained_again_with_one_command) {
  const TemporaryDirectory scratch;
  const std::string out = scratch / "out", kept = scratch / "kept.json", again = scratch / "again", corpus = word_corpus(scratch);
  BOOST_TEST_REQUIRE(run_argand(scratch, "ablate crope --rows none,qk --seeds 2 --steps 25 --threads 1 --jobs 1 --data " + corpus +
                                             sizes + "--out " + out)
                         .code == 0);
  BOOST_TEST_REQUIRE(run_argand(scratch, "ablate crope --out " + out + " --keep " + kept).code == 0);
  const std::string repeat = "ablate " + kept + " --threads 1 --repeat --out " + again, data = " --data " + corpus;
  const auto refused = [&](const std::string& command, const std::string& why) {
    const Finished f = run_argand(scratch, command);
    BOOST_TEST(f.code == 2);
    BOOST_TEST(f.err.find(why) != std::string::npos, f.err);
  };
  refused(repeat, "the kept runs were trained on words; give its folder with --data DIR");
  refused(repeat + " --table", again + " contains no results for these rows");
  refused(repeat + " --seeds 3" + data, kept + " has no run of none with seed 2");
  refused(repeat + " --rows qkv" + data, kept + " has no row \"qkv\"; its rows: none, qk");
  refused(repeat + " --steps 30" + data, "cannot be combined with --steps");
  refused(repeat + " --keep " + kept, "cannot be combined with --probe, --judge, --keep");
  refused("ablate crope --repeat", "--repeat: trains kept rows again: argand ablate FILE.json --repeat");

  const Finished done = run_argand(scratch, repeat + " --rows qk --seeds 2" + data);
  BOOST_TEST(done.code == 0, done.err);
  BOOST_TEST(done.out.find("| the same numbers |") != std::string::npos, done.out);
  BOOST_TEST(done.out.find("| none |") == std::string::npos, done.out);
  BOOST_TEST(done.out.ends_with(contents_of(again + "/repeated.md")), done.out);
  const Finished table = run_argand(scratch, repeat + " --table");
  BOOST_TEST(table.code == 0, table.err);
  BOOST_TEST(table.out == contents_of(again + "/repeated.md"));
  // Results of a repetition can also be kept, and compared after its runs have been deleted.
  const std::string repeated = scratch / "repeated.json";
  BOOST_TEST_REQUIRE(run_argand(scratch, "ablate " + kept + " --out " + again + " --keep " + repeated).code == 0);
  BOOST_TEST(run_argand(scratch, "ablate " + kept + " --repeat --table --out " + repeated).out == table.out);

  // A kept result that this program does not reproduce.
  const std::string text = contents_of(kept);
  const auto with = [&](const std::string& before, const std::string& now, std::size_t from = 0) {
    std::string changed = text;
    const auto at = text.find(before, from);
    BOOST_TEST_REQUIRE(at != std::string::npos, before);
    std::ofstream(kept) << changed.replace(at, before.size(), now);
  };
  with("\"loss\":", "\"loss\":1", text.find("\"row\": \"qk\""));
  const Finished fails = run_argand(scratch, repeat + " --table");
  BOOST_TEST(fails.out.find("| the same numbers |") == std::string::npos, fails.out);

  // Kept settings that differ from this program's or no longer exist.
  with("\"batch\": 4", "\"batch\": 5");
  refused(repeat + " --rows qk" + data, "this program would train qk differently: batch is 4, was 5");
  with("\"clip\": 1.0", "\"clop\": 1.0");
  refused(repeat + " --rows qk" + data, "this program cannot train qk with its kept settings: config: ");
  with("\"clip\": 1.0", "\"clip\": \"much\"");
  refused(repeat + " --rows qk" + data, "this program cannot train qk with its kept settings: ");
  with("\"family\": \"crope\", \"task\"", "\"family\": \"none\", \"task\"");
  refused(repeat + " --rows qk" + data, "this program cannot train qk with its kept settings: ");
}

// Each recipe is trained with the settings of its own run: the learning rate that a search found, the requested sizes, and data
// that determine the length.
BOOST_AUTO_TEST_CASE(the_shipped_recipes_can_be_trained) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(ARGAND_SOURCE_DIR) + "/bench/results/tables")) {
    const ResultTable kept = read_result_file(entry.path());
    if (kept.costs) continue;
    ++files;
    const auto reads_a_file = [](const auto& settings) { return settings.contains("irw_file") && settings["irw_file"] != ""; };
    if (std::any_of(kept.settings.begin(), kept.settings.end(), reads_a_file)) {  // only the file's name was kept
      BOOST_CHECK_THROW(recipe_of(kept, "somewhere"), InputError);
      continue;
    }
    const Recipe recipe = recipe_of(kept, "somewhere");
    for (std::size_t i = 0; i < kept.table.rows.size(); ++i) {
      const RunConfig config =
          RunConfig::resolve({}, settings_of_run(recipe.table, recipe.table.rows[i], 3, recipe.shared), kept.table.task);
      BOOST_TEST(config.training.lr == kept.settings[i]["lr"].get<double>());
      BOOST_TEST(config.training.seed == 3);
      BOOST_TEST(config.training.data == "somewhere");
    }
  }
  BOOST_TEST(files >= 11U);
}

BOOST_AUTO_TEST_SUITE_END()
