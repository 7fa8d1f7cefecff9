/// Runs the real program: it trains classifiers, is killed, resumes, and labels lines.

#include <chrono>
#include <iostream>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/apps/program.h"
#include "tests/sanitized.h"
#include "train/checkpoints/checkpoint.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(classify_program)

namespace {

const std::string tiny_classifier =
    " --n-layers 1 --d-model 16 --n-heads 2 --d-ff 24 --batch 16 --threads 1 --train-articles 330 --test-articles 70 ";

void is_refused(const TemporaryDirectory& scratch, const std::string& arguments, int code, const std::string& line) {
  BOOST_TEST_CONTEXT(arguments) {
    const Finished finished = run_argand(scratch, arguments);
    BOOST_TEST(finished.code == code);
    BOOST_TEST(finished.err == line + "\n");
  }
}

/// A classifier trained for two epochs, shared by all tests.
struct Classifier {
  TemporaryDirectory scratch;
  std::string path = scratch / "run";
  Finished trained = run_argand(scratch, "train classify --epochs 2 --lr 1e-2 --out " + path + tiny_classifier);
  Classifier() { BOOST_TEST_REQUIRE(trained.code == 0); }
};

const Classifier& classifier() {
  static const Classifier instance;
  return instance;
}

/// The output of `argand classify` for these lines.
Finished classify(std::string_view lines, const std::string& options = "") {
  const TemporaryDirectory scratch;
  const std::string input = scratch.file("input", lines);
  return run_argand(scratch, "classify " + classifier().path + " " + options, [&] { dup2(open(input.c_str(), O_RDONLY), 0); });
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace

BOOST_AUTO_TEST_CASE(trains_and_shows_the_result) {
  const std::string& out = classifier().trained.out;
  // 330 articles make 21 batches of 16, the last one smaller; the run takes two epochs.
  BOOST_TEST(out.find("42 steps of 16 articles of 4 classes in float32, 1 thread\n") != std::string::npos);
  BOOST_TEST(out.find("step 21: test loss ") != std::string::npos);
  BOOST_TEST(out.find("after the last step, on the 70 test articles:\nclass    accuracy  precision") != std::string::npos);
  BOOST_TEST(out.find("best possible accuracy, given how these articles are generated: ") != std::string::npos);
  const RunConfig config = Checkpoint(classifier().path + "/last.safetensors").config();
  BOOST_TEST(config.training.steps == 42);
  BOOST_TEST(config.training.epochs == 2);
  BOOST_TEST(contents_of(classifier().path + "/classes.txt") == "Kitchen\nHarbour\nStage\nGarden\n");
  BOOST_TEST(contents_of(classifier().path + "/vocab.txt").starts_with("<pad>\n<unk>\n"));
  BOOST_TEST(std::filesystem::exists(classifier().path + "/step-21.safetensors"));
}

BOOST_AUTO_TEST_CASE(the_log_has_accuracy_and_confusion) {
  std::vector<std::int64_t> validated;
  for (const std::string& line : lines_of(contents_of(classifier().path + "/log.jsonl"))) {
    const auto json = nlohmann::json::parse(line);
    if (!json.contains("valid_loss")) continue;
    validated.push_back(json["step"]);
    std::int64_t right = 0, all = 0;
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = 0; j < 4; ++j) {
        all += json["confusion"][i][j].get<std::int64_t>();
        right += i == j ? json["confusion"][i][j].get<std::int64_t>() : 0;
      }
    BOOST_TEST(all == 70);
    BOOST_TEST(json["valid_accuracy"].get<double>() == static_cast<double>(right) / 70);
    BOOST_TEST(!json.contains("valid_ppl"));
  }
  BOOST_TEST(validated == (std::vector<std::int64_t>{21, 42}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_angles_of_qic_are_logged_as_they_train) {
  const TemporaryDirectory scratch;
  const std::string run = scratch / "run";
  const Finished finished = run_argand(
      scratch,
      "train classify --family qic --n-layers 2 --d-model 16 --n-heads 4 --d-ff 16 --lr 1e-2 --steps 12 --threads 1 --out " + run);
  BOOST_TEST_REQUIRE(finished.code == 0);
  std::vector<nlohmann::json> steps;
  for (const std::string& line : lines_of(contents_of(run + "/log.jsonl")))
    if (const auto json = nlohmann::json::parse(line); json.contains("loss")) steps.push_back(json["theta"]);
  BOOST_TEST_REQUIRE(steps.size() == 12U);
  std::size_t angles = 0;
  for (const auto& [name, values] : steps.back().items()) angles += values.size();
  BOOST_TEST(angles == 11U);  // one for the model, two for the blocks, eight for the heads
  for (const char* name : {"theta", "blocks.0.theta", "blocks.1.attn.theta"}) {
    BOOST_TEST_REQUIRE(steps.front().contains(name), name);
    BOOST_TEST(steps.front()[name][0].get<double>() != steps.back()[name][0].get<double>(), name);
    BOOST_TEST(std::abs(steps.back()[name][0].get<double>() - 0.5236) < 0.2, name);  // still near the initial pi/6
  }
  BOOST_TEST(finished.out.find("\nthe angles θ (κ) after the last step:\n") != std::string::npos);
  BOOST_TEST(run_argand(scratch, "inspect " + run).out.find("\nthe angles θ (κ)\n") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(labels_lines_one_by_one) {
  const Finished plain = classify("The rose blooms in the sunny garden\n\nrose BLOOMS xylophone");
  BOOST_TEST(plain.code == 0);
  BOOST_TEST(plain.err == "");
  const std::vector<std::string> lines = lines_of(plain.out);
  BOOST_TEST_REQUIRE(lines.size() == 3U);  // one line for each input line, including the empty one
  BOOST_TEST(lines[0].substr(0, lines[0].find('\t')).size() > 0U);
  BOOST_TEST(lines[1] == "");
  const double p = std::stod(lines[0].substr(lines[0].find('\t') + 1));
  BOOST_TEST(p >= 0.25);
  BOOST_TEST(p <= 1);
  const std::vector<std::string> all = lines_of(classify("a rose\n", "--top 9").out);
  BOOST_TEST_REQUIRE(all.size() == 1U);
  BOOST_TEST(std::count(all[0].begin(), all[0].end(), '\t') == 7);  // four labels and four probabilities
  BOOST_TEST(classify("").out == "");
}

BOOST_AUTO_TEST_CASE(labels_as_json) {
  const std::vector<std::string> lines = lines_of(classify("a rose\n \n", "--json --top 4").out);
  BOOST_TEST_REQUIRE(lines.size() == 2U);
  const auto json = nlohmann::ordered_json::parse(lines[0]);
  double total = 0, last = 1;
  for (const auto& [label, p] : json["probabilities"].items()) {
    BOOST_TEST(p.get<double>() <= last);
    total += last = p.get<double>();
  }
  BOOST_TEST(total == 1, boost::test_tools::tolerance(1e-6));
  BOOST_TEST(json["label"] == json["probabilities"].items().begin().key());
  BOOST_TEST(lines[1] == "{\"label\":null,\"probabilities\":{}}");
}

BOOST_AUTO_TEST_CASE(answers_before_the_input_ends) {
  const TemporaryDirectory scratch;
  int pipe_ends[2];
  BOOST_TEST_REQUIRE(pipe(pipe_ends) == 0);
  Program program(scratch, "classify " + classifier().path, [&] {
    dup2(pipe_ends[0], 0);
    close(pipe_ends[1]);
  });
  close(pipe_ends[0]);
  BOOST_TEST_REQUIRE(write(pipe_ends[1], "a rose\n", 7) == 7);
  const auto answered = [&] { return std::filesystem::exists(scratch / ".out") && !program.out().empty(); };
  while (program.running() && !answered()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  BOOST_TEST(program.running());
  BOOST_TEST(lines_of(program.out()).size() == 1U);
  close(pipe_ends[1]);
  BOOST_TEST(program.wait() == 0);
}

BOOST_AUTO_TEST_CASE(input_that_is_not_text) {
  const Finished invalid = classify("fine\nb\xe4 d\n");
  BOOST_TEST(invalid.code == 1);
  BOOST_TEST(lines_of(invalid.out).size() == 1U);
  BOOST_TEST(invalid.err == "argand: classify: standard input, line 2: not UTF-8\n");
  BOOST_TEST(classify(std::string_view("a\0b\n", 4)).err ==
             "argand: classify: standard input, line 1: null byte; is this a text file?\n");
}

BOOST_AUTO_TEST_CASE(eval_and_inspect_of_a_classifier) {
  const TemporaryDirectory scratch;
  const std::string last = classifier().path + "/last.safetensors";
  const Finished eval = run_argand(scratch, "eval " + last);
  BOOST_TEST(eval.code == 0);
  BOOST_TEST(eval.out.starts_with(last + " at step 42, test part, 70 articles: loss "));
  const std::string table = classifier().trained.out.substr(classifier().trained.out.find("class    accuracy"));
  BOOST_TEST(eval.out.ends_with(table.substr(0, table.find("loss "))));  // the table printed at the end of training
  BOOST_TEST(run_argand(scratch, "eval --split train " + last).out.find("train part, 330 articles: loss ") != std::string::npos);
  const Finished inspect = run_argand(scratch, "inspect " + last);
  BOOST_TEST(inspect.code == 0);
  BOOST_TEST(inspect.out.find(" words, 4 classes, float32\nstep 42 of 42, best test accuracy ") != std::string::npos);
  BOOST_TEST(run_argand(scratch, "inspect --travel --attention " + last).out.find("\nhow sharply heads attend") !=
             std::string::npos);
  const std::string file = scratch / "figures.json";
  BOOST_TEST(run_argand(scratch, "eval " + last + " --each --json " + file).code == 0);
  const auto json = nlohmann::json::parse(contents_of(file));
  double correct = 0;
  for (const auto& of_batch : json["each"]["correct"]) correct += of_batch.get<double>();
  BOOST_TEST(correct == json["accuracy"].get<double>() * json["count"].get<double>(), boost::test_tools::tolerance(1e-12));
  // The precision and recall of each class follow from its row and column of the confusion matrix.
  std::int64_t articles = 0;
  double recall = 0;
  for (const auto& [name, figures] : json["classes"].items()) {
    std::int64_t row = 0;
    for (const auto& [other, count] : figures["labelled_as"].items()) row += count.get<std::int64_t>();
    BOOST_TEST(row == figures["count"].get<std::int64_t>(), name);
    articles += row;
    recall += figures["recall"].get<double>() / 4;
  }
  BOOST_TEST(json["classes"].size() == 4U);
  BOOST_TEST(articles == json["count"].get<std::int64_t>());
  BOOST_TEST(json["macro"]["recall"].get<double>() == recall, boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(killed_at_any_step_it_ends_in_the_same_files) {
  const TemporaryDirectory scratch;
  const std::string whole = scratch / "whole", killed = scratch / "killed";
  const std::string options = tiny_classifier + "--epochs 3 --eval-every 20 --checkpoint-every 7 --dropout 0.1 ";
  BOOST_TEST_REQUIRE(run_argand(scratch, "train classify --out " + whole + options).code == 0);
  int kills = 0;
  {
    Program program(scratch, "train classify --out " + killed + options);
    if (reaches_step(program, killed, 3)) program.signal(SIGKILL), ++kills;
    program.wait();
  }
  for (int step : {23, 45}) {  // in the second and in the third epoch
    Program program(scratch, "train classify --threads 1 --resume " + killed);
    if (reaches_step(program, killed, step)) program.signal(SIGKILL), ++kills;
    program.wait();
  }
  BOOST_TEST(kills >= 2);  // a fast machine may finish before one of the kills
  BOOST_TEST(run_argand(scratch, "train classify --threads 1 --resume " + killed).code == 0);
  std::size_t compared = 0;
  for (const auto& entry : std::filesystem::directory_iterator(whole)) {
    const std::string name = entry.path().filename();
    if (name == "log.jsonl") continue;
    BOOST_TEST((contents_of(whole + "/" + name) == contents_of(killed + "/" + name)), name);
    ++compared;
  }
  BOOST_TEST(compared == 9u);  // last, best, config.json, config.toml, vocab.txt, classes.txt and three steps
  BOOST_TEST(log_without_times(whole) == log_without_times(killed));
}

BOOST_AUTO_TEST_CASE(data_that_changed_are_noticed) {
  const TemporaryDirectory scratch;
  std::filesystem::create_directory(scratch / "data");
  const auto rows = [](const std::string& word) {
    std::string text;
    for (const char* label : {"1", "2"}) text += "\"" + std::string(label) + "\",\"" + word + " " + label + "\",\"\"\n";
    return text + text + text;
  };
  scratch.file("data/classes.txt", "A\nB\n");
  scratch.file("data/train.csv", rows("x"));
  scratch.file("data/test.csv", rows("x"));
  const std::string run = scratch / "run", data = " --data " + scratch / "data", resume = "train classify --resume " + run;
  const std::string options = " --n-layers 1 --d-model 8 --n-heads 2 --d-ff 8 --batch 2 --steps 4 --n-classes 2 --threads 1";
  BOOST_TEST_REQUIRE(run_argand(scratch, "train classify --checkpoint-every 2 --out " + run + data + options).code == 0);
  std::filesystem::copy_file(run + "/step-2.safetensors", run + "/last.safetensors",
                             std::filesystem::copy_options::overwrite_existing);
  scratch.file("data/classes.txt", "A\nC\n");
  is_refused(scratch, resume, 1,
             "argand: train: the classes in the data do not match those of " + run +
                 "/classes.txt: the data have changed since the run began");
  is_refused(scratch, "eval " + run, 1,
             "argand: eval: the classes in " + scratch / "data" + " do not match those of " + run + "/best.safetensors");
  scratch.file("data/classes.txt", "A\nB\n");
  scratch.file("data/train.csv", rows("y"));
  is_refused(scratch, resume, 1,
             "argand: train: the words in the data do not match those of " + run +
                 "/vocab.txt: the data have changed since the run began");
  scratch.file("data/train.csv", rows("x") + "\"9\",\"x\",\"\"\n");
  is_refused(scratch, resume, 1, "argand: ag_news: " + scratch / "data" + "/train.csv, line 7: class \"9\" is not between 1 and 2");
  scratch.file("data/train.csv", rows("x"));
  BOOST_TEST(run_argand(scratch, resume).code == 0);
}

BOOST_AUTO_TEST_CASE(mistakes_of_classifiers) {
  const TemporaryDirectory scratch;
  const std::string run = classifier().path, best = run + "/best.safetensors", out = "train classify --out " + scratch / "run ";
  is_refused(scratch, "train classify", 2, "argand: train classify: missing --out RUN (to start) or --resume RUN (to continue)");
  is_refused(scratch, out + "--task lm", 2, "argand: --task: `train classify` trains classifiers, not models for task lm");
  is_refused(scratch, out + "--n-classes 3", 2, "argand: --n-classes: the data have 4 classes, but the model has 3");
  is_refused(scratch, out + "--vocab-size 9", 2,
             "argand: --vocab-size: 9 ids are too few for the corpus's 123 tokens; use 0 to fit the corpus");
  is_refused(
      scratch, out + "--data " + scratch.path(), 1,
      "argand: data: " + scratch.path() + " has no train.csv, train.tsv or train.jsonl; for a single table, give the file itself");
  is_refused(scratch, "train lm --resume " + run, 2,
             "argand: --resume: `train lm` trains language models, not models for task classify");
  is_refused(scratch, "generate --prompt a " + run, 1,
             "argand: generate: " + best + " is a classifier and does not generate text; use `argand classify`");
  is_refused(scratch, "eval --split valid " + run, 2, "argand: --split: topics has no validation split");
  is_refused(scratch, "classify " + scratch / "none", 1, "argand: checkpoint: " + scratch / "none" + " does not exist");
  BOOST_TEST(!std::filesystem::exists(scratch / "run"));
  BOOST_TEST_REQUIRE(run_argand(scratch, "train lm --steps 5 --out " + scratch / "lm" + tiny).code == 0);
  is_refused(scratch, "classify " + scratch / "lm", 1,
             "argand: classify: " + scratch / "lm" +
                 "/best.safetensors is a language model; train a classifier with `argand train classify`");
}

BOOST_AUTO_TEST_CASE(damaged_files_beside_the_checkpoint) {
  const TemporaryDirectory scratch;
  std::filesystem::copy(classifier().path, scratch / "run");
  const std::string names = scratch / "run/classes.txt", best = scratch / "run/best.safetensors";
  scratch.file("run/classes.txt", "A\nB\n");
  is_refused(scratch, "classify " + scratch / "run", 1,
             "argand: checkpoint: " + names + " lists 2 classes, but the model in " + best + " has 4");
  scratch.file("run/classes.txt", "A\nB\nC\nA\n");
  is_refused(scratch, "classify " + scratch / "run", 1, "argand: checkpoint: " + names + ", line 4: \"A\" is also on line 1");
  std::filesystem::remove(names);
  is_refused(scratch, "classify " + scratch / "run", 1,
             "argand: checkpoint: " + best + " needs the classes.txt of its run in the same folder; there is no " + names);
  scratch.file("run/classes.txt", "A\nB\nC\nD\n");
  scratch.file("run/vocab.txt", "<unk>\n<pad>\nthe\n");
  is_refused(scratch, "classify " + scratch / "run", 1,
             "argand: checkpoint: " + scratch / "run/vocab.txt" + " is not the vocabulary that " + best +
                 " was trained with: its checksum differs");
  scratch.file("run/vocab.txt", "\n \na\n");  // the vocabulary of a character model, which is not a list of words
  is_refused(scratch, "classify " + scratch / "run", 1,
             "argand: checkpoint: " + scratch / "run/vocab.txt" + " is not the vocabulary that " + best +
                 " was trained with: its checksum differs");
}

BOOST_AUTO_TEST_CASE(on_the_real_ag_news) {
  const char* data = std::getenv("ARGAND_DATA");
  if (data == nullptr || !std::filesystem::exists(std::string(data) + "/ag_news/train_sample.csv")) {
    std::cout << "skipped: training on AG News (set ARGAND_DATA to a directory that holds ag_news/)\n";
    return;
  }
  const TemporaryDirectory scratch;
  const int steps = sanitized ? 50 : 250;
  const Finished finished =
      run_argand(scratch, "train classify --preset qic-paper --family transformer --n-layers 1 --d-model 32 --d-ff 32 --steps " +
                              std::to_string(steps) + " --data " + std::string(data) + "/ag_news --out " + scratch / "run");
  BOOST_TEST(finished.code == 0);
  BOOST_TEST(finished.out.find("5002 words, " + std::to_string(steps) + " steps of 32 articles") != std::string::npos);
  const std::vector<std::string> log = lines_of(contents_of(scratch / "run/log.jsonl"));
  const auto last = nlohmann::json::parse(log.back());
  BOOST_TEST(last["step"] == steps);
  BOOST_TEST(last["valid_accuracy"].get<double>() > (sanitized ? 0.35 : 0.6));  // four classes: guessing gives 0.25
}

BOOST_AUTO_TEST_SUITE_END()
