/// Runs that are extended, or end earlier than first requested, and the files they write along the way.

#include <set>
#include <sstream>

#include "tests/apps/program.h"
#include "tests/train/small_run.h"
#include "train/checkpoints/jsonl.h"
#include "train/loop/training_session.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(longer_run)

namespace {

const std::string options = tiny + "--eval-every 20 --checkpoint-every 7 --sample-every 10 --sample-tokens 6 ";

/// Checks that all files are equal, ignoring the times in the log. Checkpoints up to `first_steps` are left out: they record a run
/// that was to end at that step.
void same_files(const std::string& one, const std::string& other, std::int64_t first_steps = 0) {
  std::set<std::string> names;
  for (const std::string& folder : {one, other})
    for (const auto& entry : std::filesystem::directory_iterator(folder)) names.insert(entry.path().filename());
  names.erase("log.jsonl");
  for (std::int64_t step = 0; step <= first_steps; ++step) names.erase(fmt::format("step-{}.safetensors", step));
  for (const std::string& name : names) BOOST_TEST((contents_of(one + "/" + name) == contents_of(other + "/" + name)), name);
  BOOST_TEST(log_without_times(one) == log_without_times(other));
}

std::vector<nlohmann::json> lines_with(const std::string& run, const std::string& key) {
  std::vector<nlohmann::json> found;
  std::istringstream lines(contents_of(run + "/log.jsonl"));
  for (std::string line; std::getline(lines, line);)
    if (const auto json = nlohmann::json::parse(line); json.contains(key)) found.push_back(json);
  return found;
}

/// For each of `steps`, resumes the run and kills it after that step; the first time, adds the options `more`.
void kill_at(const TemporaryDirectory& scratch, const std::string& run, const std::string& more, std::initializer_list<int> steps) {
  std::string first = more;
  for (const int step : steps) {
    Program program(scratch, "train lm --threads 1 --resume " + run + first);
    if (reaches_step(program, run, step)) program.signal(SIGKILL);
    program.wait();
    first = "";  // the run has recorded its new length
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(an_extended_run_is_one_whose_rate_fell_sooner) {
  const TemporaryDirectory scratch;
  const std::string whole = scratch / "whole", longer = scratch / "longer", killed = scratch / "killed";
  BOOST_TEST_REQUIRE(run_argand(scratch, "train lm --steps 80 --decay-steps 40 --out " + whole + options).code == 0);
  for (const std::string& run : {longer, killed})
    BOOST_TEST_REQUIRE(run_argand(scratch, "train lm --steps 40 --out " + run + options).code == 0);
  const Finished done = run_argand(scratch, "train lm --threads 1 --steps 80 --resume " + longer);
  BOOST_TEST(done.code == 0, done.err);
  BOOST_TEST(
      done.out.starts_with("resuming after step 40, to step 80: from step 40 on the learning rate stays at 0.0004, where its "
                           "cosine ends; --decay-steps 80 stretches it\n"),
      done.out);
  kill_at(scratch, killed, " --steps 80", {45, 55, 70});
  BOOST_TEST(run_argand(scratch, "train lm --threads 1 --resume " + killed).code == 0);
  same_files(whole, longer, 40);
  same_files(whole, killed, 40);
  BOOST_TEST(lines_with(whole, "lr").back()["lr"] == 4e-3 * 0.1);
  BOOST_TEST(run_argand(scratch, "train lm --resume " + longer).out ==
             longer + " has already taken all its 80 steps; continue with a larger --steps N\n");
}

BOOST_AUTO_TEST_CASE(a_run_cannot_be_shortened_or_resumed_at_a_rate_of_zero) {
  const TemporaryDirectory scratch;
  const std::string run = scratch / "run", zero = scratch / "zero";
  BOOST_TEST_REQUIRE(run_argand(scratch, "train lm --steps 12 --out " + run + tiny).code == 0);
  BOOST_TEST_REQUIRE(run_argand(scratch, "train lm --steps 12 --final-lr 0 --out " + zero + tiny).code == 0);
  const std::string before = contents_of(run + "/last.safetensors");
  const auto error = [&](const std::string& arguments) {
    const Finished done = run_argand(scratch, "train lm --resume " + arguments);
    BOOST_TEST(done.code == 2);
    return done.err;
  };
  BOOST_TEST(error(run + " --steps 5") == "argand: --resume: the run has 12 steps; it cannot be shortened to 5\n");
  BOOST_TEST(error(run + " --steps 20 --epochs 3") == "argand: --epochs: --steps also sets how long to train; drop one of them\n");
  BOOST_TEST(error(zero + " --steps 20") ==
             "argand: --resume: the learning rate of this run ends at 0, so further steps change nothing; start a new run from its "
             "weights with --init\n");
  BOOST_TEST((contents_of(run + "/last.safetensors") == before));
}

BOOST_AUTO_TEST_CASE(logging_and_the_rate_may_change_on_resuming) {
  const TemporaryDirectory scratch;
  const std::string whole = scratch / "whole", logged = scratch / "logged", slower = scratch / "slower";
  const std::string short_run = tiny + "--steps 40 --eval-every 40 ";
  for (const std::string& run : {whole, logged, slower}) {
    Program program(scratch, "train lm --out " + run + short_run);
    if (run != whole && reaches_step(program, run, 10)) program.signal(SIGINT);
    program.wait();
  }
  const Finished more = run_argand(scratch,
                                   "train lm --threads 1 --sample-every 5 --sample-tokens 4 --eval-every 10 --eval-batches 1 "
                                   "--log-every 2 --keep 1 --milestone-every 20 --checkpoint-every 5 --resume " +
                                       logged);
  BOOST_TEST(more.code == 0, more.err);
  if (more.out.starts_with("resuming")) BOOST_TEST(!lines_with(logged, "sample").empty());
  BOOST_TEST(lines_with(logged, "changed").empty());
  const auto same = [&](const std::string& one, const std::string& other) {
    const Checkpoint a(one + "/last.safetensors"), b(other + "/last.safetensors");
    const std::string name = a.file().names().front();
    return std::visit([&]<class T>(const T&) { return a.file().tensor<T>(name).data()[0] == b.file().tensor<T>(name).data()[0]; },
                      a.file().info(name).is_complex ? std::variant<double, std::complex<double>>(std::complex<double>())
                                                     : std::variant<double, std::complex<double>>(0.0));
  };
  BOOST_TEST(same(whole, logged));
  const Finished less = run_argand(scratch, "train lm --threads 1 --lr 1e-4 --resume " + slower);
  BOOST_TEST(less.code == 0, less.err);
  if (!less.out.starts_with("resuming")) return;  // on a fast machine, the run had no steps left
  BOOST_TEST(less.out.find(", with --lr 0.0001 instead of 0.004\n") != std::string::npos, less.out);
  const auto changed = lines_with(slower, "changed");
  BOOST_TEST_REQUIRE(changed.size() == 1u);
  BOOST_TEST(changed[0]["changed"].dump() == R"({"lr":[0.004,0.0001]})");
  BOOST_TEST(lines_with(slower, "lr").back()["lr"].get<double>() < 1.1e-5 + 1e-4);
  BOOST_TEST(!same(whole, slower));
  BOOST_TEST(run_argand(scratch, "report " + slower + " --out " + scratch / "page.html").code == 0);
  BOOST_TEST(contents_of(scratch / "page.html").find("lr 0.0001 instead of 0.004 after step ") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(more_epochs_count_from_the_beginning) {
  const TemporaryDirectory scratch;
  const std::string run = scratch / "run";
  BOOST_TEST_REQUIRE(run_argand(scratch,
                                "train classify --n-layers 1 --d-model 16 --n-heads 2 --d-ff 24 --batch 16 --warmup 1 --epochs 1 "
                                "--threads 1 --train-articles 64 --test-articles 16 --out " +
                                    run)
                         .code == 0);
  BOOST_TEST(Checkpoint(run + "/last.safetensors").config().training.steps == 4);
  BOOST_TEST(run_argand(scratch, "train classify --threads 1 --epochs 3 --resume " + run).code == 0);
  const Checkpoint last(run + "/last.safetensors");
  BOOST_TEST(last.config().training.steps == 12);
  BOOST_TEST(last.config().training.decay_steps == 4);
  BOOST_TEST(last.state().step == 12);
}

BOOST_AUTO_TEST_CASE(a_run_that_gets_no_better_stops_early) {
  const TemporaryDirectory scratch;
  const std::string whole = scratch / "whole", killed = scratch / "killed";
  const std::string bad = tiny + "--steps 400 --lr 0.5 --eval-every 3 --checkpoint-every 2 --early-stop 2 --out ";
  const Finished done = run_argand(scratch, "train lm " + bad + whole);
  BOOST_TEST(done.code == 0, done.err);
  const Checkpoint last(whole + "/last.safetensors");
  BOOST_TEST(last.state().step < 400);
  BOOST_TEST(last.state().step == last.state().best_step + 2 * 3);
  BOOST_TEST(last.state().since_best == 2);
  const std::string why = fmt::format(
      "stopped early after step {} of 400: 2 validations in a row without improvement on step {}; continue with `argand train lm "
      "--resume {} --early-stop 4`, 0 for no limit\n",
      last.state().step, last.state().best_step, whole);
  BOOST_TEST(done.out.find(why) != std::string::npos, done.out);
  BOOST_TEST(run_argand(scratch, "train lm --resume " + whole).out == why);
  {
    Program program(scratch, "train lm " + bad + killed);
    if (reaches_step(program, killed, 4)) program.signal(SIGKILL);
    program.wait();
  }
  BOOST_TEST(run_argand(scratch, "train lm --threads 1 --resume " + killed).code == 0);
  same_files(whole, killed);
  const Finished further = run_argand(scratch, "train lm --threads 1 --early-stop 3 --resume " + whole);
  BOOST_TEST(further.code == 0, further.err);
  BOOST_TEST(Checkpoint(whole + "/last.safetensors").state().step > last.state().step);
  BOOST_TEST(run_argand(scratch, "train lm --eval-every 0 --early-stop 2 --out " + scratch / "never").err ==
             "argand: --early-stop: counts validations, but with --eval-every 0 there is only one, at the end\n");
}

BOOST_AUTO_TEST_CASE(validations_can_use_part_of_the_data) {
  EvaluationSet all{10, [](std::int64_t i) {
                      Batch batch;
                      batch.n_tokens = i;
                      return batch;
                    }};
  const EvaluationSet some = some_batches(all, 4);
  BOOST_TEST(some.size == 4);
  for (const auto& [i, of_all] : {std::pair{0, 0}, {1, 2}, {2, 5}, {3, 7}}) BOOST_TEST(some.at(i).n_tokens == of_all);
  for (const int as_many : {0, 10, 11}) BOOST_TEST(some_batches(all, as_many).size == 10);

  TrainingRun<float> run(small_run({{"eval_batches", "2", ""}}), small_corpus());
  bool is_best = false;
  std::vector<std::int64_t> watched;
  run.watch_evaluation([&](std::int64_t done, std::int64_t of) {
    BOOST_TEST(of == 2);
    watched.push_back(done);
  });
  BOOST_TEST(run.validation_batches() == 2);
  BOOST_TEST(run.validate(is_best).count == 2 * 4 * 16);
  BOOST_TEST(watched == (std::vector<std::int64_t>{1, 2}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(samples_during_training_are_a_function_of_the_seed) {
  const TemporaryDirectory scratch;
  const std::string run = scratch / "run", again = scratch / "again";
  const Finished done = run_argand(scratch, "train lm --steps 40 --out " + run + options);
  BOOST_TEST_REQUIRE(done.code == 0);
  BOOST_TEST_REQUIRE(run_argand(scratch, "train lm --steps 40 --out " + again + options).code == 0);
  const auto samples = lines_with(run, "sample");
  BOOST_TEST(samples.size() == 4u);
  BOOST_TEST(samples.front()["step"] == 10);
  BOOST_TEST(samples[0]["sample"] != samples[1]["sample"]);
  BOOST_TEST((samples == lines_with(again, "sample")));
  BOOST_TEST(done.out.find("step 10: it writes: ") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(paths_are_found_from_another_directory) {
  const TemporaryDirectory scratch;
  const std::string data = scratch / "here/text", text = "the cat sees a dog .\nthe dog sees a cat .\n";
  std::filesystem::create_directories(data);
  for (const char* part : {"train.txt", "valid.txt", "test.txt"})
    scratch.file(std::string("here/text/") + part, text + text + text + text);
  const auto from = [&](const char* folder) { return [path = scratch / folder] { BOOST_REQUIRE(chdir(path.c_str()) == 0); }; };
  const std::string sizes = " --n-layers 1 --d-model 16 --n-heads 2 --d-ff 24 --length 8 --batch 2 --warmup 2 --threads 1 ";
  BOOST_TEST(run_argand(scratch, "train lm --data text --steps 4 --out run" + sizes, from("here")).code == 0);
  std::filesystem::create_directories(scratch / "there");
  for (const char* command :
       {"eval ../here/run", "train lm --threads 1 --steps 8 --resume ../here/run", "eval ../here/run",
        "report ../here/run --out page.html", "train lm --steps 3 --init ../here/run --data ../here/text --out run"}) {
    const Finished done = run_argand(scratch, command, from("there"));
    BOOST_TEST(done.code == 0, command << ": " << done.err);
  }
  // Other data at the old path must not be mistaken for the run's own.
  scratch.file("here/text/train.txt", text + text + text + "the cat sees the dog .\n");
  const std::string run = scratch / "here/run";
  BOOST_TEST(run_argand(scratch, "eval " + run).err ==
             "argand: eval: the data in " + data + " do not match the training data of " + run +
                 "/best.safetensors: the checksums differ; to use them anyway, pass --data " + data + "\n");
  BOOST_TEST(run_argand(scratch, "eval " + run + " --data " + data).code == 0);
  BOOST_TEST(run_argand(scratch, "train lm --steps 12 --resume " + run).err ==
             "argand: train: the data do not match the training data of " + run +
                 "/last.safetensors: the checksums differ. Restore the old data, point --data at them, or start a "
                 "run on the new data with --init " +
                 run + "/last.safetensors\n");
  const RunConfig config = Checkpoint(scratch / "there/run/last.safetensors").config();
  BOOST_TEST(config.training.data == std::filesystem::canonical(data).string());
  BOOST_TEST(config.training.init == std::filesystem::canonical(scratch / "here/run").string());
}

BOOST_AUTO_TEST_SUITE_END()
