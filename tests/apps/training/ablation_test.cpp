#include "apps/training/ablation.h"

#include <boost/test/unit_test.hpp>
#include <fstream>
#include <set>

#include "apps/runs/run_config.h"
#include "tests/apps/program.h"
#include "tests/error_text.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(ablation)

BOOST_AUTO_TEST_CASE(every_row_is_a_model_of_its_own_that_can_be_built) {
  const std::vector<std::pair<std::string, std::size_t>> rows = {{"complexformer", 5}, {"crope", 6}, {"crat", 6}, {"qic", 11}};
  for (const auto& [family, count] : rows) {
    const AblationTable table = ablation_table(family);
    BOOST_TEST(table.rows.size() == count);
    std::set<std::string> names, configs;
    for (const AblationRow& row : table.rows) {
      Settings settings = {{"task", table.task, "test"}, {"preset", table.preset, "test"}};
      for (const auto& [key, text] : row.settings) settings.push_back({key, text, row.name});
      configs.insert(RunConfig::resolve({}, settings, table.task).to_json());
      names.insert(row.name);
    }
    BOOST_TEST(names.size() == count);
    BOOST_TEST(configs.size() == count);
  }
  BOOST_TEST(error_of([] { ablation_table("crop"); }) ==
             "ablate: \"crop\" has no table; there are those of complexformer|crope|crat|qic; did you mean crope?");
}

BOOST_AUTO_TEST_CASE(mean_and_sample_standard_deviation) {
  BOOST_TEST(mean_and_deviation({}) == "-");
  BOOST_TEST(mean_and_deviation({4}) == "4.0 (1)");
  BOOST_TEST(mean_and_deviation({1, 2, 3, 6}) == "3.0 ± 2.2 (4)");
  BOOST_TEST(mean_and_deviation({0.5, 1}, 3) == "0.750 ± 0.354 (2)");
  BOOST_TEST(mean_and_deviation({4}, 3) == "4.000 (1)");
}

BOOST_AUTO_TEST_CASE(stopped_ablations_go_on_and_finished_ones_are_only_read) {
  const TemporaryDirectory scratch;
  const std::string command = "ablate complexformer --rows rope,fixed --seeds 1 --steps 6 --jobs 2 --out " + (scratch / "ablation");
  {
    Program program(scratch, command);
    while (program.running() && !std::filesystem::exists(scratch / "ablation/fixed/seed-0/last.safetensors")) usleep(10'000);
    program.signal(SIGTERM);
    BOOST_TEST(program.wait() == 128 + SIGTERM);
    BOOST_TEST(program.out().ends_with("stopped by SIGTERM; the same command goes on from there\n"));
  }
  const Finished done = run_argand(scratch, command);
  BOOST_TEST(done.code == 0, done.err);
  const std::string table = done.out.substr(done.out.find("| row"));
  BOOST_TEST(
      table.starts_with("| row | | parameters | perplexity | bits a byte | paper, table 4 |\n|---|---|---:|---:|---:|---:|\n| "
                        "fixed | δ = 1, b = 0 |"));
  BOOST_TEST(done.out.find(" bits a byte\n") != std::string::npos, done.out);
  BOOST_TEST(contents_of(scratch / "ablation/table.md") + "\n" == table.substr(0, table.find("\n\n") + 2));
  const Finished again = run_argand(scratch, command);
  BOOST_TEST(again.out.substr(again.out.find("| row")) == table);
  BOOST_TEST(again.out.find("seed 0: perplexity") == std::string::npos);  // nothing was trained

  const Finished other =
      run_argand(scratch, "ablate complexformer --rows rope --seeds 1 --steps 7 --out " + (scratch / "ablation"));
  BOOST_TEST(other.code == 2);
  BOOST_TEST(other.err.find("holds an ablation with other settings") != std::string::npos, other.err);

  // An ablation of before there was a choice of protocols goes on with the one it began with, and with no other.
  const std::string settings = scratch / "ablation/ablation.json";
  std::string text = contents_of(settings);
  const std::string key = ",\"eval_protocol\":\"every-token\"";
  BOOST_TEST_REQUIRE(text.find(key) != std::string::npos, text);
  std::ofstream(settings) << text.erase(text.find(key), key.size());
  const Finished mixed = run_argand(scratch, command);
  BOOST_TEST(mixed.code == 2);
  BOOST_TEST(mixed.err.find("\"eval_protocol\":\"full-blocks\"") != std::string::npos, mixed.err);
  BOOST_TEST(run_argand(scratch, command + " --set eval_protocol=full-blocks").code == 0);
}

BOOST_AUTO_TEST_CASE(a_failing_run_is_named_and_the_others_are_kept) {
  const TemporaryDirectory scratch;
  const Finished done =
      run_argand(scratch, "ablate crope --rows none --seeds 1 --steps 2 --data nowhere --out " + (scratch / "bad"));
  BOOST_TEST(done.code == 1);
  BOOST_TEST(done.err.find("argand: ablate: 1 of 1 runs failed; the same command tries them again\n  none, seed 0: argand: ") == 0,
             done.err);
  const Finished row = run_argand(scratch, "ablate crope --rows nne");
  BOOST_TEST(row.err ==
             "argand: --rows: crope has no row \"nne\", it has none, qk, qkv, all, half_qk, half_all; did you mean none?\n");
}

BOOST_AUTO_TEST_SUITE_END()
