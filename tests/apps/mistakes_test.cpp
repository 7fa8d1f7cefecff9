/// If the command line, the files or the machine are at fault, the program prints one clear line, exits with the correct code, and
/// leaves existing files intact.

#include <algorithm>
#include <cstring>

#include "tests/apps/program.h"
#include "tests/data/files/without_checksum.h"
#include "train/checkpoints/checkpoint.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(mistakes)

namespace {

/// Checks the exit code, and that standard error is exactly this line or, if the line ends in "...", a line that begins with it.
void ends_with(const TemporaryDirectory& scratch, const std::string& arguments, int code, const std::string& line,
               const std::function<void()>& before = {}) {
  BOOST_TEST_CONTEXT(arguments) {
    const Finished finished = run_argand(scratch, arguments, before);
    BOOST_TEST(finished.code == code);
    BOOST_TEST(std::count(finished.err.begin(), finished.err.end(), '\n') == 1);
    if (line.ends_with("..."))
      BOOST_TEST(finished.err.substr(0, line.size() - 3) == line.substr(0, line.size() - 3));
    else
      BOOST_TEST(finished.err == line + "\n");
  }
}

/// A finished run of ten steps, shared by all tests.
struct Run {
  TemporaryDirectory scratch;
  std::string path = scratch / "run";
  Run() { BOOST_TEST_REQUIRE(run_argand(scratch, "train lm --out " + path + tiny + "--steps 10 --checkpoint-every 6").code == 0); }
  std::string last() const { return path + "/last.safetensors"; }
};

/// A checkpoint with some text in its header replaced.
std::string with_header(std::string bytes, const std::string& from, const std::string& to) {
  const auto at = bytes.find(from);
  BOOST_TEST_REQUIRE(at != std::string::npos, from);
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof length);
  length += to.size() - from.size();
  std::memcpy(bytes.data(), &length, sizeof length);
  return bytes.replace(at, from.size(), to);
}

void limit_files_to(rlim_t bytes) {
  const rlimit limit{bytes, bytes};
  setrlimit(RLIMIT_FSIZE, &limit);
}

}  // namespace

BOOST_AUTO_TEST_CASE(of_the_command_line) {
  const TemporaryDirectory scratch;
  const std::string help = " (see --help)";
  ends_with(scratch, "train lm --n-heads 2 --n-heads 4", 2, "argand: train lm: --n-heads is given 2 times; give it once" + help);
  ends_with(scratch, "", 2,
            "argand: choose a command: demo, train, sweep, eval, generate, classify, ablate, report, audit, retrieval, inspect, "
            "export, lab, explain, exercise, portrait, graph, gradcheck, parity, completion" +
                help);
  ends_with(scratch, "--verbose eval", 2, "argand: eval: RUN is required" + help);
  ends_with(scratch, "trian lm", 2, "argand: unknown command \"trian\"; did you mean train?" + help);
  ends_with(scratch, "train", 2, "argand: train: choose a command: lm, classify" + help);
  ends_with(scratch, "grad", 2, "argand: unknown command \"grad\"; did you mean lab?" + help);
  ends_with(scratch, "check z", 2, "argand: unknown command \"check\"; did you mean gradcheck?" + help);
  ends_with(scratch, "train ml", 2, "argand: train: unknown command \"ml\"; did you mean lm?" + help);
  ends_with(scratch, "train lm --stpes 3", 2, "argand: train lm: unknown option --stpes; did you mean --steps?" + help);
  ends_with(scratch, "train lm --stpes=3", 2, "argand: train lm: unknown option --stpes; did you mean --steps?" + help);
  ends_with(scratch, "train lm --learning-rate 1e-3", 2,
            "argand: train lm: unknown option --learning-rate; it is called --lr here" + help);
  ends_with(scratch, "train lm --batch_size=12", 2,
            "argand: train lm: unknown option --batch_size; it is called --batch here" + help);
  ends_with(scratch, "train classify --block-size 64", 2,
            "argand: train classify: unknown option --block-size; it is called --max-seq-len here" + help);
  ends_with(scratch, "train lm --block-size 64", 2,
            "argand: train lm: unknown option --block-size; it is called --length here" + help);
  ends_with(scratch, "train lm --min-lr 1e-4", 2,
            "argand: train lm: unknown option --min-lr; it is called --final-lr here, as a fraction of lr" + help);
  ends_with(scratch, "generate x --max-new-tokens 9", 2,
            "argand: generate: unknown option --max-new-tokens; it is called --tokens here" + help);
  ends_with(scratch, "train lm --device cuda", 2,
            "argand: train lm: unknown option --device; argand runs on the CPU; set the number of threads with --threads" + help);
  BOOST_TEST(run_argand(scratch, "train lm --rival fid --out " + scratch / "run").err ==
             "argand: --rival is now called --baseline\n"
             "argand: --rival: the family complexformer has no such key; it belongs to crat\n");
  ends_with(scratch, "inspect x --gpu", 2,
            "argand: inspect: unknown option --gpu; argand runs on the CPU; set the number of threads with --threads" + help);
  ends_with(scratch, "train lm --steps", 2, "argand: train lm: --steps: 1 required...");
  ends_with(scratch, "eval", 2, "argand: eval: RUN is required" + help);
  ends_with(scratch, "train lm --threads 0 --out x", 2, "argand: train lm: --threads: ...");
  ends_with(scratch, "train lm", 2, "argand: train lm: missing --out RUN (to start) or --resume RUN (to continue)");
  BOOST_TEST(scratch.count() == 2);  // only .out and .err
}

