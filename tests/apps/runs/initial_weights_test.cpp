/// Initial weights taken from another run: those that match are loaded, the others are reported or refused.

#include "train/checkpoints/initial_weights.h"

#include "apps/runs/fitted_weights.h"
#include "data/corpora/topics.h"
#include "data/files/checksum.h"
#include "tests/apps/program.h"
#include "tests/train/small_run.h"
#include "train/loop/training_session.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(initial_weights)

namespace {

/// Trains a small run of twelve steps in `folder`.
void train_small(const RunFolder& folder, const Settings& more = {}) {
  TrainingSession<float> session(folder, false, small_run(more), small_corpus());
  while (!session.finished()) session.advance();
}

const Tensor<float>& real_value(const ParameterList<float>& parameters, const std::string& name) {
  for (const auto& p : parameters)
    if (p.name == name) return std::get<Var<float>>(p.var).value();
  BOOST_FAIL("no parameter " + name);
  throw;
}

bool same(const Tensor<float>& a, const Tensor<float>& b) { return std::ranges::equal(a.span(), b.span()); }

/// The corpus with every second word replaced by another, and the vocabulary in reverse order.
Corpus renamed_corpus() {
  Corpus corpus = small_corpus();
  const std::vector<std::string>& known = dynamic_cast<const WordTokens&>(*corpus.tokens).words().words();
  std::vector<std::string> words(known.rbegin(), known.rend());
  for (std::size_t i = 0; i < words.size(); i += 2) words[i] += "-2";
  corpus.tokens = std::make_shared<WordTokens>(Vocabulary(words));
  return corpus;
}

LabelledCorpus small_topics() { return make_labelled_corpus(topic_articles(40, 10, 0), 300, 0, 0); }

RunConfig small_classifier(const Settings& more = {}) {
  Settings settings = settings_of({{"n_layers", "1"},
                                   {"d_model", "16"},
                                   {"n_heads", "2"},
                                   {"d_ff", "24"},
                                   {"max_seq_len", "16"},
                                   {"batch", "4"},
                                   {"steps", "3"},
                                   {"warmup", "1"}});
  settings.insert(settings.end(), more.begin(), more.end());
  return RunConfig::resolve({}, settings, "classify");
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_run_of_the_same_size_is_taken_whole) {
  const TemporaryDirectory scratch;
  const RunFolder folder(scratch / "run");
  train_small(folder);
  const InitialWeights weights(folder.path());
  TrainingRun<float> run(small_run({{"seed", "1", ""}}), small_corpus());
  const FittedWeights fitted = run.load_initial_weights(weights, small_corpus());
  const Checkpoint best(folder.best());
  for (const auto& p : run.parameters())
    if (!p.is_complex()) BOOST_TEST(same(std::get<Var<float>>(p.var).value(), best.file().tensor<float>(p.name)), p.name);
  BOOST_TEST(fitted.tensors == fitted.all_tensors);
  BOOST_TEST(fitted.numbers == count_parameters(run.parameters()));
  BOOST_TEST(lines_of(fitted).size() == 1u);
  BOOST_TEST(run.state().made_from.init == checksum_of(contents_of(folder.best())));
  run.step();
  BOOST_TEST(error_of([&] { run.load_initial_weights(weights, small_corpus()); }) == "init: the run has already taken 1 steps");
}

BOOST_AUTO_TEST_CASE(another_size_is_refused_and_nothing_is_changed) {
  const TemporaryDirectory scratch;
  const RunFolder folder(scratch / "run");
  train_small(folder);
  TrainingRun<float> wide(small_run({{"d_ff", "32", ""}}), small_corpus());
  const Tensor<float> before = real_value(wide.parameters(), "embedding.weight");
  BOOST_TEST(error_of([&] { wide.load_initial_weights(InitialWeights(folder.path()), small_corpus()); }) ==
             "init: blocks.0.ffn.up.weight is [24, 16] in " + folder.best() +
                 ", but [32, 16] in this model; leave out `d_model`, `n_layers` and the like to use the sizes of that run");
  BOOST_TEST(same(before, real_value(wide.parameters(), "embedding.weight")));
  SafetensorsWriter writer;
  writer.add("norm.weight", Tensor<float>::ones({3}));
  writer.save(scratch / "plain");
  BOOST_TEST(
      error_of([&] { wide.load_initial_weights(InitialWeights(scratch / "plain"), small_corpus()); }) ==
      "init: norm.weight is [3] in " + scratch / "plain" +
          ", but [16] in this model; set the sizes that the file was made with: `family`, `d_model`, `n_heads`, `d_ff`, ...");
}

BOOST_AUTO_TEST_CASE(missing_and_extra_parameters_are_reported) {
  const TemporaryDirectory scratch;
  SafetensorsWriter writer;
  writer.add("norm.weight", Tensor<double>::full({16}, 2));
  writer.add("no.such\nname", Tensor<float>::ones({2}));
  writer.save(scratch / "plain");
  TrainingRun<float> run(small_run(), small_corpus());
  const FittedWeights fitted = run.load_initial_weights(InitialWeights(scratch / "plain"), small_corpus());
  BOOST_TEST(fitted.tensors == 1);
  BOOST_TEST(fitted.numbers == 16);
  BOOST_TEST(static_cast<std::int64_t>(fitted.missing.size()) == fitted.all_tensors - 1);
  BOOST_TEST(fitted.extra == std::vector<std::string>{"no.such\nname"}, boost::test_tools::per_element());
  BOOST_TEST(real_value(run.parameters(), "norm.weight")(3) == 2);
  const std::vector<std::string> lines = lines_of(fitted);
  BOOST_TEST(lines.size() == 3u);
  BOOST_TEST(lines[0].starts_with("starts from " + scratch / "plain: 1 of "));
  BOOST_TEST(lines[1].starts_with("  not in the file, so newly initialized: embedding.weight, "));
  BOOST_TEST(lines[1].ends_with(" more"));
  BOOST_TEST(lines[2] == "  in the file, but not in this model: no.such name");

  TrainingRun<float> other(small_run(), small_corpus());
  SafetensorsWriter nothing, hole;
  nothing.add("x", Tensor<float>::ones({2}));
  nothing.save(scratch / "nothing");
  BOOST_TEST(error_of([&] { other.load_initial_weights(InitialWeights(scratch / "nothing"), small_corpus()); }) ==
             "init: no tensor in " + scratch / "nothing" +
                 " has the name of a parameter of this model: the file has x; the model has " +
                 "embedding.weight, blocks.0.norm1.weight, blocks.0.norm1.bias, ...");
  hole.add("norm.weight", Tensor<float>::full({16}, NAN));
  hole.save(scratch / "hole");
  BOOST_TEST(error_of([&] { other.load_initial_weights(InitialWeights(scratch / "hole"), small_corpus()); }) ==
             "init: norm.weight in " + scratch / "hole" + " contains non-finite numbers");
}

BOOST_AUTO_TEST_CASE(a_numpy_archive_works_as_well) {
  const TemporaryDirectory scratch;
  TrainingRun<float> source(small_run({{"seed", "3", ""}}), small_corpus()), run(small_run(), small_corpus());
  NpzWriter writer;
  for (const auto& p : source.parameters()) std::visit([&](const auto& v) { writer.add(p.name, v.value()); }, p.var);
  writer.save(scratch / "weights.npz");
  const FittedWeights fitted = run.load_initial_weights(InitialWeights(scratch / "weights.npz"), small_corpus());
  BOOST_TEST(fitted.tensors == fitted.all_tensors);
  for (const auto& p : source.parameters())
    if (!p.is_complex()) BOOST_TEST(same(std::get<Var<float>>(p.var).value(), real_value(run.parameters(), p.name)), p.name);
}

BOOST_AUTO_TEST_CASE(a_deeper_model_starts_from_the_layers_available) {
  const TemporaryDirectory scratch;
  const RunFolder folder(scratch / "run");
  train_small(folder);
  TrainingRun<float> deep(small_run({{"n_layers", "2", ""}}), small_corpus());
  const FittedWeights fitted = deep.load_initial_weights(InitialWeights(folder.path()), small_corpus());
  BOOST_TEST(!fitted.missing.empty());
  for (const std::string& name : fitted.missing) BOOST_TEST(name.starts_with("blocks.1."), name);
}

BOOST_AUTO_TEST_CASE(words_in_common_keep_their_rows) {
  for (const char* family : {"transformer", "qic", "crat"}) {
    const TemporaryDirectory scratch;
    const RunFolder folder(scratch / "run");
    const Settings settings = {{"family", family, ""}};
    train_small(folder, settings);
    const Corpus others = renamed_corpus();
    TrainingRun<float> run(small_run(settings), others), drawn(small_run(settings), others);
    const FittedWeights fitted = run.load_initial_weights(InitialWeights(folder.path()), others);
    const std::int64_t words = others.tokens->size();
    BOOST_TEST(fitted.words_in_common.value() == words / 2);
    BOOST_TEST(fitted.tensors == fitted.all_tensors);
    const SafetensorsFile theirs = SafetensorsFile::open(folder.best());
    for (const char* name : {"embedding.weight", "head.weight"}) {
      if (!theirs.contains(name) || theirs.info(name).is_complex) continue;
      const Tensor<float>& now = real_value(run.parameters(), name);
      const Tensor<float>& fresh = real_value(drawn.parameters(), name);
      const Tensor<float> then = theirs.tensor<float>(name);
      for (std::int64_t i = 0; i < words; ++i) {
        const bool common = i % 2 == 1;
        BOOST_TEST(now(i, 3) == (common ? then(words - 1 - i, 3) : fresh(i, 3)), family << " " << name << " " << i);
      }
    }
    BOOST_TEST(lines_of(fitted).at(1) ==
               fmt::format("  words: {} of {} are in its vocabulary and keep their rows; the others are newly initialized",
                           words / 2, words));
  }
}

BOOST_AUTO_TEST_CASE(a_classifier_takes_the_decoder_and_keeps_its_own_output_layer) {
  for (const char* family : {"complexformer", "qic", "crat"}) {
    const TemporaryDirectory scratch;
    const RunFolder folder(scratch / "run");
    const Settings settings = {{"family", family, ""}};
    train_small(folder, settings);
    const LabelledCorpus topics = small_topics();
    TrainingRun<float> run(small_classifier(settings), topics), drawn(small_classifier(settings), topics);
    const FittedWeights fitted = run.load_initial_weights(InitialWeights(folder.path()), topics);
    BOOST_TEST(lines_of(fitted).at(2).starts_with("  the output layer is newly initialized: head."), family);
    BOOST_TEST(same(real_value(run.parameters(), "head.bias"), real_value(drawn.parameters(), "head.bias")));
    const char* inside = "blocks.0.norm1.weight";
    BOOST_TEST(!same(real_value(run.parameters(), inside), real_value(drawn.parameters(), inside)));
    run.step();
  }
}

BOOST_AUTO_TEST_CASE(classes_that_are_the_same_keep_the_output_layer) {
  const TemporaryDirectory scratch;
  const RunFolder folder(scratch / "run");
  const LabelledCorpus topics = small_topics();
  TrainingSession<float> session(folder, false, small_classifier(), topics);
  while (!session.finished()) session.advance();
  TrainingRun<float> same_classes(small_classifier(), topics);
  BOOST_TEST(same_classes.load_initial_weights(InitialWeights(folder.last()), topics).own.empty());
  LabelledCorpus others = topics;
  others.classes.front() = "another";
  TrainingRun<float> other_classes(small_classifier(), others);
  BOOST_TEST(other_classes.load_initial_weights(InitialWeights(folder.last()), others).own ==
                 (std::vector<std::string>{"head.weight", "head.bias"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_run_takes_the_sizes_of_the_one_it_begins_with) {
  const TemporaryDirectory scratch;
  const std::string first = scratch / "first", second = scratch / "second";
  BOOST_TEST_REQUIRE(run_argand(scratch, "train lm --out " + first + tiny + "--steps 10 --family transformer --qk-norm").code == 0);
  const Finished done = run_argand(scratch, "train lm --steps 4 --threads 1 --init " + first + " --out " + second);
  BOOST_TEST(done.code == 0, done.err);
  BOOST_TEST(done.out.find("starts from " + first + "/best.safetensors: 22 of 22 tensors") != std::string::npos, done.out);
  BOOST_TEST(SafetensorsFile::open(second + "/last.safetensors").contains("blocks.0.attn.q_norm.weight"));
  const RunConfig config = Checkpoint(second + "/last.safetensors").config();
  BOOST_TEST(config.model.d_model == 16);
  BOOST_TEST(config.training.length == 32);
  BOOST_TEST(config.training.batch == 16);
  const auto refused = [&](const std::string& more) {
    const Finished finished = run_argand(scratch, "train lm --steps 4 --out " + scratch / "third" + more + " --init " + first);
    BOOST_TEST(finished.code != 0);
    return finished.err;
  };
  BOOST_TEST(refused(" --family crat") == "argand: --init: the model in " + first + " is of the family transformer, not crat\n");
  BOOST_TEST(refused(" --d-model 32") == "argand: init: embedding.weight is [200, 16] in " + first +
                                             "/best.safetensors, but [200, 32] in this model; leave out --d-model, --n-layers and "
                                             "the like to use the sizes of that run\n");
  BOOST_TEST(!std::filesystem::exists(scratch / "third"));
}

BOOST_AUTO_TEST_CASE(a_killed_run_resumes_without_its_initial_weights) {
  const TemporaryDirectory scratch;
  const std::string first = scratch / "first", whole = scratch / "whole", killed = scratch / "killed";
  BOOST_TEST_REQUIRE(run_argand(scratch, "train lm --out " + first + tiny + "--steps 10").code == 0);
  const std::string options = tiny + "--steps 40 --eval-every 10 --checkpoint-every 6 --init " + first + "/last.safetensors";
  BOOST_TEST_REQUIRE(run_argand(scratch, "train lm --out " + whole + options).code == 0);
  {
    Program program(scratch, "train lm --out " + killed + options);
    if (reaches_step(program, killed, 8)) program.signal(SIGKILL);
    program.wait();
  }
  std::filesystem::remove_all(first);
  const Finished last = run_argand(scratch, "train lm --threads 1 --resume " + killed);
  BOOST_TEST(last.code == 0, last.err);
  for (const char* name : {"last.safetensors", "best.safetensors", "step-0.safetensors", "step-36.safetensors", "config.json"})
    BOOST_TEST((contents_of(whole + "/" + name) == contents_of(killed + "/" + name)), name);
  BOOST_TEST(run_argand(scratch, "report " + killed + " --out " + scratch / "report.html").code == 0);
}

BOOST_AUTO_TEST_SUITE_END()
