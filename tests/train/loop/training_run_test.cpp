#include "train/loop/training_run.h"

#include "core/kernels/bf16_gemm.h"
#include "core/parallel.h"
#include "data/corpora/topics.h"
#include "tests/data/temporary_directory.h"
#include "tests/train/small_run.h"
#include "train/checkpoints/jsonl.h"
#include "train/loop/training_session.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(training_run)

namespace {

template <RealScalar R>
std::vector<R> numbers(const ParameterList<R>& parameters) {
  std::vector<R> all;
  for (const Parameter<R>& p : parameters)
    if (!p.is_complex()) {
      const auto& x = std::get<Var<R>>(p.var).value();
      all.insert(all.end(), x.begin(), x.end());
    }
  return all;
}

}  // namespace

BOOST_AUTO_TEST_CASE(learns) {
  TrainingRun<float> run(small_run({{"steps", "60", ""}}), small_corpus());
  bool is_best = false;
  const double before = run.validate(is_best).loss;
  BOOST_TEST(is_best);
  while (!run.finished()) run.step();
  BOOST_TEST(std::abs(before - std::log(200.0)) < 0.3);  // the loss of an untrained model
  BOOST_TEST(run.validate(is_best).loss < before - 0.5);
}

BOOST_AUTO_TEST_CASE(a_step_counts_its_products) {
  const auto flops = [](const Settings& more) { return TrainingRun<float>(small_run(more), small_corpus()).step().flops; };
  const std::int64_t once = flops({});
  BOOST_TEST(once > 0);
  BOOST_TEST(flops({{"batch", "8", ""}}) == 2 * once);
  BOOST_TEST(flops({{"accumulate", "3", ""}}) == 3 * once);
  BOOST_TEST(flops({{"precision", "float64", ""}}) == once);  // the count does not depend on the precision
  // Two matrices of 16 x d_ff, each multiplied by 4 x 16 tokens three times: forwards, and for the gradients of its input and of
  // itself.
  BOOST_TEST(flops({{"d_ff", "40", ""}}) - once == 2 * 3 * 2 * 64 * 16 * (40 - 24));
}

BOOST_AUTO_TEST_CASE(rounded_factors_train_much_like_whole_ones) {
  const auto loss_after = [](const char* precision, int threads) {
    set_num_threads(threads);
    TrainingRun<float> run(small_run({{"precision", precision, ""}, {"d_model", "64", ""}, {"d_ff", "64", ""}}), small_corpus());
    while (!run.finished()) run.step();
    BOOST_TEST(!bf16_products_enabled());  // validation runs in full precision
    bool is_best = false;
    return run.validate(is_best).loss;
  };
  const int before = num_threads();
  if (!has_bf16_products()) {
    BOOST_CHECK_THROW(loss_after("bf16", before), ConfigError);
    BOOST_TEST_MESSAGE("skipped: the rest, because this processor has no AVX512-BF16");
    return;
  }
  const double whole = loss_after("float32", 1), rounded = loss_after("bf16", 1);
  BOOST_TEST(rounded != whole);
  BOOST_TEST(rounded == whole, boost::test_tools::tolerance(0.01));
  BOOST_TEST(loss_after("bf16", 3) == rounded);
  set_num_threads(before);
}

BOOST_AUTO_TEST_CASE(a_step_reports_what_it_did) {
  TrainingRun<double> run(small_run({{"accumulate", "2", ""}}), small_corpus());
  const StepReport report = run.step();
  BOOST_TEST(report.step == 1);
  BOOST_TEST(report.tokens == 2 * 4 * 16);
  BOOST_TEST(report.lr == 1e-2 / 3);
  BOOST_TEST(report.grad_norm > 0);
  BOOST_TEST(run.state().step == 1);
}

BOOST_AUTO_TEST_CASE(accumulating_two_batches_is_the_batch_of_both) {
  // Batches are consecutive slices of one order of windows, so two batches of 2 make up one batch of 4.
  TrainingRun<double> one(small_run(), small_corpus());
  TrainingRun<double> two(small_run({{"batch", "2", ""}, {"accumulate", "2", ""}}), small_corpus());
  for (int i = 0; i < 5; ++i) {
    const StepReport a = one.step(), b = two.step();
    BOOST_TEST(a.cross_entropy == b.cross_entropy, boost::test_tools::tolerance(1e-10));
    BOOST_TEST(a.grad_norm == b.grad_norm, boost::test_tools::tolerance(1e-9));
  }
}

