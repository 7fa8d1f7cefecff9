/// A family that is defined only in a test works with the ordinary commands.

#include "tests/apps/toy_family.h"

#include <nlohmann/json.hpp>

#include "tests/apps/program.h"
#include "tests/error_text.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(toy)

namespace {

const std::string tiny_toy = " --family toy --preset toy-box --batch 8 --warmup 5 --threads 1 --log-every 1 ";

Finished run_toy(const TemporaryDirectory& scratch, const std::string& arguments) {
  return run_argand(scratch, arguments, {}, TOY_PROGRAM);
}

/// Trains a run of 30 steps in `scratch / "run"` and returns its folder.
std::string trained(const TemporaryDirectory& scratch) {
  const std::string run = scratch / "run";
  const Finished done = run_toy(scratch, "train lm --out " + run + tiny_toy);
  BOOST_TEST_REQUIRE(done.code == 0, done.err);
  return run;
}

}  // namespace

BOOST_AUTO_TEST_CASE(it_trains_is_killed_and_resumes_to_the_same_bytes) {
  const TemporaryDirectory scratch;
  const std::string whole = scratch / "whole", killed = scratch / "killed";
  const std::string options = tiny_toy + "--steps 60 --eval-every 20 --checkpoint-every 7 --dropout 0.1 ";
  BOOST_TEST_REQUIRE(run_toy(scratch, "train lm --out " + whole + options).code == 0);
  int kills = 0;
  for (const int step : {3, 25, 44}) {
    Program program(scratch, kills == 0 ? "train lm --out " + killed + options : "train lm --threads 1 --resume " + killed, {},
                    TOY_PROGRAM);
    if (reaches_step(program, killed, step)) program.signal(SIGKILL), ++kills;
    program.wait();
  }
  BOOST_TEST(kills >= 1);
  BOOST_TEST(run_toy(scratch, "train lm --threads 1 --resume " + killed).code == 0);
  for (const char* name :
       {"last.safetensors", "best.safetensors", "step-56.safetensors", "config.json", "config.toml", "vocab.txt"})
    BOOST_TEST((contents_of(whole + "/" + name) == contents_of(killed + "/" + name)), name);
  BOOST_TEST(log_without_times(whole) == log_without_times(killed));
}

