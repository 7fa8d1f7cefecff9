/// Kills and interrupts the real program, which must continue as if nothing had happened, byte for byte.

#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/apps/program.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(resume)

namespace {

const std::string options = tiny + "--steps 60 --eval-every 20 --checkpoint-every 7 --dropout 0.1 ";

}  // namespace

BOOST_AUTO_TEST_CASE(killed_at_any_step_it_ends_in_the_same_files) {
  const TemporaryDirectory scratch;
  const std::string whole = scratch / "whole", killed = scratch / "killed";
  BOOST_TEST_REQUIRE(run_argand(scratch, "train lm --out " + whole + options).code == 0);
  int kills = 0;
  {
    Program program(scratch, "train lm --out " + killed + options);
    if (reaches_step(program, killed, 3)) program.signal(SIGKILL), ++kills;
    program.wait();
  }
  for (int step : {12, 21, 35, 49}) {
    Program program(scratch, "train lm --threads 1 --resume " + killed);
    if (reaches_step(program, killed, step)) program.signal(SIGKILL), ++kills;
    program.wait();
  }
  BOOST_TEST(kills >= 3);  // a fast machine may finish before one of the kills
  const Finished last = run_argand(scratch, "train lm --threads 1 --resume " + killed);
  BOOST_TEST(last.code == 0);
  std::size_t compared = 0;
  for (const auto& entry : std::filesystem::directory_iterator(whole)) {
    const std::string name = entry.path().filename();
    if (name == "log.jsonl") continue;
    BOOST_TEST((contents_of(whole + "/" + name) == contents_of(killed + "/" + name)), name);
    ++compared;
  }
  BOOST_TEST(compared == 8u);  // last, best, config.json, config.toml, vocab.txt and step-42, 49 and 56
  BOOST_TEST(std::distance(std::filesystem::directory_iterator(killed), std::filesystem::directory_iterator()) == 9);
  BOOST_TEST(log_without_times(whole) == log_without_times(killed));
}

BOOST_AUTO_TEST_CASE(an_interrupted_run_saves_and_says_how_to_resume) {
  const TemporaryDirectory scratch;
  const std::string whole = scratch / "whole", stopped = scratch / "stopped";
  BOOST_TEST_REQUIRE(run_argand(scratch, "train lm --out " + whole + options).code == 0);
  struct SignalAtStep {
    int signal, step;
    const char* name;
  };
  for (const auto& [signal, step, name] :
       {SignalAtStep{SIGINT, 4, "SIGINT"}, SignalAtStep{SIGTERM, 25, "SIGTERM"}, SignalAtStep{SIGHUP, 45, "SIGHUP"}}) {
    Program program(scratch, signal == SIGINT ? "train lm --out " + stopped + options : "train lm --threads 1 --resume " + stopped);
    if (!reaches_step(program, stopped, step)) continue;
    program.signal(signal);
    const int code = program.wait();
    if (code == 0) continue;  // the program finished before the signal came
    BOOST_TEST(code == 128 + signal);
    BOOST_TEST(program.out().find(fmt::format("stopped by {} after step ", name)) != std::string::npos);
    BOOST_TEST(program.out().find("continue with `argand train lm --resume " + stopped + "`") != std::string::npos);
    BOOST_TEST(program.err() ==
               "argand: stopping: finishing and saving this step; press Ctrl-C again to quit at once and lose the steps since the "
               "last checkpoint\n");
  }
  BOOST_TEST(run_argand(scratch, "train lm --threads 1 --resume " + stopped).code == 0);
  BOOST_TEST((contents_of(whole + "/last.safetensors") == contents_of(stopped + "/last.safetensors")));
  BOOST_TEST((contents_of(whole + "/best.safetensors") == contents_of(stopped + "/best.safetensors")));
  const Finished again = run_argand(scratch, "train lm --resume " + stopped);
  BOOST_TEST(again.code == 0);
  BOOST_TEST(again.out == stopped + " has already taken all its 60 steps; continue with a larger --steps N\n");
}

BOOST_AUTO_TEST_CASE(under_nohup_a_closed_terminal_changes_nothing) {
  const TemporaryDirectory scratch;
  const std::string run = scratch / "run";
  Program program(scratch, "train lm --out " + run + options, [] { std::signal(SIGHUP, SIG_IGN); });
  if (reaches_step(program, run, 4)) program.signal(SIGHUP);
  BOOST_TEST(program.wait() == 0);
  BOOST_TEST(program.err() == "");
}

BOOST_AUTO_TEST_CASE(a_signal_ends_a_long_sample_which_is_drawn_on_resuming) {
  const TemporaryDirectory scratch;
  const std::string run = scratch / "run";
  {
    Program program(scratch, "train lm --steps 8 --sample-every 4 --sample-tokens 1000000000 --out " + run + tiny);
    BOOST_TEST_REQUIRE(reaches_step(program, run, 4));
    program.signal(SIGTERM);
    BOOST_TEST(program.wait() == 128 + SIGTERM);
  }
  const Finished done = run_argand(scratch, "train lm --threads 1 --sample-tokens 5 --resume " + run);
  BOOST_TEST(done.code == 0, done.err);
  const std::string log = contents_of(run + "/log.jsonl");
  for (const char* sampled : {"{\"step\":4,\"sample\":", "{\"step\":8,\"sample\":"})
    BOOST_TEST(log.find(sampled) != std::string::npos, log);
}