BOOST_AUTO_TEST_CASE(of_the_configuration) {
  const TemporaryDirectory scratch;
  const std::string train = "train lm --out " + scratch / "run" + " ";
  ends_with(scratch, train + "--steps many", 2, "argand: --steps: \"many\" is not a whole number");
  ends_with(scratch, train + "--family transformr", 2, "argand: --family: \"transformr\" is not one of ...");
  ends_with(scratch, train + "--d-model 10 --n-heads 4", 2, "argand: config: n_heads 4 does not divide d_model 10");
  ends_with(scratch, train + "--d-model 900000 --vocab-size 90000000", 2, "argand: config: these sizes need about ...");
  ends_with(scratch, train + "--config " + scratch.file("a.toml", "steps = 3\nd_modl = 8\n"), 2,
            "argand: " + scratch / "a.toml" + ":2: d_modl: unknown key; did you mean d_model?");
  for (const auto& [theirs, ours] : {std::pair{"max_iters = 3", "max_iters: unknown key; it is called steps here"},
                                     {"learning_rate = 3", "learning_rate: unknown key; it is called lr here"},
                                     {"block_size = 3", "block_size: unknown key; it is called length here"}})
    ends_with(scratch, train + "--config " + scratch.file("a.toml", theirs), 2, "argand: " + scratch / "a.toml" + ":1: " + ours);
  ends_with(scratch, train + "--config " + scratch / "none.toml", 1, "argand: config: cannot read " + scratch / "none.toml");
  ends_with(scratch, train + "--task classify", 2,
            "argand: --task: `train lm` trains language models, not models for task classify");
  BOOST_TEST(!std::filesystem::exists(scratch / "run"));
}

BOOST_AUTO_TEST_CASE(of_the_data) {
  const TemporaryDirectory scratch;
  ends_with(scratch, "train lm --out " + scratch / "run" + " --data " + scratch / "none", 1,
            "argand: data: " + scratch / "none" +
                " does not exist; --data takes one or more texts, or a folder with train.txt or other texts");
  ends_with(scratch, "eval " + scratch / "none", 1, "argand: checkpoint: " + scratch / "none" + " does not exist");
  ends_with(scratch, "inspect " + scratch.path(), 1,
            "argand: checkpoint: " + scratch.path() + " contains neither best.safetensors nor last.safetensors");
  ends_with(scratch, "inspect " + scratch.file("noise", "not a tensor in sight"), 1, "argand: safetensors: ...");
  ends_with(scratch, "train lm --resume " + scratch / "none", 1,
            "argand: train: cannot open the folder " + scratch / "none" + ": No such file or directory");
  BOOST_TEST(!std::filesystem::exists(scratch / "run"));
}