BOOST_AUTO_TEST_CASE(accumulating_a_short_batch_is_the_batch_of_both) {
  // With 11 articles in batches of 8 and 3, each epoch is one step over the same articles as a single batch of 11.
  const LabelledCorpus articles = make_labelled_corpus(topic_articles(11, 5, 0), 1000, 0, 0);
  const auto run_with = [&](const char* batch, const char* accumulate, const char* by) {
    return TrainingRun<double>(RunConfig::resolve({},
                                                  settings_of({{"family", "transformer"},
                                                               {"n_layers", "1"},
                                                               {"d_model", "16"},
                                                               {"n_heads", "2"},
                                                               {"d_ff", "24"},
                                                               {"batch", batch},
                                                               {"accumulate", accumulate},
                                                               {"accumulate_by", by},
                                                               {"precision", "float64"},
                                                               {"steps", "4"},
                                                               {"warmup", "0"},
                                                               {"lr", "1e-2"}}),
                                                  "classify"),
                               articles);
  };
  auto whole = run_with("11", "1", "targets"), parts = run_with("8", "2", "targets"), alike = run_with("8", "2", "batches");
  for (int i = 0; i < 4; ++i) {
    const StepReport a = whole.step(), b = parts.step(), c = alike.step();
    BOOST_TEST(a.cross_entropy == b.cross_entropy, boost::test_tools::tolerance(1e-12));
    BOOST_TEST(a.grad_norm == b.grad_norm, boost::test_tools::tolerance(1e-12));
    BOOST_TEST(a.tokens == b.tokens);
    // Runs from versions without this choice keep the old rule, which gives a different loss.
    BOOST_TEST(std::abs(a.cross_entropy / c.cross_entropy - 1) > 1e-4);
    // Later gradients are not compared: Adam amplifies rounding errors in the parameters, by dividing by small second moments.
    if (i > 0) continue;
    double worst = 0;
    for (std::size_t p = 0; p < whole.parameters().size(); ++p) {
      const Tensor<double> dw = std::get<Var<double>>(whole.parameters()[p].var).grad(),
                           dv = std::get<Var<double>>(parts.parameters()[p].var).grad();  // the sum over two batches
      for (std::int64_t k = 0; k < dw.size(); ++k) worst = std::max(worst, std::abs(dw.data()[k] - dv.data()[k] / 2));
    }
    BOOST_TEST(worst < 1e-12 * a.grad_norm);
  }
}

BOOST_AUTO_TEST_CASE(batches_of_one_size_accumulate_as_ever) {
  // With 12 articles in batches of 4, the weights are exactly 1, so both rules take the same steps, bit for bit.
  const LabelledCorpus articles = make_labelled_corpus(topic_articles(12, 5, 0), 1000, 0, 0);
  std::vector<std::vector<float>> ends;
  for (const char* by : {"targets", "batches"}) {
    TrainingRun<float> run(RunConfig::resolve({},
                                              settings_of({{"n_layers", "1"},
                                                           {"d_model", "16"},
                                                           {"n_heads", "2"},
                                                           {"d_ff", "24"},
                                                           {"batch", "4"},
                                                           {"accumulate", "3"},
                                                           {"accumulate_by", by},
                                                           {"epochs", "3"}}),
                                              "classify"),
                           articles);
    while (!run.finished()) run.step();
    ends.push_back(numbers(run.parameters()));
  }
  BOOST_TEST((std::memcmp(ends[0].data(), ends[1].data(), ends[0].size() * sizeof(float)) == 0));
}