BOOST_AUTO_TEST_CASE(its_keys_are_options_and_its_words_are_checked) {
  const TemporaryDirectory scratch;
  const Finished help = run_toy(scratch, "train lm --help");
  BOOST_TEST(help.out.find("transformer|complexformer|crope|crat|qic|toy") != std::string::npos);
  BOOST_TEST(help.out.find("small|paper|shakespeare|toy-box") != std::string::npos);
  BOOST_TEST(help.out.find("Model, only for toy") != std::string::npos);
  const auto refused = [&](const std::string& options) {
    const Finished done = run_toy(scratch, "train lm --out " + (scratch / "no") + options);
    BOOST_TEST(done.code == 2);
    return done.err;
  };
  BOOST_TEST(refused(" --family toy --turn leaned") ==
             "argand: --turn: \"leaned\" is not one of learned|none; did you mean learned?\n");
  BOOST_TEST(refused(" --family crope --turn none") == "argand: --turn: the family crope has no such key; it belongs to toy\n");
  BOOST_TEST(refused(" --family toy --turn none --turn-init 1") ==
             "argand: --turn-init: the family toy has this key, but not with these settings\n");
  BOOST_TEST(refused(" --family toy --n-heads 3 --d-model 9") == "argand: config: toys need pairs: d_model 9 / n_heads 3\n");
  BOOST_TEST(refused(" --family crope --preset toy-box") == "argand: --preset: \"toy-box\" is for the family toy, not for crope\n");
  // A preset's name implies its family.
  const std::string run = scratch / "run";
  BOOST_TEST(run_toy(scratch, "train lm --preset toy-box --steps 1 --out " + run).code == 0);
  BOOST_TEST(nlohmann::json::parse(contents_of(run + "/config.json"))["model"]["family"] == "toy");
  // A program that lacks the family says so.
  BOOST_TEST(run_argand(scratch, "eval " + run).err.find("config: family \"toy\" is not one of ") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(its_gradients_are_checked) {
  const TemporaryDirectory scratch;
  const Finished done = run_toy(scratch, "gradcheck toy --json");
  BOOST_TEST(done.code == 0, done.err);
  std::vector<std::string> names;
  const nlohmann::json report = nlohmann::json::parse(done.out);
  for (const auto& check : report["checks"]) {
    names.push_back(check["name"]);
    BOOST_TEST(check["ok"].get<bool>());
    BOOST_TEST(check["elements"].get<int>() > 10);
  }
  BOOST_TEST(names == (std::vector<std::string>{"toy lm", "toy classify", "toy lm turn=none", "toy lm turn_init=1.2",
                                                "toy classify wide"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(every_command_reads_its_runs) {
  const TemporaryDirectory scratch;
  const std::string run = trained(scratch);
  const Finished inspect = run_toy(scratch, "inspect " + run);
  BOOST_TEST(inspect.code == 0, inspect.err);
  BOOST_TEST(inspect.out.find("toy, 1 layer of 3 heads") != std::string::npos, inspect.out);
  BOOST_TEST(inspect.out.find("blocks.0.phase") != std::string::npos);
  const Finished eval = run_toy(scratch, "eval " + run);
  BOOST_TEST(eval.code == 0, eval.err);
  BOOST_TEST(eval.out.starts_with(run + "/best.safetensors at step 30, test part, "), eval.out);
  BOOST_TEST(run_toy(scratch, "generate " + run + " --prompt mary --tokens 5 --seed 5").out.starts_with("mary"));
  const std::string page = scratch / "report.html";
  const Finished report = run_toy(scratch, "report " + run + " --out " + page);
  BOOST_TEST(report.code == 0, report.err);
  const std::string html = contents_of(page);
  for (const char* part : {"\"family\":\"toy\"", "\"phases_are\":\"Phases of toys.\"", "\"blocks.0.phase\":{\"shape\":[6]"})
    BOOST_TEST(html.find(part) != std::string::npos, part);
  const Finished graph = run_toy(scratch, "graph --run " + run);
  BOOST_TEST(graph.code == 0, graph.err);
  BOOST_TEST(graph.out.find("polar") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(it_learns_to_label_and_is_ablated) {
  const TemporaryDirectory scratch;
  const std::string run = scratch / "labels";
  const Finished train = run_toy(scratch,
                                 "train classify --family toy --d-model 12 --n-heads 3 --epochs 1 --train-articles 60 "
                                 "--test-articles 20 --out " +
                                     run);
  BOOST_TEST(train.code == 0, train.err);
  BOOST_TEST(run_toy(scratch, "eval " + run).code == 0);
  const Finished ablate = run_toy(scratch, "ablate toy --steps 4 --seeds 1 --out " + (scratch / "table"));
  BOOST_TEST(ablate.code == 0, ablate.err);
  BOOST_TEST(ablate.out.find("| turned | with phases | ") != std::string::npos, ablate.out);
}

// Tested in this process, where all tests share one list of families, so none of the families below may be added to it.
BOOST_AUTO_TEST_CASE(incomplete_and_duplicate_families_are_refused) {
  Family twice = family_named("crope");
  BOOST_TEST(error_of([&] { add_family(twice); }) == "family: \"crope\" is already registered");
  Family empty = toy_family();
  empty.make_double = nullptr;
  BOOST_TEST(error_of([&] { add_family(empty); }) == "family: \"toy\" needs a name, a configuration, and float and double models");
  BOOST_TEST(families().size() == 5U);
}

BOOST_AUTO_TEST_SUITE_END()
