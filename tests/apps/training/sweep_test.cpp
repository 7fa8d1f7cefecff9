/// Runs the program `argand sweep`.

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/apps/program.h"
#include "tests/sanitized.h"

using namespace argand;

namespace {

namespace fs = std::filesystem;

const std::string small =
    " --n-layers 1 --d-model 16 --n-heads 2 --d-ff 24 --length 16 --batch 4 --warmup 2 --eval-batches 1 --checkpoint-every 1 ";

std::string table_of(const Finished& done) { return done.out.substr(done.out.find("\n| ") + 1); }

std::size_t lines_with(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(sweep)

BOOST_AUTO_TEST_CASE(killed_and_resumed_it_prints_the_same_table) {
  const TemporaryDirectory scratch;
  const std::string steps = sanitized ? "6" : "24";
  const auto command = [&](const std::string& out) {
    return "sweep lm --lr 1e-3,1e-2,1e-1 --halving --seeds 2 --jobs 2 --steps " + steps + small + "--out " + (scratch / out);
  };
  const Finished whole = run_argand(scratch, command("whole"));
  BOOST_TEST_REQUIRE(whole.code == 0, whole.err);
  const std::string table = table_of(whole);
  BOOST_TEST(table.starts_with("| validation loss, a third of the length | seed 0 | mean | perplexity | bits per byte |  |\n"),
             table);
  BOOST_TEST(table.find("\n| validation loss | seed 0 | seed 1 | mean | 95 % | perplexity | bits per byte |  |\n") != table.npos,
             table);
  BOOST_TEST(lines_with(table, "| best |") == 1U);
  BOOST_TEST(contents_of(scratch / "whole/table.md") == table);
  // Three runs at a third of the full length, the best of them at full length, and the best again with the other seed.
  BOOST_TEST(lines_with(whole.out, "/seed-") == 5U);

  // SIGKILL, SIGTERM and SIGKILL, each in the middle of a different run, and then one pass to the end.
  const std::vector<std::string> places = {"third/lr=1e-2/seed-0", "third/lr=1e-1/seed-0"};
  for (std::size_t i = 0; i < places.size(); ++i) {
    Program program(scratch, command("pieces"));
    const std::string last = scratch / ("pieces/" + places[i] + "/last.safetensors");
    while (program.running() && !fs::exists(last)) usleep(1000);
    BOOST_TEST(program.running());
    program.signal(i == 0 ? SIGKILL : SIGTERM);
    BOOST_TEST(program.wait() == (i == 0 ? 1000 + SIGKILL : 128 + SIGTERM));
  }
  scratch.file("pieces/sweep.json.tmp-1-0", "half of what a process that was killed wrote");
  const Finished pieces = run_argand(scratch, command("pieces"));
  BOOST_TEST(!fs::exists(scratch / "pieces/sweep.json.tmp-1-0"));
  BOOST_TEST(pieces.code == 0, pieces.err);
  BOOST_TEST(table_of(pieces) == table);
  BOOST_TEST(contents_of(scratch / "pieces/table.json") == contents_of(scratch / "whole/table.json"));
  BOOST_TEST(contents_of(scratch / "pieces/sweep.json") == contents_of(scratch / "whole/sweep.json"));

  // Nothing is trained again, even if the folders of runs are gone.
  fs::remove_all(scratch / "pieces/third");
  fs::remove_all(scratch / "pieces/lr=1e-2");
  const Finished again = run_argand(scratch, command("pieces"));
  BOOST_TEST(again.code == 0, again.err);
  BOOST_TEST(table_of(again) == table);
  BOOST_TEST(lines_with(again.out, "/seed-") == 0U);
  BOOST_TEST(!fs::exists(scratch / "pieces/third"));
}

BOOST_AUTO_TEST_CASE(a_rate_that_diverges_is_named_and_comes_last) {
  const TemporaryDirectory scratch;
  const Finished done = run_argand(scratch, "sweep lm --lr 1e30,1e-3 --clip 0 --steps 6 --jobs 1 --drop-weights" + small +
                                                "--json " + (scratch / "json") + " --out " + (scratch / "out"));
  BOOST_TEST(done.code == 0, done.err);
  BOOST_TEST(done.out.find("lr=1e30/seed-0: diverged: the loss became ") != done.out.npos, done.out);
  const std::string table = table_of(done);
  BOOST_TEST(table.find("| lr=1e-3 |") < table.find("| lr=1e30 | diverged | - | - | - |  |\n"), table);
  BOOST_TEST(table.ends_with("Warning: the best lr, 1e-3, is the lowest of those tried: lower values may be better; --widen "
                             "extends the list on that side.\n"),
             table);
  BOOST_TEST(table.find("\n1 of 2 runs diverged, and configurations with such runs rank last: lr=1e30.\n") != table.npos, table);
  const auto json = nlohmann::json::parse(contents_of(scratch / "json"));
  BOOST_TEST(json["best"] == "lr=1e-3");
  BOOST_TEST(json["full"][1]["runs"][0].contains("diverged"));
  BOOST_TEST(!fs::exists(scratch / "out/lr=1e-3/seed-0/last.safetensors"));
  BOOST_TEST(fs::exists(scratch / "out/lr=1e-3/seed-0/log.jsonl"));
}

BOOST_AUTO_TEST_CASE(a_run_whose_last_step_ruins_it_has_diverged_too) {
  const TemporaryDirectory scratch;
  for (const std::string task : {"lm", "classify --train-articles 40 --test-articles 8"}) {
    const std::string steps = " --clip 0 --warmup 0 --steps 1 --n-layers 1 --d-model 16 --n-heads 2 --d-ff 24 --batch 4 ",
                      why = "the validation loss is not finite after step 1";
    const Finished one = run_argand(scratch, "train " + task + steps + "--lr 1e30 --overwrite --out " + (scratch / "one"));
    BOOST_TEST(one.code == 3);
    BOOST_TEST(one.err.starts_with("argand: train: " + why + "; a lower --lr or --clip"), one.err);
    const std::string name = task.substr(0, task.find(' '));
    BOOST_TEST(run_argand(scratch, "train " + name + " --resume " + (scratch / "one")).code == 3);
    const Finished sweep = run_argand(scratch, "sweep " + task + steps + "--lr 1e30,1e-3 --json - --out " + (scratch / name));
    BOOST_TEST(sweep.code == 0, sweep.err);
    BOOST_TEST(sweep.err.find("lr=1e30/seed-0: diverged: " + why) != sweep.err.npos, sweep.err);
    BOOST_TEST(nlohmann::json::parse(sweep.out)["best"] == "lr=1e-3");
  }
}

BOOST_AUTO_TEST_CASE(a_run_that_fails_is_named_and_the_others_go_on) {
  const TemporaryDirectory scratch;
  const std::string command = "sweep lm --lr 1e-3,1e-2 --steps 2 --jobs 1" + small + "--out " + (scratch / "out");
  fs::create_directories(scratch / "out/lr=1e-3");
  scratch.file("out/lr=1e-3/seed-0", "where the run's folder should be");
  const Finished taken = run_argand(scratch, command);
  BOOST_TEST(taken.code == 2);
  BOOST_TEST(taken.err.find("is not empty and contains no sweep; choose another folder") != taken.err.npos, taken.err);
  fs::remove_all(scratch / "out");
  BOOST_TEST_REQUIRE(run_argand(scratch, command + " --lr 1e-2").code != 0);  // the rate is given twice
  fs::create_directories(scratch / "out");
  scratch.file("out/sweep.json.tmp-1-0", "all that a sweep left which was killed at once");
  BOOST_TEST_REQUIRE(run_argand(scratch, "sweep lm --grid lr=1e-2,2e-2 --steps 2" + small + "--out " + (scratch / "out")).code ==
                     0);
  fs::create_directories(scratch / "out/lr=1e-3");
  scratch.file("out/lr=1e-3/seed-0", "where the run's folder should be");
  const Finished done = run_argand(scratch, command);
  BOOST_TEST(done.code == 1);
  BOOST_TEST(
      done.err.starts_with("argand: sweep: 1 run failed and is ranked last; run the same command to try again\n  lr=1e-3/seed-0: "),
      done.err);
  BOOST_TEST(done.out.find("| lr=1e-2 |") != done.out.npos, done.out);
  fs::remove(scratch / "out/lr=1e-3/seed-0");
  const Finished again = run_argand(scratch, command);
  BOOST_TEST(again.code == 0, again.err);
  BOOST_TEST(lines_with(again.out, "/seed-") == 1U);
}

BOOST_AUTO_TEST_CASE(mistakes_are_reported_before_anything_is_written) {
  const TemporaryDirectory scratch;
  const std::string out = " --out " + (scratch / "out");
  const auto error = [&](const std::string& options) {
    const Finished done = run_argand(scratch, "sweep lm " + options + out);
    BOOST_TEST(done.code == 2, options);
    BOOST_TEST(!fs::exists(scratch / "out"), options);
    return done.err;
  };
  BOOST_TEST(error("--grid lerning_rate=1,2").starts_with("argand: --grid lerning_rate=1,2: unknown key"));
  BOOST_TEST(error("--grid lr=") == "argand: --grid lr=: a value is empty; separate values with \",\"\n");
  BOOST_TEST(error("--lr 1e-3,fast") == "argand: --lr: \"fast\" is not a number\n");
  BOOST_TEST(error("--seeds 2 --search-seeds 3") == "argand: --search-seeds: 3 is more than the 2 seeds\n");
  BOOST_TEST(error("--halving --steps 2").starts_with("argand: --halving: begins with a third of the length"));
  BOOST_TEST(run_argand(scratch, "sweep lm --lr 1e-3").err == "argand: sweep lm: missing --out SWEEP, the folder for all runs\n");
  const Finished nowhere = run_argand(scratch, "sweep lm --lr 1e-3,2e-3 --data nowhere" + out);
  BOOST_TEST(nowhere.code == 1);
  BOOST_TEST(nowhere.err.starts_with("argand: data: nowhere does not exist; "), nowhere.err);
  BOOST_TEST(!fs::exists(scratch / "out"));
}

BOOST_AUTO_TEST_CASE(one_sweep_at_a_time_in_a_folder_and_one_recipe) {
  const TemporaryDirectory scratch, other;
  const std::string out = scratch / "out";
  Program first(scratch, "sweep lm --lr 1e-3,2e-3 --jobs 1 --steps 100000" + small + "--out " + out);
  while (first.running() && !fs::exists(out + "/lr=1e-3/seed-0/last.safetensors")) usleep(1000);
  const Finished second = run_argand(other, "sweep lm --lr 1e-3,2e-3 --jobs 1 --steps 100000" + small + "--out " + out);
  BOOST_TEST(second.code == 1);
  BOOST_TEST(second.err.find(out + " is in use") != second.err.npos, second.err);
  first.signal(SIGTERM);
  BOOST_TEST(first.wait() == 128 + SIGTERM);
  const Finished third = run_argand(other, "sweep lm --lr 1e-3,2e-3 --jobs 1 --steps 7" + small + "--out " + out);
  BOOST_TEST(third.code == 2);
  BOOST_TEST(third.err.find("contains a sweep with different settings (steps is 7, was 100000)") != third.err.npos, third.err);
}

BOOST_AUTO_TEST_CASE(classifiers_are_ranked_by_accuracy) {
  const TemporaryDirectory scratch;
  const Finished done = run_argand(
      scratch,
      "sweep classify --lr 1e-5,1e-2 --epochs 1 --train-articles 64 --test-articles 32 --jobs 1 --n-layers 1 --d-model 16 "
      "--n-heads 2 --d-ff 16 --seeds 2 --out " +
          (scratch / "out"));
  BOOST_TEST(done.code == 0, done.err);
  const auto json = nlohmann::json::parse(contents_of(scratch / "out/table.json"));
  const auto mean = [&](int row) {
    return json["full"][row]["runs"][0]["accuracy"].get<double>() + json["full"][row]["runs"][1]["accuracy"].get<double>();
  };
  BOOST_TEST(mean(0) >= mean(1));
  BOOST_TEST(table_of(done).starts_with("| accuracy, % | seed 0 | seed 1 | mean | 95 % |  |\n"), done.out);
}

BOOST_AUTO_TEST_SUITE_END()