BOOST_AUTO_TEST_CASE(a_run_is_not_overwritten_by_accident) {
  const Run run;
  const std::string before = contents_of(run.last());
  ends_with(
      run.scratch, "train lm --out " + run.path + tiny, 1,
      "argand: train: " + run.path + " already contains a run; --resume " + run.path + " continues it, --overwrite replaces it");
  // A run is not replaced, even with permission, if the new run cannot start.
  ends_with(run.scratch, "train lm --overwrite --vocab-size 3 --out " + run.path + tiny, 2, "argand: --vocab-size: ...");
  ends_with(run.scratch, "train lm --overwrite --data /nowhere --out " + run.path + tiny, 1,
            "argand: data: /nowhere does not exist; ...");
  ends_with(run.scratch, "train lm --resume " + run.path + " --d-model 32", 2,
            "argand: --d-model: cannot change when a run is resumed: the run's weights belong to that model; --init starts a "
            "new run from its weights");
  for (const auto& [option, why] : {std::pair{"--batch 3", "each step's data depend on it"},
                                    {"--seed 1", "each step's data depend on it"},
                                    {"--beta1 0.5", "the optimizer state depends on it"},
                                    {"--warmup 3", "the warm-up is at the start of the run"},
                                    {"--precision float64", "the run's parameters have the precision it began with"},
                                    {"--eval-protocol full-blocks", "validations before and after could not be compared"},
                                    {"--split 80/10/10", "it determines the data, and the run continues with those it began with"},
                                    {"--preset paper", "it sets the sizes and the recipe of a new run"}})
    ends_with(run.scratch, "train lm --resume " + run.path + " " + option, 2,
              "argand: " + std::string(option).substr(0, std::string(option).find(' ')) +
                  ": cannot change when a run is resumed: " + why + "; --init starts a new run from its weights");
  BOOST_TEST((contents_of(run.last()) == before));
  BOOST_TEST(run_argand(run.scratch, "train lm --overwrite --steps 5 --out " + run.path + tiny).code == 0);
  BOOST_TEST(!std::filesystem::exists(run.path + "/step-6.safetensors"));
  ends_with(run.scratch, "train lm --out " + run.scratch.file("file", "mine") + tiny, 1,
            "argand: train: cannot create the folder ...");
  BOOST_TEST(contents_of(run.scratch / "file") == "mine");
}