BOOST_AUTO_TEST_CASE(goes_on_bit_for_bit) {
  const std::vector<Settings> rules = {{{"optimizer", "adamw", ""}},
                                       {{"optimizer", "muon", ""}},
                                       {{"optimizer", "adamw", ""}, {"family", "crope", ""}, {"complex_moments", "modulus", ""}},
                                       {{"optimizer", "muon", ""}, {"family", "crat", ""}, {"complex_moments", "modulus", ""}}};
  for (Settings rule : rules) {
    const TemporaryDirectory scratch;
    rule.push_back({"dropout", "0.1", ""});
    const RunConfig config = small_run(rule);
    TrainingRun<float> whole(config, small_corpus()), first(config, small_corpus()), second(config, small_corpus());
    bool is_best = false;
    for (int i = 0; i < 5; ++i) first.step();
    const double loss = first.validate(is_best).loss;
    first.save(scratch / "a.safetensors");
    second.restore(Checkpoint(scratch / "a.safetensors"));
    BOOST_TEST(second.state().step == 5);
    BOOST_TEST(second.state().best_step == 5);
    BOOST_TEST(second.state().best_valid == loss);
    while (!second.finished()) second.step();
    while (!whole.finished()) {
      whole.step();
      if (whole.state().step == 5) whole.validate(is_best);
    }
    BOOST_TEST(numbers(whole.parameters()) == numbers(second.parameters()), boost::test_tools::per_element());
    whole.save(scratch / "whole.safetensors");
    second.save(scratch / "second.safetensors");
    BOOST_TEST((contents_of(scratch / "whole.safetensors") == contents_of(scratch / "second.safetensors")));
  }
}

BOOST_AUTO_TEST_CASE(second_moments_of_two_kinds) {
  const TemporaryDirectory scratch;
  const Settings crope = {{"family", "crope", ""}, {"optimizer", "adamw", ""}};
  Settings by_modulus = crope;
  by_modulus.push_back({"complex_moments", "modulus", ""});
  TrainingRun<float> two(small_run(crope), small_corpus()), modulus(small_run(by_modulus), small_corpus());
  for (int i = 0; i < 3; ++i) two.step(), modulus.step();
  BOOST_TEST((numbers(two.parameters()) != numbers(modulus.parameters())));

  // A run rejects the checkpoint because the configurations differ; a separate optimiser, because of the stored state.
  two.save(scratch / "two");
  modulus.save(scratch / "modulus");
  BOOST_TEST(error_of([&] { two.restore(Checkpoint(scratch / "modulus")); }) ==
             "train: " + scratch / "modulus" + " was saved with a different configuration");
  const auto optimizer = make_optimizer<float>(two.config().optimizer, two.parameters());
  BOOST_TEST(error_of([&] { Checkpoint(scratch / "modulus").load(*optimizer); }) ==
             "optimizer state: v.blocks.0.attn.q.weight is float32 [8, 8], but this model needs complex64 [8, 8]; for a complex "
             "parameter, the second moment is complex with complex_moments two and real with modulus");
}

BOOST_AUTO_TEST_CASE(a_loss_that_is_not_finite_stops_before_anything_changes) {
  TrainingRun<float> run(small_run(), small_corpus());
  run.step();
  const std::vector<float> good = numbers(run.parameters());
  for (const Parameter<float>& p : run.parameters())
    if (p.name == "blocks.0.norm2.weight") {
      Var<float> gain = std::get<Var<float>>(p.var);
      gain.value()(0) = std::numeric_limits<float>::infinity();
    }
  const std::vector<float> bad = numbers(run.parameters());
  const std::string text = error_of([&] { run.step(); });
  BOOST_TEST(text.starts_with("train: the loss became "));
  BOOST_TEST(text.find(" at step 2, first in ") != std::string::npos);
  BOOST_TEST(text.find(" of blocks.0") != std::string::npos);
  BOOST_TEST(text.ends_with("; a lower `lr` or `clip`, or `precision` float64, may help"));
  BOOST_TEST(run.state().step == 1);
  const std::vector<float> after = numbers(run.parameters());
  BOOST_TEST((std::memcmp(after.data(), bad.data(), bad.size() * sizeof(float)) == 0));
}