BOOST_AUTO_TEST_CASE(a_perplexity_does_not_depend_on_the_batch) {
  const TemporaryDirectory scratch;
  const std::string run = scratch / "run";
  BOOST_TEST_REQUIRE(run_argand(scratch, "train lm --precision float64 --steps 10 --out " + run + tiny).code == 0);
  const auto eval = [&](const std::string& more) {  // the output from "test part" on, without the run's name and the speed
    const Finished done = run_argand(scratch, "eval " + run + more);
    BOOST_TEST(done.code == 0, done.err);
    return done.out.substr(0, done.out.find(" (")).substr(done.out.find("test part"));
  };
  const std::string one = eval(" --batch 1");
  BOOST_TEST(one.starts_with("test part, 19999 tokens, each once in windows of 32: loss "));
  BOOST_TEST(eval("") == one);
  for (const char* batch : {" --batch 8", " --batch 64"}) BOOST_TEST(eval(batch) == one);
  BOOST_TEST(eval(" --stride 8").starts_with("test part, 19999 tokens, each once in windows of 32, 8 apart: loss "));
  const std::string blocks = eval(" --protocol full-blocks");
  BOOST_TEST(blocks.starts_with("test part, 19968 tokens of full blocks of 16 x 32: loss "));
  BOOST_TEST(eval(" --protocol full-blocks --batch 64").starts_with("test part, 18432 tokens of full blocks of 64 x 32: loss "));
  const auto refused = [&](const std::string& more) {
    const Finished done = run_argand(scratch, "eval " + run + more);
    BOOST_TEST(done.code == 2);
    return done.err;
  };
  BOOST_TEST(refused(" --stride 0") == "argand: --stride: must be in [1, 32] (the window length), got 0\n");
  BOOST_TEST(refused(" --stride 33") == "argand: --stride: must be in [1, 32] (the window length), got 33\n");
  BOOST_TEST(refused(" --stride 8 --protocol full-blocks") ==
             "argand: --stride: full-blocks has no overlapping windows; use --protocol every-token to set a stride\n");
  BOOST_TEST(refused(" --batch 0") == "argand: --batch: must be at least 1, got 0\n");
  BOOST_TEST(refused(" --latency --batch 4") ==
             "argand: --batch: cannot be combined with --latency, which times one text at a time\n");
  BOOST_TEST(refused(" --generate --stride 8") ==
             "argand: --stride: cannot be combined with --generate, which writes texts and scores every token of them\n");
}

BOOST_AUTO_TEST_CASE(the_files_of_a_run_can_be_used) {
  const TemporaryDirectory scratch;
  const std::string run = scratch / "run";
  BOOST_TEST_REQUIRE(run_argand(scratch, "train lm --out " + run + tiny + "--steps 20").code == 0);
  const Finished eval = run_argand(scratch, "eval " + run);
  BOOST_TEST(eval.code == 0);
  BOOST_TEST(eval.out.starts_with(run + "/best.safetensors at step 20, test part, "));
  const Finished inspect = run_argand(scratch, "inspect " + run);
  BOOST_TEST(inspect.code == 0);
  BOOST_TEST(inspect.out.find("blocks.0.attn.delta") != std::string::npos);
  BOOST_TEST(inspect.out.find("layer 0 head 1 ") != std::string::npos);
  BOOST_TEST(inspect.out.find("optimizer.m.") == std::string::npos);
  BOOST_TEST(run_argand(scratch, "inspect --optimizer " + run + "/last.safetensors").out.find("optimizer.m.norm.weight") !=
             std::string::npos);
  const std::string file = scratch / "measured.json";
  const Finished measured = run_argand(scratch, "inspect " + run + " --travel --attention --batches 3 --json " + file);
  BOOST_TEST_REQUIRE(measured.code == 0, measured.err);
  for (const char* text : {"at step 20, 3 batches of the validation part", "  attn.delta ", "sign of δ", "layer 0 head 1 "})
    BOOST_TEST(measured.out.find(text) != std::string::npos, text);
  const auto json = nlohmann::json::parse(contents_of(file));
  for (const auto& part : json["travel"]["parts"])
    if (part["name"] == "attn.phase_bias") {
      BOOST_TEST(part["longest"] > 0);
      BOOST_TEST(part["longest"] < json["travel"]["reach"].get<double>());
    }
  BOOST_TEST(run_argand(scratch, "inspect " + run + " --json " + file).err == "argand: --json: requires --travel or --attention\n");
  const std::string words = "generate " + run + " --prompt mary --tokens 40 --seed 5";
  const Finished first = run_argand(scratch, words), second = run_argand(scratch, words);
  BOOST_TEST(first.code == 0);
  BOOST_TEST(first.out.starts_with("mary"));
  BOOST_TEST(first.out == second.out);
  BOOST_TEST(first.out != run_argand(scratch, words + "6").out);
}

BOOST_AUTO_TEST_SUITE_END()