BOOST_AUTO_TEST_CASE(a_full_disk) {
  const Run run;
  std::filesystem::copy_file(run.path + "/step-6.safetensors", run.last(), std::filesystem::copy_options::overwrite_existing);
  const std::string before = contents_of(run.last());
  ends_with(run.scratch, "train lm --threads 1 --resume " + run.path, 1, "argand: ...", [&] { limit_files_to(before.size() / 2); });
  BOOST_TEST((contents_of(run.last()) == before));
  BOOST_TEST(run_argand(run.scratch, "train lm --threads 1 --resume " + run.path).code == 0);
  const TemporaryDirectory scratch;
  ends_with(scratch, "train lm --out " + scratch / "new" + tiny, 1, "argand: ...", [] { limit_files_to(4096); });
  for (const auto& entry : std::filesystem::directory_iterator(scratch / "new"))
    BOOST_TEST(entry.path().filename().string().find(".tmp-") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_loss_that_explodes) {
  const TemporaryDirectory scratch;
  ends_with(scratch, "train lm --out " + scratch / "run" + tiny + "--steps 20 --lr 1e38", 3, "argand: train: the ...");
  const Checkpoint last(scratch / "run/last.safetensors");
  BOOST_TEST(last.state().step == 0);
  const Tensor<float> gain = last.file().tensor<float>("norm.weight");
  BOOST_TEST(std::all_of(gain.begin(), gain.end(), [](float x) { return x == 1; }));
}

BOOST_AUTO_TEST_CASE(hostile_checkpoints) {
  const Run run;
  const std::string good = without_checksum(contents_of(run.path + "/step-6.safetensors"));
  const std::vector<std::string> bad = {
      "",
      good.substr(0, 5),
      good.substr(0, good.size() / 2),
      good + "more",
      std::string(8, '\xff') + good.substr(8),
      with_header(good, "argand-checkpoint/1", "argand-checkpoint/2"),
      with_header(good, "\\\"d_model\\\": 16", "\\\"d_model\\\": 32"),
      with_header(good, "\\\"d_model\\\": 16", "\\\"d_model\\\": 1e3"),
      with_header(good, "\\\"n_heads\\\": 2", "\\\"n_heads\\\": 0"),
      with_header(good, "\\\"n_layers\\\": 1", "\\\"n_layers\\\": 2"),
      with_header(good, "\\\"vocab_size\\\": 200", "\\\"vocab_size\\\": 199"),
      with_header(good, "\\\"vocab_size\\\": 200", "\\\"vocab_size\\\": 1e9"),
      with_header(good, "\\\"float32\\\"", "\\\"float31\\\""),
      with_header(good, "\"step\":\"6\"", "\"step\":\"99\""),
      with_header(good, "\"step\":\"6\"", "\"step\":\"-1\""),
      with_header(good, "\"step\":\"6\"", "\"step\":\"x0\""),
      with_header(good, "\"norm.weight\"", "\"norm.weighs\""),
      with_header(good, "\"optimizer.m.norm.weight\"", "\"unknown.m.norm.weighing\""),
  };
  for (std::size_t i = 0; i < bad.size(); ++i) {
    run.scratch.file("run/last.safetensors", bad[i]);
    BOOST_TEST_CONTEXT("case " << i) {
      ends_with(run.scratch, "eval " + run.last(), 1, "argand: ...");
      ends_with(run.scratch, "generate --prompt mary " + run.last(), 1, "argand: ...");
      ends_with(run.scratch, "train lm --resume " + run.path, 1, "argand: ...");
      BOOST_TEST((contents_of(run.last()) == bad[i]));
    }
  }
}

BOOST_AUTO_TEST_CASE(hostile_vocabularies) {
  const Run run;
  const std::string good = contents_of(run.path + "/vocab.txt");
  for (const std::string& bad :
       {std::string(), good + "one-more\n", good + good, std::string("a\0b\n", 4), std::string("\xff\n")}) {
    run.scratch.file("run/vocab.txt", bad);
    ends_with(run.scratch, "eval " + run.path, 1, "argand: ...");
    ends_with(run.scratch, "generate --prompt mary " + run.path, 1, "argand: ...");
  }
}

BOOST_AUTO_TEST_CASE(of_the_prompt) {
  const Run run;
  ends_with(run.scratch, "eval " + run.path + " --judge " + run.path, 2, "argand: eval: --judge requires --generate (see --help)");
  const std::string generate = "generate " + run.path + " --prompt ";
  ends_with(run.scratch, generate + "xylophone", 1,
            "argand: vocabulary: unknown word \"xylophone\", and the vocabulary has no <unk>");
  ends_with(run.scratch, generate + "mary --temperature -1", 2, "argand: --temperature: must not be negative, got -1");
  ends_with(run.scratch, generate + "mary --top-p 2", 2, "argand: --top-p: must be in (0, 1], got 2");
  ends_with(run.scratch, generate + "mary --tokens -2", 2, "argand: generate: --tokens: ...");
}

BOOST_AUTO_TEST_SUITE_END()
