#include "train/config/run_config.h"

#include <boost/test/unit_test.hpp>

#include "nn/decoder_config.h"
#include "tests/data/temporary_directory.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(run_config)

namespace {

Settings options(std::initializer_list<std::pair<const char*, const char*>> pairs) {
  Settings settings;
  for (const auto& [key, text] : pairs) settings.push_back({key, text, key});
  return settings;
}

std::string refused(std::initializer_list<std::pair<const char*, const char*>> pairs) {
  try {
    RunConfig::resolve({}, options(pairs));
  } catch (const ConfigError& error) {  // not just any Error, because the exit code depends on the type
    return error.what();
  }
  return "";
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_preset_small_is_the_default) {
  const RunConfig c = RunConfig::resolve({}, {});
  BOOST_TEST(c.model.family().name == "complexformer");
  BOOST_TEST(c.model.n_layers == 2);
  BOOST_TEST(c.model.d_model == 128);
  BOOST_TEST(c.model.n_heads == 4);
  BOOST_TEST(c.model.d_ff == 512);
  BOOST_TEST(c.model.max_seq_len == 128);
  BOOST_TEST(c.training.length == 128);
  BOOST_TEST(c.training.batch == 16);
  BOOST_TEST(c.training.steps == 500);
  BOOST_TEST(c.training.clip == 1.0);
  BOOST_TEST(c.optimizer.beta1 == 0.9);
  BOOST_TEST(c.optimizer.beta2 == 0.98);
  BOOST_TEST(c.optimizer.eps == 1e-9);
  BOOST_TEST(c.optimizer.weight_decay == 0.1);
  const WarmupCosine s = c.schedule();
  BOOST_TEST(s.peak == 4e-3);
  BOOST_TEST(s.final == 4e-4, boost::test_tools::tolerance(1e-15));
  BOOST_TEST(s.warmup == 50);
  BOOST_TEST(s.total == 500);
}

BOOST_AUTO_TEST_CASE(the_preset_paper_is_the_papers_setup) {
  const RunConfig c = RunConfig::resolve({}, options({{"preset", "paper"}}));
  BOOST_TEST(c.model.n_layers == 8);
  BOOST_TEST(c.model.d_model == 512);
  BOOST_TEST(c.model.n_heads == 8);
  BOOST_TEST(c.model.d_ff == 1024);
  BOOST_TEST(c.model.dropout == 0.1);
  BOOST_TEST(c.training.batch == 8);
  BOOST_TEST(c.training.length == 512);
  BOOST_TEST(c.schedule().peak == 1e-4);
  BOOST_TEST(c.schedule().warmup == c.training.steps / 20);
  BOOST_TEST(c.optimizer.weight_decay == 0.01);
  BOOST_TEST(RunConfig::resolve({}, options({{"preset", "paper"}, {"family", "crope"}, {"batch", "1"}, {"n_layers", "1"}}))
                 .optimizer.name == "muon");
}

BOOST_AUTO_TEST_CASE(the_command_line_overrides_the_file_and_the_file_the_preset) {
  const RunConfig c =
      RunConfig::resolve(options({{"d_model", "64"}, {"steps", "70"}, {"family", "transformer"}, {"preset", "small"}}),
                         options({{"steps", "90"}, {"position", "rope"}}));
  BOOST_TEST(c.model.family().name == "transformer");
  BOOST_TEST(word_of(c.model.own<DecoderConfig>().position) == "rope");
  BOOST_TEST(c.model.d_model == 64);
  BOOST_TEST(c.training.steps == 90);
  BOOST_TEST(c.model.n_heads == 4);
}

BOOST_AUTO_TEST_CASE(settings_that_follow_from_others) {
  BOOST_TEST(RunConfig::resolve({}, options({{"length", "40"}})).model.max_seq_len == 40);
  BOOST_TEST(RunConfig::resolve({}, options({{"max_seq_len", "40"}})).training.length == 40);
  BOOST_TEST(RunConfig::resolve({}, options({{"steps", "100"}})).schedule().warmup == 10);
  BOOST_TEST(RunConfig::resolve({}, options({{"steps", "100"}, {"warmup", "50"}})).schedule().warmup == 50);
  BOOST_TEST(RunConfig::resolve({}, options({{"steps", "200"}, {"warmup", "5%"}})).schedule().warmup == 10);
}

BOOST_AUTO_TEST_CASE(json_and_toml_say_everything) {
  const RunConfig c =
      RunConfig::resolve({}, options({{"data", "my \"texts\""}, {"lr", "0.00123"}, {"seed", "7"}, {"adaptation", "shared"}}));
  BOOST_TEST(RunConfig::from_json(c.to_json()).to_json() == c.to_json());
  const RunConfig articles =
      RunConfig::resolve({}, options({{"words", "77"}, {"test_articles", "5"}, {"max_seq_len", "9"}}), "classify");
  BOOST_TEST(RunConfig::from_json(articles.to_json()).to_json() == articles.to_json());
  const TemporaryDirectory scratch;
  BOOST_TEST(RunConfig::resolve(read_settings(scratch.file("articles.toml", articles.to_toml())), {}, "classify").to_json() ==
             articles.to_json());
  const RunConfig again = RunConfig::resolve(read_settings(scratch.file("config.toml", c.to_toml())), {});
  BOOST_TEST(again.to_json() == c.to_json());
}

BOOST_AUTO_TEST_CASE(the_recipe_of_the_qic_paper) {
  for (const char* family : {"transformer", "complexformer", "crope", "crat", "qic"}) {
    const RunConfig c = RunConfig::resolve({}, options({{"preset", "qic-paper"}, {"family", family}}), "classify");
    BOOST_TEST(c.model.family().name == family);
    BOOST_TEST(word_of(c.model.task) == "classify");
    BOOST_TEST(c.model.n_classes == 4);
    BOOST_TEST(c.model.n_layers == 2);
    BOOST_TEST(c.model.d_model == 128);
    BOOST_TEST(c.model.n_heads == 4);
    BOOST_TEST(c.model.d_ff == 128);
    BOOST_TEST(c.model.max_seq_len == 256);
    BOOST_TEST(c.model.dropout == 0.1);
    BOOST_TEST(c.training.words == 5000);
    BOOST_TEST(c.training.train_articles == 4000);
    BOOST_TEST(c.training.test_articles == 1000);
    BOOST_TEST(c.training.batch == 32);
    BOOST_TEST(c.training.epochs == 5);
    BOOST_TEST(c.training.lr == 2e-3);
    BOOST_TEST(c.training.clip == 1);
    BOOST_TEST(c.optimizer.weight_decay == 0);
  }
  RunConfig c = RunConfig::resolve({}, options({{"preset", "qic-paper"}}), "classify");
  BOOST_TEST(c.model.family().name == "qic");
  c.training.steps = 625;
  BOOST_TEST(c.schedule().warmup == 50);
}

BOOST_AUTO_TEST_CASE(steps_or_epochs) {
  const auto training = [](const Settings& file, std::initializer_list<std::pair<const char*, const char*>> command_line) {
    return RunConfig::resolve(file, options(command_line), "classify").training;
  };
  BOOST_TEST(training({}, {}).epochs == 5);
  BOOST_TEST(training({}, {}).steps == 0);  // the number of steps follows from the data
  BOOST_TEST(training({}, {{"epochs", "2"}}).epochs == 2);
  BOOST_TEST(training({}, {{"steps", "70"}}).epochs == 0);
  BOOST_TEST(training({}, {{"steps", "70"}}).steps == 70);
  const Settings steps = options({{"steps", "70"}}), both = options({{"steps", "70"}, {"epochs", "3"}});
  BOOST_TEST(training(steps, {}).epochs == 0);
  BOOST_TEST(training(steps, {{"epochs", "2"}}).epochs == 2);
  BOOST_TEST(training(steps, {{"epochs", "2"}}).steps == 0);
  BOOST_TEST(training(both, {}).epochs == 3);  // a run writes both into its config.toml
  BOOST_TEST(training(both, {{"steps", "9"}}).epochs == 0);
  BOOST_TEST(training(both, {{"steps", "9"}}).steps == 9);
  BOOST_TEST(RunConfig::resolve({}, options({{"epochs", "2"}})).training.steps == 0);
}

BOOST_AUTO_TEST_CASE(mistakes) {
  BOOST_TEST(refused({{"d_modl", "3"}}) == "d_modl: unknown key; did you mean d_model?");
  BOOST_TEST(refused({{"family", "complexfromer"}}).find("did you mean complexformer?") != std::string::npos);
  BOOST_TEST(refused({{"family", "transformer"}, {"adaptation", "shared"}}) ==
             "adaptation: the family transformer has no such key; it belongs to complexformer");
  BOOST_TEST(refused({{"preset", "smal"}}) == "preset: \"smal\" is not one of small|paper|shakespeare; did you mean small?");
  BOOST_TEST(refused({{"steps", "0"}}) == "steps: must be at least 1, got 0");
  BOOST_TEST(refused({{"seed", "-1"}}) == "seed: must be at least 0, got -1");
  BOOST_TEST(refused({{"final_lr", "2"}}) == "final_lr: must be a fraction of lr in [0, 1], got 2");
  BOOST_TEST(refused({{"clip", "-1"}}) == "clip: must not be negative, got -1");
  BOOST_TEST(refused({{"lr", "0"}}) == "rate: the learning rate must be positive, got 0");
  BOOST_TEST(refused({{"warmup", "x%"}}) == "warmup: \"x\" is not a number");
  BOOST_TEST(refused({{"steps", "20"}, {"warmup", "50"}}) == "rate: a warm-up of 50 steps is longer than the total of 20 steps");
  BOOST_TEST(refused({{"beta1", "1"}}) == "optimizer: beta1 must be in [0, 1), got 1");
  BOOST_TEST(refused({{"n_heads", "3"}}) == "config: n_heads 3 does not divide d_model 128");
  BOOST_TEST(refused({{"steps", "5"}, {"epochs", "5"}}) == "epochs: `steps` also sets how long to train; drop one of them");
  BOOST_TEST(refused({{"epochs", "-1"}}) == "epochs: must be at least 0, got -1");
  BOOST_TEST(refused({{"eval_every", "-2"}}) == "eval_every: must be at least -1, got -2");
  BOOST_TEST(refused({{"task", "classify"}, {"length", "10"}}) == "length: the task classify has no such key");
  BOOST_TEST(refused({{"task", "clasify"}}).find("did you mean classify?") != std::string::npos);
  BOOST_TEST(refused({{"task", "classify"}, {"words", "0"}}) == "words: must be at least 1, got 0");
  BOOST_TEST(refused({{"task", "classify"}, {"train_articles", "-1"}}) == "train_articles: must be at least 0, got -1");
  BOOST_TEST(refused({{"task", "classify"}, {"preset", "paper"}}) == "preset: \"paper\" is not one of small|qic-paper");
  BOOST_TEST(refused({{"preset", "qic-papre"}, {"task", "classify"}}) ==
             "preset: \"qic-papre\" is not one of small|qic-paper; did you mean qic-paper?");
  BOOST_TEST(refused({{"length", "200"}, {"max_seq_len", "100"}}) ==
             "length: windows have 200 tokens, but the model takes only 100; increase `max_seq_len`");
}

BOOST_AUTO_TEST_CASE(what_the_machine_cannot_hold_is_refused_at_once) {
  const std::string text = refused({{"d_model", "1000000"}, {"vocab_size", "1000000"}});
  BOOST_TEST(text.starts_with("config: these sizes need about "));
  BOOST_TEST(text.ends_with("reduce `d_model`, `n_layers`, `batch`, `length` or `accumulate`"));
  BOOST_TEST(refused({{"batch", "1000000"}, {"length", "100000"}, {"max_seq_len", "100000"}}).starts_with("config: these sizes "));
}

BOOST_AUTO_TEST_CASE(numbers_that_would_overflow_are_refused) {
  constexpr const char *huge = "9223372036854775807", *half = "4611686018427387904";
  for (const char* number : {huge, half})
    for (const char* key : {"batch", "length", "accumulate"})
      BOOST_TEST(refused({{key, number}}) == fmt::format("{}: must be at most 1000000, got {}", key, number));
  for (const char* key : {"steps", "epochs", "decay_steps", "eval_every", "eval_batches", "early_stop", "checkpoint_every",
                          "log_every", "sample_every", "sample_tokens", "keep", "milestone_every"})
    BOOST_TEST(refused({{key, huge}}) == fmt::format("{}: must be at most 1000000000000, got {}", key, huge));
  BOOST_TEST(refused({{"epochs", "30000000000000000"}}) == "epochs: must be at most 1000000000000, got 30000000000000000");
  BOOST_TEST(refused({{"steps", "1000000000000"}, {"batch", "1000000"}, {"accumulate", "100"}}) ==
             "steps: 1000000000000 steps of 100 batches of 1000000 x 128 tokens exceed 2^63; use fewer `steps`");
  // Each of these factors is acceptable, but their product is not.
  BOOST_TEST(
      refused({{"accumulate", "1000000"}, {"batch", "100000"}, {"steps", "10"}}).starts_with("config: these sizes need about "));
  for (const char* key : {"irw_passages", "irw_length", "irw_refresh"})
    BOOST_TEST(refused({{"family", "crat"}, {key, huge}}) == fmt::format("{}: must be at most 1000000000000, got {}", key, huge));
  BOOST_TEST(refused({{"seed", huge}}) == "");
}

BOOST_AUTO_TEST_CASE(runs_from_before_a_setting_existed_resume_unchanged) {
  const auto without = [](std::string json, const std::string& line) {
    BOOST_TEST_REQUIRE(json.find(line) != std::string::npos);
    return RunConfig::from_json(json.erase(json.find(line), line.size())).training;
  };
  const RunConfig text = RunConfig::resolve({}, {}), articles = RunConfig::resolve({}, {}, "classify");
  BOOST_TEST(text.training.eval_protocol == "every-token");
  BOOST_TEST(without(text.to_json(), "    \"eval_protocol\": \"every-token\",\n").eval_protocol == "full-blocks");
  BOOST_TEST(articles.training.accumulate_by == "targets");
  BOOST_TEST(without(articles.to_json(), "    \"accumulate_by\": \"targets\",\n").accumulate_by == "batches");
  BOOST_TEST(refused({{"accumulate_by", "batches"}}) == "accumulate_by: the task lm has no such key");
  BOOST_TEST(refused({{"task", "classify"}, {"eval_protocol", "full-blocks"}}) ==
             "eval_protocol: the task classify has no such key");
}

BOOST_AUTO_TEST_CASE(renamed_keys_are_still_read) {
  const auto with = [](const char* key) {
    return RunConfig::resolve({{"family", "crat", ""}, {key, "fid", ""}, {"irw_layers", "0", ""}}, {}, "lm").to_json();
  };
  BOOST_TEST(with("rival") == with("baseline"));
}

BOOST_AUTO_TEST_CASE(damaged_json) {
  std::string json = RunConfig::resolve({}, {}).to_json();
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string text = json;
    BOOST_TEST_REQUIRE(text.find(from) != std::string::npos);
    return error_of([&] { RunConfig::from_json(text.replace(text.find(from), from.size(), to)); });
  };
  BOOST_TEST(error_of([] { RunConfig::from_json("{"); }).starts_with("config: damaged: "));
  BOOST_TEST(replaced("\"steps\": 500", "\"steps\": 1e300") == "steps: \"1e+300\" is not a whole number");
  BOOST_TEST(replaced("\"steps\": 500", "\"stops\": 500").starts_with("config: damaged: "));
  BOOST_TEST(replaced("\"complex_moments\": \"two\"", "\"complex_moments\": \"three\"")
                 .starts_with("complex_moments: \"three\" is not one of two|modulus"));
  BOOST_TEST(replaced("    \"complex_moments\": \"two\",\n", "") == "");  // as in runs from versions without this setting
  BOOST_TEST(replaced("    \"eval_protocol\": \"every-token\",\n", "") == "");
  BOOST_TEST(replaced("\"eval_protocol\": \"every-token\"", "\"eval_protocol\": \"blocks\"")
                 .starts_with("eval_protocol: \"blocks\" is not one of every-token|full-blocks"));
  BOOST_TEST(replaced("\"batch\": 16", "\"batch\": [16]") == "batch: \"[16]\" is not a whole number");
  BOOST_TEST(
      replaced("\"precision\": \"float32\"", "\"precision\": \"float16\"").starts_with("precision: \"float16\" is not one of"));
}

BOOST_AUTO_TEST_SUITE_END()
