#include "apps/ablation/ablation.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/apps/program.h"
#include "tests/error_text.h"
#include "tests/sanitized.h"
#include "train/config/run_config.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(ablation)

BOOST_AUTO_TEST_CASE(every_row_is_a_model_of_its_own_that_can_be_built) {
  const std::vector<std::pair<std::string, std::size_t>> rows = {{"complexformer", 11}, {"crope", 6}, {"crat", 11}, {"qic", 21}};
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
             "ablate: \"crop\" has no table; families with tables: complexformer|crope|crat|qic; did you mean crope?");
}

// The papers' claims are data and belong in experiments/, not in the families' code.
BOOST_AUTO_TEST_CASE(families_hold_no_claims) {
  for (const char* family : {"complexformer", "crope", "crat", "qic"}) {
    const AblationTable& table = ablation_table(family);
    BOOST_TEST((table.claims.empty() && table.note.empty() && table.costs.empty() && table.source.empty()), family);
    for (const AblationRow& row : table.rows) BOOST_TEST(row.paper == "", family << ": " << row.name);
  }
}

BOOST_AUTO_TEST_CASE(stopped_ablations_resume_and_finished_ones_are_only_read) {
  const TemporaryDirectory scratch;
#ifdef ARGAND_SANITIZED
  // With these sizes a step takes 0.7 s instead of 15 s, which still leaves time to interrupt it.
  const std::string sizes = " --set d_model=32,n_layers=1,n_heads=2,d_ff=32";
#else
  const std::string sizes;
#endif
  const std::string command =
      "ablate complexformer --rows rope,fixed --seeds 1 --steps 6 --jobs 2" + sizes + " --out " + (scratch / "ablation");
  {
    Program program(scratch, command);
    while (program.running() && !std::filesystem::exists(scratch / "ablation/fixed/seed-0/last.safetensors")) usleep(10'000);
    program.signal(SIGTERM);
    BOOST_TEST(program.wait() == 128 + SIGTERM);
    BOOST_TEST(program.out().ends_with("stopped by SIGTERM; run the same command to continue\n"));
  }
  const Finished done = run_argand(scratch, command);
  BOOST_TEST(done.code == 0, done.err);
  const std::string table = done.out.substr(done.out.find("| row"));
  BOOST_TEST(
      table.starts_with("| row | | parameters | perplexity | bits per byte | against fixed | verdict "
                        "|\n|---|---|---:|---:|---:|---:|---|\n| fixed | δ = 1, b = 0 |"));
  BOOST_TEST(done.out.find(" bits per byte\n") != std::string::npos, done.out);
  BOOST_TEST(contents_of(scratch / "ablation/table.md") == table);
  const Finished again = run_argand(scratch, command);
  BOOST_TEST(again.out.substr(again.out.find("| row")) == table);
  BOOST_TEST(again.out.find("seed 0: perplexity") == std::string::npos);  // nothing was trained

  const Finished other =
      run_argand(scratch, "ablate complexformer --rows rope --seeds 1 --steps 7 --out " + (scratch / "ablation"));
  BOOST_TEST(other.code == 2);
  BOOST_TEST(other.err.find("contains an ablation with different settings") != std::string::npos, other.err);

  // An ablation started by a version that offered no choice of protocol continues with that version's protocol and no other.
  const std::string settings = scratch / "ablation/ablation.json";
  std::string text = contents_of(settings);
  const std::string key = ",\"eval_protocol\":\"every-token\"";
  BOOST_TEST_REQUIRE(text.find(key) != std::string::npos, text);
  std::ofstream(settings) << text.erase(text.find(key), key.size());
  const Finished mixed = run_argand(scratch, command);
  BOOST_TEST(mixed.code == 2);
  BOOST_TEST(mixed.err.find("eval_protocol is every-token, was full-blocks") != std::string::npos, mixed.err);
  BOOST_TEST(run_argand(scratch, command + " --set eval_protocol=full-blocks").code == 0);
}

BOOST_AUTO_TEST_CASE(a_failing_run_is_named_and_the_others_are_kept) {
  const TemporaryDirectory scratch;
  std::filesystem::create_directories(scratch / "bad/none");
  scratch.file("bad/none/seed-0", "where the run's folder should be");
  const Finished done = run_argand(scratch, "ablate crope --rows none --seeds 1 --steps 2 --out " + (scratch / "bad"));
  BOOST_TEST(done.code == 1);
  BOOST_TEST(
      done.err.find("argand: ablate: 1 of 1 runs failed; run the same command to try them again\n  none, seed 0: argand: ") == 0,
      done.err);
  // Missing data are reported once, and no folder is made, so the command can be repeated with other data.
  const Finished nowhere = run_argand(scratch, "ablate crope --steps 2 --data nowhere --out " + (scratch / "new"));
  BOOST_TEST(nowhere.code == 1);
  BOOST_TEST(nowhere.err.starts_with("argand: data: nowhere does not exist; "), nowhere.err);
  BOOST_TEST(!std::filesystem::exists(scratch / "new"));
  const Finished nothing = run_argand(scratch, "ablate crope --table --out " + (scratch / "new"));
  BOOST_TEST(nothing.err == "argand: --table: " + (scratch / "new") + " contains no ablation\n");
  const Finished row = run_argand(scratch, "ablate crope --rows nne");
  BOOST_TEST(row.err ==
             "argand: --rows: crope has no row \"nne\"; its rows: none, qk, qkv, all, half_qk, half_all; did you mean none?\n");
}

BOOST_AUTO_TEST_CASE(requested_values_win_in_every_run) {
  const TemporaryDirectory scratch;
  const std::string out = scratch / "out",
                    small = ",d_model=16,n_layers=1,n_heads=2,d_ff=16,length=16,batch=4 --threads 1 --seeds 1 --out ";
  const Finished done =
      run_argand(scratch, "ablate crope --rows none,all --set eval_every=2,steps=5,warmup=1,optimizer=adamw" + small + out);
  BOOST_TEST(done.code == 0, done.err);
  const std::string config = contents_of(out + "/all/seed-0/config.json"), log = contents_of(out + "/all/seed-0/log.jsonl");
  BOOST_TEST(config.find("\"optimizer\": \"adamw\"") != std::string::npos, config);
  std::size_t validations = 0;
  for (std::size_t at = 0; (at = log.find("\"valid_loss\"", at + 1)) != std::string::npos;) ++validations;
  BOOST_TEST(validations == 3U);  // after steps 2, 4 and 5
  const Finished refused = run_argand(scratch, "ablate crope --set seed=1" + small + (scratch / "other"));
  BOOST_TEST(refused.code == 2);
  BOOST_TEST(refused.out == "");
  BOOST_TEST(refused.err == "argand: --set seed=1: every row uses the seeds 0 ... N - 1; --seeds sets N\n");
  BOOST_TEST(!std::filesystem::exists(scratch / "other"));
}

BOOST_AUTO_TEST_CASE(costs_are_measured_in_a_few_steps) {
  const TemporaryDirectory scratch;
  const std::string out = scratch / "costs";
  const Finished done = run_argand(scratch,
                                   "ablate crope --cost --rows none,qkv --threads 1 --set "
                                   "n_layers=2,d_model=16,n_heads=2,d_ff=24,length=16,batch=4,optimizer=adamw --out " +
                                       out);
  BOOST_TEST(done.code == 0, done.err);
  BOOST_TEST(
      done.out.find(
          "| row | parameters | million FLOPs per token | tokens per second | peak memory, MiB | generation, ms per token |\n") !=
      std::string::npos);
  BOOST_TEST(done.out.find("FLOPs are counted while running") != std::string::npos, done.out);
  const Finished again = run_argand(scratch, "ablate crope --cost --table --out " + out);
  BOOST_TEST(again.out == done.out.substr(done.out.find("\n| row")), again.out);

  const auto timed = nlohmann::json::parse(contents_of(out + "/qkv/seed-0/latency.json"));
  BOOST_TEST(timed["milliseconds_per_token"].get<double>() > 0);
  BOOST_TEST(timed["prompt_length"] == 4);  // a quarter of the window
  BOOST_TEST(timed["tokens"] == 12);

  const std::string kept = scratch / "kept.json";
  const Finished copied = run_argand(scratch, "ablate crope --cost --out " + out + " --keep " + kept);
  BOOST_TEST(copied.code == 0, copied.err);
  BOOST_TEST("\n" + run_argand(scratch, "ablate " + kept).out == again.out);
}

BOOST_AUTO_TEST_SUITE_END()