BOOST_AUTO_TEST_CASE(incompatible_settings_and_checkpoints_are_refused_at_once) {
  BOOST_TEST(error_of([] {
               TrainingRun<float>(small_run({{"vocab_size", "10", ""}}), small_corpus());
             }) == "vocab_size: 10 ids are too few for the corpus's 200 tokens; use 0 to fit the corpus");
  BOOST_TEST(error_of([] {
               TrainingRun<float>(small_run({{"batch", "50", ""}, {"eval_protocol", "full-blocks", ""}}), small_corpus());
             }) == "evaluation: a text of 200 tokens is too short for a block of 50 x 16 and the two tokens after it");
  const TemporaryDirectory scratch;
  TrainingRun<float> run(small_run(), small_corpus()), other(small_run({{"lr", "1e-3", ""}}), small_corpus());
  run.save(scratch / "a");
  BOOST_TEST(error_of([&] { other.restore(Checkpoint(scratch / "a")); }) ==
             "train: " + scratch / "a" + " was saved with a different configuration");
  run.save_model(scratch / "b");
  BOOST_TEST(error_of([&] { run.restore(Checkpoint(scratch / "b")); }) ==
             "checkpoint: " + scratch / "b" + " cannot be resumed: it has no optimizer state");
}

BOOST_AUTO_TEST_CASE(a_session_validates_logs_and_saves_when_due) {
  const TemporaryDirectory scratch;
  const RunFolder folder(scratch / "run");
  const RunConfig config = small_run({{"eval_every", "5", ""}, {"checkpoint_every", "4", ""}, {"log_every", "3", ""}});
  TrainingSession<float> session(folder, false, config, small_corpus());
  std::vector<std::int64_t> validated;
  while (!session.finished()) {
    const Advance done = session.advance();
    if (done.validation) validated.push_back(done.step.step);
  }
  BOOST_TEST(validated == (std::vector<std::int64_t>{5, 10, 12}), boost::test_tools::per_element());
  std::vector<std::int64_t> logged;
  std::istringstream lines(contents_of(folder.log()));
  for (std::string line; std::getline(lines, line);) {
    const auto json = nlohmann::json::parse(line);
    if (json.contains("valid_loss")) BOOST_TEST(json["valid_tokens"] == 199);  // all 200 tokens but the first
    if (!json.contains("loss")) continue;
    logged.push_back(json["step"]);
    for (const char* key :
         {"lr", "grad_norm", "tokens_per_second", "seconds", "flops", "peak_memory", "delta_mean", "delta_std", "phase_bias_mean"})
      BOOST_TEST(json[key].is_number(), key);
  }
  BOOST_TEST(logged == (std::vector<std::int64_t>{3, 6, 9, 12}), boost::test_tools::per_element());
  BOOST_TEST(Checkpoint(folder.last()).state().step == 12);
  BOOST_TEST(Checkpoint(folder.at_step(4)).state().step == 4);
  BOOST_TEST(Checkpoint(folder.at_step(8)).state().step == 8);
  BOOST_TEST(Checkpoint(folder.best()).state().step == Checkpoint(folder.last()).state().best_step);
  BOOST_TEST(contents_of(folder.vocabulary()) == small_corpus().tokens->file());
  BOOST_TEST(scratch.count() == 1);
  BOOST_TEST(error_of([&] { TrainingSession<float>(folder, false, config, small_corpus()); }) ==
             "train: " + folder.path() + " already contains a run; `resume` " + folder.path() +
                 " continues it, `overwrite` replaces it");
  BOOST_TEST(error_of([&] { TrainingSession<float>(folder, true, config, small_corpus()); }) ==
             "train: " + folder.path() + " is in use: another process is training in that folder");
  BOOST_TEST(Checkpoint(folder.last()).state().step == 12);
}

BOOST_AUTO_TEST_CASE(an_overwritten_run_leaves_no_probe_behind) {
  const TemporaryDirectory scratch;
  for (const char* name : {"log.jsonl", "written.json", "positions.json", "exchanged.json", "audit.json", "latency.json",
                           "as-learnt.json", "with-delta=0.json", "audit.json.tmp-1-2", "notes.txt"})
    std::ofstream(scratch / name) << "{}";
  const RunFolder folder(scratch / "");
  const RunLock lock = folder.create(true);
  for (const auto& left : std::filesystem::directory_iterator(scratch / ""))
    BOOST_TEST((left.path().filename() == "notes.txt" || left.path().filename() == ".lock"), left.path().string());
  BOOST_TEST(std::filesystem::exists(scratch / "notes.txt"));  // the user's own file
}

BOOST_AUTO_TEST_SUITE_END()
