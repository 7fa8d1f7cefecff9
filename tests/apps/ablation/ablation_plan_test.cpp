#include "train/ablation/ablation_plan.h"

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <set>

#include "apps/terminal/option_names.h"
#include "tests/data/temporary_directory.h"
#include "tests/error_text.h"
#include "train/config/run_config.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(ablation_plan)

namespace {

std::string asked(const std::string& family, const std::vector<std::string>& set, AblationRequest request = {},
                  const std::vector<std::string>& rows = {}) {
  const AblationTable& whole = ablation_table(family);
  for (const std::string& text : set) request.settings.push_back(key_and_value("--set", text));
  std::string text;
  for (const auto& [key, value] : shared_settings(whole, with_rows(whole, rows, "nowhere"), request))
    text += (text.empty() ? "" : " ") + key + "=" + value;
  return text;
}

RunConfig config_of(const std::string& family, const std::string& row_name, const std::vector<std::string>& set) {
  const AblationTable& whole = ablation_table(family);
  const AblationTable table = with_rows(whole, {row_name}, "nowhere");
  AblationRequest request;
  for (const std::string& text : set) request.settings.push_back(key_and_value("--set", text));
  return RunConfig::resolve({}, settings_of_run(table, table.rows.at(0), 2, shared_settings(whole, table, request)), table.task);
}

}  // namespace

BOOST_AUTO_TEST_CASE(requested_settings_override_defaults) {
  // The protocol for folders that recorded none.
  BOOST_TEST(asked("crope", {}) == "steps=500 warmup=10% eval_protocol=every-token");
  BOOST_TEST(asked("crope", {}, {.data = "wikitext-2", .steps = 7}) ==
             "data=wikitext-2 steps=7 warmup=10% eval_protocol=every-token");
  BOOST_TEST(asked("crope", {}, {.quick = true}) == "steps=100 warmup=10% eval_protocol=every-token");
  BOOST_TEST(asked("crope", {"steps=9", "warmup=3", "eval_every=4"}) == "steps=9 warmup=3 eval_every=4 eval_protocol=every-token");
  BOOST_TEST(asked("crope", {"epochs=2"}) == "epochs=2 warmup=10% eval_protocol=every-token");
  BOOST_TEST(asked("qic", {}) == "epochs=5");
  BOOST_TEST(asked("qic", {"train_articles=40"}, {.quick = true}) == "train_articles=40 epochs=2");
  BOOST_TEST(asked("qic", {"steps=40"}) == "steps=40");
  // A preset sets the length, the warm-up and the validations.
  BOOST_TEST(asked("crope", {"preset=shakespeare"}) == "preset=shakespeare eval_protocol=every-token");
  BOOST_TEST(asked("crope", {"preset=shakespeare"}, {.steps = 50}) == "steps=50 preset=shakespeare eval_protocol=every-token");
  BOOST_TEST(asked("qic", {}, {.cost = true}) == "steps=12 eval_batches=1 checkpoint_every=0 eval_every=0");
}

BOOST_AUTO_TEST_CASE(every_key_appears_once_and_the_users_value_wins) {
  const RunConfig usual = config_of("crope", "qkv", {});
  BOOST_TEST(usual.training.eval_every == 0);
  BOOST_TEST(usual.training.seed == 2);
  BOOST_TEST(usual.optimizer.name == "muon");
  const RunConfig asked = config_of("crope", "qkv", {"eval_every=50", "optimizer=adamw", "steps=100"});
  BOOST_TEST(asked.training.eval_every == 50);
  // All rows use muon by default; switching all of them to another optimizer is still a fair comparison.
  BOOST_TEST(asked.optimizer.name == "adamw");
  BOOST_TEST(asked.training.steps == 100);
  const RunConfig preset = config_of("crope", "qkv", {"preset=shakespeare"});
  BOOST_TEST(preset.training.steps == 2000);
  BOOST_TEST(preset.training.eval_every == 500);
  BOOST_TEST(preset.training.warmup == "100");
  const AblationTable& table = ablation_table("crope");
  std::set<std::string> keys;
  for (const Setting& s :
       settings_of_run(table, table.rows.at(0), 0, {{"optimizer", "adamw"}, {"eval_every", "3"}, {"preset", "paper"}}))
    BOOST_TEST(keys.insert(s.key).second, s.key);
}

BOOST_AUTO_TEST_CASE(settings_that_rows_cannot_share_are_refused_at_once) {
  const auto error = [](const std::string& family, const std::vector<std::string>& set, const AblationRequest& request = {},
                        const std::vector<std::string>& rows = {}) { return error_of([&] { asked(family, set, request, rows); }); };
  BOOST_TEST(error("crope", {"seed=3"}) == "--set seed=3: every row uses the seeds 0 ... N - 1; `seeds` sets N");
  BOOST_TEST(error("crope", {"family=qic"}) == "--set family=qic: each row sets its own family");
  BOOST_TEST(error("crope", {"steps=3"}, {.steps = 4}) == "--set steps=3: `steps` already sets this key; drop one of them");
  BOOST_TEST(error("crope", {"data=x"}, {.data = "y"}) == "--set data=x: `data` already sets this key; drop one of them");
  BOOST_TEST(error("crope", {"lr=1", "lr=2"}) == "--set lr=2: lr is set twice");
  BOOST_TEST(error("crope", {"lr"}) == "--set: \"lr\" must have the form KEY=VALUE, such as --set d_model=64");
  BOOST_TEST(error("crope", {"mode=qk"}, {}, {"qk", "all"}) ==
             "--set mode=qk: the rows differ in mode (qk, all set it); use `rows` to select others");
  BOOST_TEST(error("qic", {"n_layers=1"}) ==
             "--set n_layers=1: the rows differ in n_layers (standard sets it); use `rows` to select others");
  BOOST_TEST(asked("qic", {"n_layers=1"}, {}, {"learned", "real"}) == "n_layers=1 epochs=5");
}

BOOST_AUTO_TEST_CASE(extra_rows_appear_when_requested_or_already_trained) {
  const AblationTable& table = ablation_table("qic");
  const TemporaryDirectory scratch;
  const auto names = [](const AblationTable& t) {
    std::set<std::string> found;
    for (const AblationRow& row : t.rows) found.insert(row.name);
    return found;
  };
  BOOST_TEST(with_rows(table, {}, scratch / "").rows.size() == 11U);
  BOOST_TEST(with_rows_in(table, scratch / "").rows.size() == 11U);
  std::filesystem::create_directories(scratch / "lr-1e-3");
  BOOST_TEST(with_rows(table, {}, scratch / "").rows.size() == 12U);
  BOOST_TEST((names(with_rows_in(table, scratch / "")) == std::set<std::string>{"lr-1e-3"}));
  BOOST_TEST((names(with_rows(table, {"batch-16", "learned"}, scratch / "")) == std::set<std::string>{"batch-16", "learned"}));
}

BOOST_AUTO_TEST_SUITE_END()
