#include <nlohmann/json.hpp>

#include "data/corpora/grammar.h"
#include "tests/apps/program.h"
#include "train/loop/nan_report.h"

using namespace argand;

BOOST_AUTO_TEST_SUITE(nan_trace)

using nlohmann::json;

namespace {

const std::string too_fast = tiny + "--steps 20 --lr 1e30 --clip 0 --seed 3 ";

/// The JSON entry for the step at which the run ends; steps count from 1.
template <class Change>
json traced_step(const Change& change) {
  static const Corpus corpus = Grammar().corpus(4000, 200, 200, 0);
  Settings settings;
  for (const auto& [key, text] : std::initializer_list<std::pair<const char*, const char*>>{{"n_layers", "1"},
                                                                                            {"d_model", "16"},
                                                                                            {"n_heads", "2"},
                                                                                            {"d_ff", "24"},
                                                                                            {"length", "16"},
                                                                                            {"batch", "4"},
                                                                                            {"accumulate", "2"}})
    settings.push_back({key, text, key});
  TrainingRun<float> run(RunConfig::resolve({}, settings), corpus);
  run.trace_nan(true);
  run.step();
  for (Parameter<float> p : run.parameters())
    if (!p.is_complex()) change(p.name, std::get<Var<float>>(p.var).value());
  try {
    run.step();
  } catch (const NonFiniteStep& step) {
    return json::parse(non_finite_json(step, run.config(), corpus));
  }
  return {};
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_run_that_blows_up_says_how_to_trace_it_and_the_trace_finds_the_same_op) {
  const TemporaryDirectory scratch;
  const std::string run = scratch / "run", other = scratch / "other";
  const Finished plain = run_argand(scratch, "train lm --out " + run + too_fast);
  BOOST_TEST(plain.code == 3);
  BOOST_TEST(plain.err.starts_with("argand: train: the loss became "));
  BOOST_TEST(plain.err.ends_with("; a lower --lr or --clip, or --precision float64, may help; `argand train lm --resume " + run +
                                 " --trace-nan` shows the op's inputs and the batch\n"));
  BOOST_TEST(std::count(plain.err.begin(), plain.err.end(), '\n') == 1);

  const Finished traced = run_argand(scratch, "train lm --threads 1 --trace-nan --resume " + run);
  BOOST_TEST(traced.code == 3);
  const json report = json::parse(contents_of(run + "/nan-trace.json"));
  const std::string op = report["op"], scope = report["scope"];
  BOOST_TEST(plain.err.find(fmt::format(", first in {}{};", op, scope.empty() ? "" : " of " + scope)) != std::string::npos);
  BOOST_TEST(plain.err.find(fmt::format(" at step {}, ", report["step"].get<int>())) != std::string::npos);
  BOOST_TEST(traced.err.starts_with("train: at step "));
  BOOST_TEST(traced.err.find(report["summary"].get<std::string>()) != std::string::npos);
  BOOST_TEST(traced.err.ends_with(fmt::format(
      "argand: train: stopped before step {} changed the parameters; the full report, with the batch, is in {}/nan-trace.json\n",
      report["step"].get<int>(), run)));

  // The report contains whole windows, so that the batch can be recreated.
  BOOST_TEST(report["batch"]["rows"].size() == 16);
  for (const json& row : report["batch"]["rows"]) {
    BOOST_TEST(row["tokens"].size() == 32);
    BOOST_TEST(row["targets"].size() == 32);
    BOOST_TEST(row["tokens"][1] == row["targets"][0]);
    const std::string text = row["text"];
    BOOST_TEST(std::count(text.begin(), text.end(), ' ') == 31);
    BOOST_TEST(traced.err.find(text.substr(0, 20)) != std::string::npos);
  }
  // A trace from the start, in another folder, gives the same report, which depends only on the configuration.
  BOOST_TEST(run_argand(scratch, "train lm --trace-nan --out " + other + too_fast).code == 3);
  BOOST_TEST((contents_of(other + "/nan-trace.json") == contents_of(run + "/nan-trace.json")));
}

BOOST_AUTO_TEST_CASE(classifiers_name_the_articles) {
  const TemporaryDirectory scratch;
  const std::string run = scratch / "run";
  const std::string sizes = " --n-layers 1 --d-model 16 --n-heads 2 --d-ff 24 --batch 4 --threads 1 --family transformer ";
  BOOST_TEST(run_argand(scratch, "train classify --trace-nan --steps 9 --lr 1e30 --clip 0 --out " + run + sizes).code == 3);
  const json report = json::parse(contents_of(run + "/nan-trace.json"));
  BOOST_TEST(report["batch"]["rows"].size() == 4);
  for (const json& row : report["batch"]["rows"]) {
    BOOST_TEST(row["label"].is_string());
    BOOST_TEST(row["tokens"].size() > 0);
    BOOST_TEST(std::count(row["tokens"].begin(), row["tokens"].end(), json(pad_id)) == 0);
  }
  BOOST_TEST(run_argand(scratch, "train classify --overwrite --steps 1 --out " + run + sizes).code == 0);
  BOOST_TEST(!std::ifstream(run + "/nan-trace.json").good());  // the file belonged to the previous run
}

BOOST_AUTO_TEST_CASE(tracing_changes_no_number) {
  const TemporaryDirectory scratch;
  BOOST_TEST(run_argand(scratch, "train lm --steps 6 --out " + scratch / "plain" + tiny).code == 0);
  BOOST_TEST(run_argand(scratch, "train lm --steps 6 --trace-nan --out " + scratch / "traced" + tiny).code == 0);
  BOOST_TEST((contents_of(scratch / "plain/last.safetensors") == contents_of(scratch / "traced/last.safetensors")));
}

BOOST_AUTO_TEST_CASE(an_infinite_parameter) {
  const json report = traced_step([](const std::string& name, Tensor<float>& x) {
    if (name == "blocks.0.ffn.up.weight") x(3, 5) = std::numeric_limits<float>::infinity();
  });
  BOOST_TEST(report["pass"] == "forward");
  BOOST_TEST(report["op"] == "linear");
  BOOST_TEST(report["scope"] == "blocks.0.ffn");
  BOOST_TEST(report["step"] == 2);
  BOOST_TEST(report["batch"]["number"] == 2);  // each step takes two batches
  BOOST_TEST(report["tensors"][1]["of"] == "blocks.0.ffn.up.weight");
  BOOST_TEST(report["tensors"][1]["inf"] == 1);
  BOOST_TEST(report["summary"].get<std::string>().ends_with("; already not finite: input 1 (blocks.0.ffn.up.weight)"));
}

BOOST_AUTO_TEST_CASE(an_infinite_gradient_of_a_finite_loss) {
  // The feed-forward layer outputs 0, because its input is 0, but the product of its two matrices is too large for a gradient in
  // float32.
  const auto change = [](const std::string& name, Tensor<float>& x) {
    if (name.starts_with("blocks.0.norm2.") || (name.starts_with("blocks.0.ffn.") && name.ends_with("bias"))) x.fill(0);
    if (name == "blocks.0.ffn.up.weight" || name == "blocks.0.ffn.down.weight")
      for (float& w : x.span()) w *= 1e25f;
  };
  const json report = traced_step(change);
  BOOST_TEST(report["pass"] == "backward");
  BOOST_TEST(report["op"] == "linear");
  BOOST_TEST(report["scope"] == "blocks.0.ffn");
  BOOST_TEST(report["tensors"][1]["of"] == "blocks.0.ffn.up.weight");
  BOOST_TEST(report["summary"].get<std::string>().starts_with("backward of linear in blocks.0.ffn produced "));
  BOOST_TEST(report["summary"].get<std::string>().ends_with("; everything it read was finite"));
}

BOOST_AUTO_TEST_SUITE_END()
